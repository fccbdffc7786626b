import { execFileSync } from "node:child_process";

/** A network namespace without any wires, for what is only about the kernel's tables. */
export class EmptyNode {
  readonly name = `twb${process.pid}e`;

  constructor() {
    execFileSync("ip", ["netns", "add", this.name]);
  }

  close(): void {
    execFileSync("ip", ["netns", "del", this.name]);
  }
}
