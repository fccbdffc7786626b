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
    // Without a family it stops at the first connection that it cannot put into a message.
    const mark = `0/0x${mask.toString(16)}`;
    const cleared = await Promise.all(
      ["ipv4", "ipv6"].map((family) => this.#update("-f", family, "-m", mark)),
    );
    return cleared.find(({ ok }) => !ok) ?? done(undefined);
  }

  async #update(...args: readonly string[]): Promise<Outcome<void>> {
    let said = "";
    // A connection that ends while all are walked through ends the walk.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, stderr, ended } = await run([...this.command, "-U", ...args]);
      // It fails when there was no connection to update, too.
      if (status === 0 || /\b0 flow entries have been updated/.test(stderr)) return done(undefined);
      said = ended ?? stderr.trim();
    }
    return failed(`the marks of connections cannot be cleared: conntrack says \`${said}\``);
  }
}
