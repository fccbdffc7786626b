import { hex, isCut, markField } from "../../ruleset/connection-mark.js";
import type { BookEntry, NodeOptions, PolicyModes } from "../../ruleset/program.js";
import { counterOf, type CutSide, logging, newCounterOf } from "../../ruleset/vocabulary.js";
import { mayLeave } from "../../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";

/** The end of a walk: a rule counts, logs, and gives the verdict, in a separate chain or directly after its match. */
export class Terminals {
  constructor(
    private readonly chains: ChainStore,
    private readonly options: NodeOptions,
  ) {}

  /** `goto …`, or `jump …` for a rule in shadow mode. */
  verdictOf(entry: BookEntry, audit: PolicyModes["audit"], ending = endingOf(entry)): string {
    const count = `counter name "${counterOf(entry.id)}"`;
    if (entry.shadow) return `jump ${this.chains.add("shadow", [count, ...this.log(entry, audit)])}`;
    switch (entry.verdict) {
      case "Pass":
        return `goto ${this.chains.add("pass", [count])}`;
      case "Allow":
        return `goto ${this.chains.add("allow", [...this.log(entry, audit), `${count} ${allowing(ending)}`])}`;
      case "Deny": {
        const [known, end] = this.options.shadow
          ? [[], allowing(ending)]
          : [[this.knownToBeCut], "goto deny"];
        return `goto ${this.chains.add("deny", [...known, count, ...this.log(entry, audit), end])}`;
      }
    }
  }

  /** A match and what follows it. If that is short, it is on the same line: calling a chain takes longer than counting. */
  behind(match: string, entry: BookEntry, audit: PolicyModes["audit"], ending = endingOf(entry)): string {
    const isShort = !entry.shadow && entry.verdict !== "Deny" && this.log(entry, audit).length === 0;
    if (match === "" || !isShort) return `${match}${this.verdictOf(entry, audit, ending)}`;
    const count = `${match}counter name "${counterOf(entry.id)}"`;
    if (entry.verdict === "Pass") return `${count} return`;
    return ending === "leave" ? `${count} ${mayLeave} return` : `${count} goto stamp`;
  }

  /** The counters of a rule. */
  countersOf(entry: BookEntry, audit: PolicyModes["audit"]): readonly string[] {
    const isLoggedWhenNew = entry.verdict !== "Deny" && this.log(entry, audit).length > 0;
    return isLoggedWhenNew ? [counterOf(entry.id), newCounterOf(entry.id)] : [counterOf(entry.id)];
  }

  /** An Allow by domain name: marks the connection, since the name may resolve to another address later. */
  byName(verdict: string): string {
    const { byName } = markField(this.options.connectionMask);
    return `goto ${this.chains.add("named", [`ct mark set ct mark | ${hex(byName)}`, verdict])}`;
  }

  /** Packets of a connection that earlier rules cut were counted and logged then. */
  private get knownToBeCut(): string {
    return `ct state 0x2 ${isCut(this.options.connectionMask)} goto deny`;
  }

  private log(entry: BookEntry, audit: PolicyModes["audit"]): readonly string[] {
    const { log } = this.options;
    // A Pass is not a decision; in shadow mode, it is logged what the rule would do.
    const isNoDecision = entry.verdict === "Pass" && !entry.shadow;
    if (log === undefined || audit === "none" || isNoDecision) return [];
    const line = (when: string, cut?: CutSide) => `${when} ${logging(log, entry.id, cut)}`;
    if (entry.verdict === "Deny")
      return [
        line("ct state 0x2 ct direction 0", "cut"),
        line("ct state 0x2 ct direction 1", "cut-reply"),
        line("ct state != 0x2"),
      ];
    // Connections that were judged before are not logged again. The counter before the limit shows how many lines it suppressed.
    return audit === "all" ? [line(`ct state 0x8 counter name "${newCounterOf(entry.id)}"`)] : [];
  }
}

/** Where an Allow leads: `leave`, another walk follows; `stamp`, it was the last one. */
export type Ending = "leave" | "stamp";

/** After egress, the walk of the destination follows; after ingress, none, unless pods share an address (S1.17). */
export const endingOf = ({ direction }: Pick<BookEntry, "direction">): Ending =>
  direction === "egress" ? "leave" : "stamp";

export const allowing = (ending: Ending): string => (ending === "leave" ? mayLeave : "goto stamp");
