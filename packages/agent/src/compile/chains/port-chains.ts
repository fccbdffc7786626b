import type { BookEntry } from "../../ruleset/program.js";
import { sameList } from "../../ruleset/equality.js";
import type { ChainStore } from "./chain-store.js";
import { openPorts, type Orientation, portMatches } from "./port-lines.js";
import type { RuleBook } from "../rules/rule-book.js";
import type { Item, PlainPort } from "../rules/rule-reach.js";
import type { Ending, Terminals } from "./terminals.js";

/** The part of a tier for one peer: the ports, in the order of the rules. */
export class PortChains {
  private readonly known = new Map<string, string | undefined>();

  constructor(
    private readonly chains: ChainStore,
    private readonly terminals: Terminals,
    private readonly book: RuleBook,
  ) {}

  /** The verdict for packets of this peer; undefined if the tier does not decide. */
  verdictFor(items: readonly Item[], isolation: readonly BookEntry[], ending?: Ending): string | undefined {
    const ids = isolation.map(({ id }) => id).join();
    const key = `${items.map(({ number }) => number).join()} ${ids} ${ending ?? ""}`;
    if (!this.known.has(key)) this.known.set(key, this.compute(items, isolation, ending));
    return this.known.get(key);
  }

  /** `ending`: where an Allow leads, if not to the default. */
  compute(items: readonly Item[], isolation: readonly BookEntry[], ending?: Ending): string | undefined {
    const original = this.lines(items, isolation, "original", false, ending);
    const reply = this.lines(items, isolation, "reply", false, ending);
    const [only] = original;
    if (sameList(original, reply)) {
      if (only === undefined) return undefined;
      if (original.length === 1 && only.startsWith("goto ")) return only;
      return `goto ${this.chains.add("ports", original)}`;
    }
    const replies = reply.length === 0 ? "return" : `goto ${this.chains.add("ports", reply)}`;
    return `goto ${this.chains.add("ports", [`ct direction 1 ${replies}`, ...original])}`;
  }

  /** `softened`: it is unknown whether an earlier rule passes to the next tier; then an Allow is not final. */
  private lines(
    items: readonly Item[],
    isolation: readonly BookEntry[],
    orientation: Orientation,
    softened: boolean,
    ending: Ending | undefined,
  ): readonly string[] {
    const lines: string[] = [];
    const decided: PlainPort[] = [];
    for (const [i, item] of items.entries()) {
      const { entry, modes } = item.record;
      const ports = portMatches(openPorts(item.ports, decided), orientation);
      const decides = item.names.length === 0 && !entry.shadow;
      if (decides && item.ports !== "every") decided.push(...item.ports);
      if (item.uncertain && !entry.shadow) {
        const rest = this.lines(items.slice(i + 1), isolation, orientation, true, ending);
        const verdict = rest.length === 0 ? "return" : `goto ${this.chains.add("ports", rest)}`;
        for (const match of ports) lines.push(`${match}${verdict}`);
      } else {
        const isSoft = softened && entry.verdict === "Allow" && !entry.shadow;
        if (item.names.length === 0)
          for (const match of ports)
            lines.push(isSoft ? `${match}return` : this.terminals.behind(match, entry, modes.audit, ending));
        else {
          const verdict = isSoft ? "return" : this.terminals.verdictOf(entry, modes.audit, ending);
          lines.push(...this.named(item, ports, orientation, verdict));
        }
      }
      // No packet reaches a line after this one.
      if (/^(goto|return)\b/.test(lines.at(-1) ?? "")) return lines;
    }
    for (const entry of isolation.toSorted((a, b) => Number(b.shadow) - Number(a.shadow)))
      lines.push(this.terminals.verdictOf(entry, this.auditOf(entry), ending));
    return lines;
  }

  private named(
    { names, record: { entry } }: Item,
    ports: readonly string[],
    orientation: Orientation,
    verdict: string,
  ): readonly string[] {
    const named = verdict === "return" || entry.shadow ? verdict : this.terminals.byName(verdict);
    return names.flatMap(({ fresh, kept }) =>
      ([4, 6] as const).flatMap((family) => {
        const ip = family === 4 ? "ip" : "ip6";
        const pair = orientation === "original" ? `${ip} saddr . ${ip} daddr` : `${ip} daddr . ${ip} saddr`;
        return ports.flatMap((match) => [
          `${pair} @${fresh[family]} ${match}${named}`,
          // S8.4: connections outlive the elements that allowed them.
          `ct state 0x2 ${pair} @${kept[family]} ${match}${named}`,
        ]);
      }),
    );
  }

  private auditOf({ by }: BookEntry): "denied" | "none" {
    return by.kind === "isolation" && this.book.auditOfIsolation(by.isolation) === "none" ? "none" : "denied";
  }
}
