import { run } from "./command.js";
import { done, failed, type Outcome } from "./outcome.js";

/** Clears the bits of connection marks that contain the generation of the rules. */
export class Conntrack {
  constructor(readonly command: readonly string[] = ["conntrack"]) {}

  async isInstalled(): Promise<Outcome<void>> {
    const { status, ended } = await run([...this.command, "--version"]);
    if (status === 0) return done(undefined);
    return failed(
      `cannot run \`conntrack\` (${ended ?? `status ${status}`}): install the package \`conntrack\`, which is needed to evaluate connections again when generations restart`,
    );
  }

  /**
   * Clears bits of the marks of connections. Returns whether all are cleared. One call may clear only a few hundred: conntrack
   * 1.4 leaves half of the kernel's answers unread until its buffer is full.
   */
  async clearSome(bits: number): Promise<Outcome<boolean>> {
    // Without a family, conntrack stops at the first connection that it cannot encode.
    const [ipv4, ipv6] = await Promise.all(
      ["ipv4", "ipv6"].map((family) => this.#update("-f", family, "-m", `0/0x${bits.toString(16)}`)),
    );
    if (!ipv4!.ok || !ipv6!.ok) return ipv4!.ok ? ipv6! : ipv4!;
    return done(ipv4!.value && ipv6!.value);
  }

  /** The rules must not write the same bits meanwhile, or it might not end. */
  async clearAll(bits: number): Promise<Outcome<void>> {
    for (;;) {
      const cleared = await this.clearSome(bits);
      if (!cleared.ok) return cleared;
      if (cleared.value) return done(undefined);
    }
  }

  /** Returns whether all connections were visited. */
  async #update(...args: readonly string[]): Promise<Outcome<boolean>> {
    let problem = "";
    // conntrack stops if a connection ends while it lists them.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, stdout, stderr, ended } = await run([...this.command, "-U", ...args]);
      // It also fails if there was no connection to update.
      if (status === 0 || /\b0 flow entries have been updated/.test(stderr)) return done(true);
      // It prints each updated connection.
      if (stdout !== "") return done(false);
      problem = ended ?? stderr.trim();
    }
    return failed(`cannot clear the marks of connections: conntrack reported \`${problem}\``);
  }
}
