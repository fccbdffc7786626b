import { execFileSync } from "node:child_process";
import { threadId } from "node:worker_threads";
import { addressesOf, type Machine, machines, nodes, podRangesOf } from "./subnets.js";

/** A network namespace for each machine, and a bridge between them in that of the control plane. */
export class MachineNetwork {
  static make(): MachineNetwork {
    const made = new MachineNetwork();
    try {
      for (const machine of machines) made.addMachine(machine);
      for (const node of nodes) made.addRoutesTo(node);
    } catch (cause) {
      made.remove();
      throw cause;
    }
    return made;
  }

  namespaceOf(machine: Machine): string {
    return `tww${process.pid}x${threadId}-${machine}`;
  }

  /** The start of a command line that runs the rest in the network of a machine. */
  within(machine: Machine): readonly string[] {
    return ["nsenter", `--net=/run/netns/${this.namespaceOf(machine)}`];
  }

  run(machine: Machine, ...command: readonly string[]): string {
    const [program, ...args] = [...this.within(machine), ...command];
    return execFileSync(program!, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  remove(): void {
    for (const machine of machines)
      try {
        execFileSync("ip", ["netns", "del", this.namespaceOf(machine)], { stdio: "ignore" });
      } catch {
        // It was never made.
      }
  }

  private addMachine(machine: Machine): void {
    const [name, hub] = [this.namespaceOf(machine), this.namespaceOf("control-plane")];
    execFileSync("ip", ["netns", "add", name]);
    this.ip(machine, "link set lo up");
    if (machine === "control-plane") this.ip(machine, "link add eth0 type bridge");
    else {
      this.ip(machine, `link add eth0 type veth peer name ${machine} netns ${hub}`);
      this.ip("control-plane", `link set ${machine} master eth0 up`);
    }
    const [four, six] = addressesOf(machine);
    this.ip(machine, `address add ${four}/24 dev eth0`);
    this.ip(machine, `address add ${six}/64 dev eth0 nodad`);
    this.ip(machine, "link set eth0 up");
    // Nothing answers there, but addresses of Services need a route to be translated.
    this.ip(machine, "route add default dev eth0");
    this.ip(machine, "-6 route add default dev eth0");
    this.run(machine, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
  }

  private addRoutesTo(node: Machine): void {
    for (const machine of machines)
      if (machine !== node)
        podRangesOf(node).forEach((range, family) =>
          this.ip(machine, `route add ${range} via ${addressesOf(node)[family]}`),
        );
  }

  private ip(machine: Machine, words: string): void {
    execFileSync("ip", ["-n", this.namespaceOf(machine), ...words.split(" ")]);
  }
}
