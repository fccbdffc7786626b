import { run } from "./command.js";
import { done, failed, type Outcome } from "./outcome.js";

/** Connections carry the generation of the rules that judged them, in some bits of their mark. */
export class Conntrack {
  constructor(readonly command: readonly string[] = ["conntrack"]) {}

  async isThere(): Promise<Outcome<void>> {
    const { status, ended } = await run([...this.command, "--version"]);
    if (status === 0) return done(undefined);
    return failed(
      `\`conntrack\` cannot be run (${ended ?? `status ${status}`}): install the package \`conntrack\`, which is needed to judge connections again when their generations begin anew`,
    );
  }

  /** Forgets all generations; the bits of others stay. */
  async clearMarks(mask: number): Promise<Outcome<void>> {
    const bits = `0x${mask.toString(16)}`;
    const { stderr, status } = await run([...this.command, "-U", "-m", `0/${bits}`]);
    // It fails when there was no connection to update.
    if (status === 0 || /flow entries have been updated/.test(stderr)) return done(undefined);
    return failed(`the marks of connections cannot be cleared: conntrack says \`${stderr.trim()}\``);
  }
}

/** How many generations a mask has room for: two of its bits say `by name` and `denied`, and 0 is never judged. */
export function lastGeneration(mask: number): number {
  let bits = 0;
  for (let rest = mask >>> 0; rest !== 0; rest >>>= 1) bits += rest & 1;
  return 2 ** (bits - 2) - 1;
}
