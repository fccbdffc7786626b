import { grouped } from "../../collections/maps.js";
import type { PortSet } from "../../analysis/explain/port-verdicts.js";
import { portRanges } from "./explanation-json.js";
import { deciderText } from "./rule-text.js";

/** Ports that get the same verdict for the same reason. */
export interface PortRow {
  readonly verdict: PortSet["verdict"];
  /** `TCP 80, 443, UDP all`. */
  readonly ports: string;
  readonly reason: string;
}

/** All ports of a pair, allowed ones first. */
export function portRows(sets: readonly PortSet[]): readonly PortRow[] {
  const order = { Allow: 0, Undecided: 1, Deny: 2 };
  const alike = grouped(sets, (set) => `${set.verdict} ${reasonText(set)}`);
  return Array.from(alike.values(), (its) => ({
    verdict: its[0].verdict,
    ports: portsText(its),
    reason: reasonText(its[0]),
  })).toSorted((a, b) => order[a.verdict] - order[b.verdict]);
}

function portsText(sets: readonly PortSet[]): string {
  const texts = Array.from(
    grouped(sets, ({ protocol }) => protocol),
    ([protocol, its]) =>
      protocol === "ICMP" ? "ICMP" : `${protocol} ${portRanges(joined(its.flatMap(({ ranges }) => ranges)))}`,
  );
  return texts.join() === "TCP all,UDP all,SCTP all,ICMP"
    ? "everything"
    : texts.join(", ").replace(/,(?=\S)/g, ", ");
}

/** Ranges in order, neighbours as one. */
function joined(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const result: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = result.at(-1);
    if (previous !== undefined && previous[1] === first - 1) previous[1] = last;
    else result.push([first, last]);
  }
  return result;
}

/** The deciders: of both directions if allowed, of the denying one if not. */
function reasonText({ connection: { egress, ingress } }: PortSet): string {
  const denier = [egress, ingress].find((walk) => walk.verdict === "Deny");
  const walks = denier === undefined ? [egress, ingress] : [denier];
  const reasons = [...new Set(walks.flatMap((walk) => walk.decisions.map(({ by }) => deciderText(by))))];
  const deciding = reasons.length > 1 ? reasons.filter((reason) => reason !== "default") : reasons;
  const missing = walks.flatMap((walk) => walk.missing.map((fact) => `unknown: ${fact.text}`));
  const conditions = walks.flatMap((walk) => walk.decisions.flatMap((decision) => decision.conditions));
  return [...deciding, ...new Set(conditions), ...new Set(missing)].join("; ");
}
