import { sameList } from "../../ruleset/equality.js";
import type { BookEntry } from "../../ruleset/program.js";
import type { RuleBook } from "../rules/rule-book.js";
import type { Item, PlainPort } from "../rules/rule-reach.js";
import type { ChainStore } from "./chain-store.js";
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

/** Packets in the direction in which the connection was opened, or replies. */
type Orientation = "original" | "reply";

/** The ICMP type of the reply to a query; other types have no replies. */
const icmpReply: ReadonlyMap<number, number> = new Map([
  [8, 0],
  [13, 14],
  [15, 16],
  [17, 18],
  [128, 129],
  [139, 140],
]);

/** The nft expressions that match these ports; an empty one for every port. */
export function portMatches(
  ports: "every" | readonly PlainPort[],
  orientation: Orientation,
): readonly string[] {
  if (ports === "every") return [""];
  return [...new Set(ports.flatMap((port) => portMatch(port, orientation)))];
}

function portMatch(port: PlainPort, orientation: Orientation): readonly string[] {
  if (port.kind === "range") {
    const numbers = port.first === port.last ? `${port.first}` : `${port.first}-${port.last}`;
    return [`${port.protocol.toLowerCase()} ${orientation === "original" ? "dport" : "sport"} ${numbers} `];
  }
  // S7.11: type 0 is every type.
  if (port.type === 0) return [`meta l4proto ${port.family === 4 ? 1 : 58} `];
  const type = orientation === "original" ? port.type : icmpReply.get(port.type);
  return type === undefined ? [] : [`${port.family === 4 ? "icmp" : "icmpv6"} type ${type} `];
}

/** The ports that no earlier line decides. Lines for the others would be unreachable, and only make chains differ. */
export function openPorts(
  ports: "every" | readonly PlainPort[],
  decided: readonly PlainPort[],
): "every" | readonly PlainPort[] {
  if (ports === "every" || decided.length === 0) return ports;
  return ports.filter((port) => !decided.some((other) => covers(other, port)));
}

function covers(outer: PlainPort, inner: PlainPort): boolean {
  if (outer.kind === "range")
    return (
      inner.kind === "range" &&
      outer.protocol === inner.protocol &&
      outer.first <= inner.first &&
      outer.last >= inner.last
    );
  // S7.11: type 0 is every type.
  return (
    inner.kind === "icmp" && outer.family === inner.family && (outer.type === 0 || outer.type === inner.type)
  );
}
