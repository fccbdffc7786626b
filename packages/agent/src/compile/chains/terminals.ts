import { hex, isCut, markField } from "../../ruleset/connection-mark.js";
import type { BookEntry, NodeOptions, PolicyModes } from "../../ruleset/program.js";
import { counterOf, type CutSide, logging, newCounterOf } from "../../ruleset/vocabulary.js";
import { mayLeave } from "../../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";

/** Where walks end: each rule counts, logs, and gives the verdict, in a chain of its own or where it was matched. */
export class Terminals {
  constructor(
    private readonly chains: ChainStore,
    private readonly options: NodeOptions,
  ) {}

  /** `goto …`, or for what is only watched `jump …`. */
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

  /** What a rule does with those who match. Where it is short it stands right there: to call a chain takes longer than to count. */
  behind(match: string, entry: BookEntry, audit: PolicyModes["audit"], ending = endingOf(entry)): string {
    const isShort = !entry.shadow && entry.verdict !== "Deny" && this.log(entry, audit).length === 0;
    if (match === "" || !isShort) return `${match}${this.verdictOf(entry, audit, ending)}`;
    const count = `${match}counter name "${counterOf(entry.id)}"`;
    if (entry.verdict === "Pass") return `${count} return`;
    return ending === "leave" ? `${count} ${mayLeave} return` : `${count} goto stamp`;
  }

  /** All that a rule counts in. */
  countersOf(entry: BookEntry, audit: PolicyModes["audit"]): readonly string[] {
    const isLoggedWhenNew = entry.verdict !== "Deny" && this.log(entry, audit).length > 0;
    return isLoggedWhenNew ? [counterOf(entry.id), newCounterOf(entry.id)] : [counterOf(entry.id)];
  }

  /** An Allow by domain name: the connection remembers, since the name may resolve to something else later. */
  byName(verdict: string): string {
    const { byName } = markField(this.options.connectionMask);
    return `goto ${this.chains.add("named", [`ct mark set ct mark | ${hex(byName)}`, verdict])}`;
  }

  /** What still comes of a connection that rules before these have cut was counted and logged then. */
  private get knownToBeCut(): string {
    return `ct state 0x2 ${isCut(this.options.connectionMask)} goto deny`;
  }

  private log(entry: BookEntry, audit: PolicyModes["audit"]): readonly string[] {
    const { log } = this.options;
    // A Pass decides nothing; of a policy that is only watched it is said what it would do.
    const isNoDecision = entry.verdict === "Pass" && !entry.shadow;
    if (log === undefined || audit === "none" || isNoDecision) return [];
    const line = (when: string, cut?: CutSide) => `${when} ${logging(log, entry.id, cut)}`;
    if (entry.verdict === "Deny")
      return [
        line("ct state 0x2 ct direction 0", "cut"),
        line("ct state 0x2 ct direction 1", "cut-reply"),
        line("ct state != 0x2"),
      ];
    // Connections that were judged before are not news. What the limit leaves out is known by what was counted before it.
    return audit === "all" ? [line(`ct state 0x8 counter name "${newCounterOf(entry.id)}"`)] : [];
  }
}

/** What an Allow leads to: `leave`, another walk has still to be made; `stamp`, it was the last one. */
export type Ending = "leave" | "stamp";

/** Going out, the destination has still to be asked; coming in, no other end has, unless pods share an address (S1.17). */
export const endingOf = ({ direction }: Pick<BookEntry, "direction">): Ending =>
  direction === "egress" ? "leave" : "stamp";

export const allowing = (ending: Ending): string => (ending === "leave" ? mayLeave : "goto stamp");
