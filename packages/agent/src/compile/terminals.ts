import { hex, markField } from "../ruleset/connection-mark.js";
import type { BookEntry, NodeOptions, PolicyModes } from "../ruleset/program.js";
import { counterOf, type CutSide, logPrefix } from "../ruleset/vocabulary.js";
import { leaveChain } from "../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";

/** Where walks end: a chain for each rule, which counts, logs, and gives the verdict. */
export class Terminals {
  constructor(
    private readonly chains: ChainStore,
    private readonly options: NodeOptions,
  ) {}

  /** `goto …`, or for what is only watched `jump …`. */
  verdictOf(entry: BookEntry, audit: PolicyModes["audit"]): string {
    const count = `counter name "${counterOf(entry.id)}"`;
    if (entry.shadow) return `jump ${this.chains.add("shadow", [count, ...this.log(entry, audit)])}`;
    switch (entry.verdict) {
      case "Pass":
        return `goto ${this.chains.add("pass", [count])}`;
      case "Allow":
        return `goto ${this.chains.add("allow", [count, ...this.log(entry, audit), allowing(entry)])}`;
      case "Deny": {
        const end = this.options.shadow ? allowing(entry) : "goto deny";
        return `goto ${this.chains.add("deny", [count, ...this.log(entry, audit), end])}`;
      }
    }
  }

  /** An Allow by domain name: the connection remembers, since the name may resolve to something else later. */
  byName(verdict: string): string {
    const { byName } = markField(this.options.connectionMask);
    return `goto ${this.chains.add("named", [`ct mark set ct mark | ${hex(byName)}`, verdict])}`;
  }

  private log(entry: BookEntry, audit: PolicyModes["audit"]): readonly string[] {
    const { log } = this.options;
    if (log === undefined || audit === "none") return [];
    const limit = `limit rate ${log.perSecond}/second${log.burst === 5 ? "" : ` burst ${log.burst} packets`}`;
    const line = (when: string, cut?: CutSide) =>
      `${when} ${limit} log prefix "${logPrefix(entry.id, cut)}" group ${log.group}`;
    if (entry.verdict === "Deny")
      return [
        line("ct state 0x2 ct direction 0", "cut"),
        line("ct state 0x2 ct direction 1", "cut-reply"),
        line("ct state != 0x2"),
      ];
    // Connections that were judged before are not news.
    return audit === "all" ? [line("ct state 0x8")] : [];
  }
}

/** Going out, the destination has still to be asked; coming in, nobody has. */
export const allowing = ({ direction }: Pick<BookEntry, "direction">): string =>
  direction === "egress" ? `goto ${leaveChain}` : "goto stamp";
