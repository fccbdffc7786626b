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

  /**
   * Clears bits of the marks of connections, and answers whether that was all of them. One call may be good for a few hundred:
   * conntrack 1.4 leaves half of the kernel's answers unread, until there is no room for more.
   */
  async clearSome(bits: number): Promise<Outcome<boolean>> {
    // Without a family it stops at the first connection that it cannot put into a message.
    const [ipv4, ipv6] = await Promise.all(
      ["ipv4", "ipv6"].map((family) => this.#update("-f", family, "-m", `0/0x${bits.toString(16)}`)),
    );
    if (!ipv4!.ok || !ipv6!.ok) return ipv4!.ok ? ipv6! : ipv4!;
    return done(ipv4!.value && ipv6!.value);
  }

  /** Nobody may be writing the same bits meanwhile, or it might never end. */
  async clearAll(bits: number): Promise<Outcome<void>> {
    for (;;) {
      const cleared = await this.clearSome(bits);
      if (!cleared.ok) return cleared;
      if (cleared.value) return done(undefined);
    }
  }

  /** Answers whether it came to the end. */
  async #update(...args: readonly string[]): Promise<Outcome<boolean>> {
    let said = "";
    // A connection that ends while all are walked through ends the walk.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, stdout, stderr, ended } = await run([...this.command, "-U", ...args]);
      // It fails when there was no connection to update, too.
      if (status === 0 || /\b0 flow entries have been updated/.test(stderr)) return done(true);
      // Each connection that was updated is printed.
      if (stdout !== "") return done(false);
      said = ended ?? stderr.trim();
    }
    return failed(`the marks of connections cannot be cleared: conntrack says \`${said}\``);
  }
}
