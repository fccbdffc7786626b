import { grouped } from "../../collections/maps.js";
import type { ForeignChange } from "../../analysis/changes/foreign-changes.js";
import { isEveryAddress } from "../../analysis/changes/join-ranges.js";
import type { ChangedEndpoints, ChangeRow, StateChanges } from "../../analysis/changes/changes.js";
import type { PortGroup } from "../../analysis/matrix/port-groups.js";
import { formatParty, type Party } from "../../analysis/endpoints/party.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import { type Flow, formatEndpoint } from "../../evaluate/flow.js";
import { portText } from "../wording.js";
import type { Decider } from "../../evaluate/walk.js";
import { formatRange } from "../../net/region.js";
import { portGroupText } from "../port-groups-text.js";
import { deciderText, isolatorText } from "../explanation/rule-text.js";

/** What connections become, in the order of importance. */
export const changeSections: readonly { readonly verdict: Verdict; readonly title: string }[] = [
  { verdict: "Deny", title: "newly denied" },
  { verdict: "Allow", title: "newly allowed" },
  { verdict: "Undecided", title: "newly undecided" },
];

/** How parties are written: by name, or all of a kind together. */
export class PartyNames {
  private readonly inNamespace = new Map<string, number>();
  private readonly ofKind = new Map<string, number>();

  constructor(private readonly changes: Pick<StateChanges, "by" | "parties">) {
    for (const party of changes.parties) {
      add(this.ofKind, kindOf(party));
      if ("namespace" in party) add(this.inNamespace, party.namespace);
    }
  }

  /** `shop/cart, shop/web`, `shop/*`, `every workload`, `all external addresses`, and how many more than `most` there are. */
  of(ends: ChangedEndpoints, most = Infinity): string {
    const names = ends.kind === "external" ? rangesText(ends) : this.partiesText(ends.parties);
    const rest = names.length - most;
    return rest > 1 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
  }

  private partiesText(parties: readonly Party[]): readonly string[] {
    const [nodes, others] = [parties.filter(isNode), parties.filter((party) => !isNode(party))];
    return [
      ...this.whole(others, "inside", `every ${this.changes.by}`),
      ...this.whole(nodes, "node", "every node"),
    ];
  }

  private whole(parties: readonly Party[], kind: string, every: string): readonly string[] {
    if (parties.length > 1 && parties.length === this.ofKind.get(kind)) return [every];
    const namespaceOf = (party: Party) => ("namespace" in party ? party.namespace : formatParty(party));
    return [...grouped(parties, namespaceOf)].flatMap(([namespace, its]) =>
      its.length > 1 && its.length === this.inNamespace.get(namespace)
        ? [`${namespace}/*`]
        : its.map(formatParty),
    );
  }
}

const isNode = ({ kind }: Party): boolean => kind === "node";
const kindOf = (party: Party): string => (isNode(party) ? "node" : "inside");
const add = (counts: Map<string, number>, key: string): unknown =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

function rangesText({ ranges }: Extract<ChangedEndpoints, { kind: "external" }>): readonly string[] {
  if (ranges.length === 2 && ranges.every(isEveryAddress)) return ["all external addresses"];
  return ranges.map(({ family, first, last }) => formatRange(family, first, last));
}

/** ` :80,443/TCP ICMP`, or ` on every port`: to be appended to the endpoints. */
export function portsText(groups: readonly PortGroup[]): string {
  if (groups.some(({ protocol }) => protocol === "any")) return " on every port";
  return ` ${groups.map((group) => `${startsWithNumber(group) ? ":" : ""}${portGroupText(group)}`).join(" ")}`;
}

const startsWithNumber = (group: PortGroup): boolean => /^\d/.test(portGroupText(group));

/** `shop/web → shop/api :80/TCP over IPv6`. */
export function flowText(flow: Flow): string {
  const over = flow.family === 6 ? " over IPv6" : "";
  return `${formatEndpoint(flow.source)} → ${formatEndpoint(flow.destination)} ${portText(flow)}${over}`;
}

export interface Responsible {
  readonly text: string;
  readonly deciders: readonly Decider[];
  /** Whether they decided before the change. */
  readonly areFormer?: true;
}

/** The deciders that are responsible for a change: one text for all that belongs together. */
export function responsibleFor({ after, decided }: ChangeRow): Responsible {
  const sides = decided.map((one) => ({ ...one, deciders: one.after.deciders }));
  if (after === "Deny") {
    const deciders = sides.flatMap((one) => (one.after.verdict === "Deny" ? one.deciders : []));
    return { text: `by ${whoText(deciders)}`, deciders };
  }
  if (after === "Undecided") {
    const deciders = sides.flatMap((one) => (one.after.verdict === "Undecided" ? one.deciders : []));
    return { text: `depends on missing information; decided by ${whoText(deciders, " or ")}`, deciders };
  }
  const now = sides.flatMap(({ deciders }) => deciders.filter(({ kind }) => kind === "rule"));
  if (now.length > 0) return { text: `by ${whoText(now)}`, deciders: now };
  const then = decided.flatMap(({ before }) => (before.verdict === "Allow" ? [] : before.deciders));
  return { text: `no longer denied by ${whoText(then)}`, deciders: then, areFormer: true };
}

/** `was allowed by default`; undefined if the responsible rules are those of before. */
export function beforeText(row: ChangeRow): string | undefined {
  const { before, decided } = row;
  if (responsibleFor(row).areFormer) return undefined;
  const verb = { Allow: "was allowed by", Deny: "was denied by", Undecided: "was undecided:" }[before];
  const relevant = decided.filter((one) => before !== "Deny" || one.before.verdict === "Deny");
  const who = whoText(
    relevant.flatMap((one) => one.before.deciders),
    before === "Undecided" ? " or " : " and ",
  );
  return `${verb} ${who}`;
}

/** Deciders with their places, each once; the default only if there are no others. */
export function whoText(deciders: readonly Decider[], between = " and "): string {
  const texts = [...new Set(deciders.map(oneText))];
  const relevant = between === " or " ? texts : texts.filter((text) => text !== "default");
  return (relevant.length > 0 ? relevant : texts).join(between);
}

function oneText(by: Decider): string {
  return by.kind === "isolation"
    ? by.isolation.map(({ origin }) => isolatorText(origin, " (isolation)")).join(", ")
    : deciderText(by);
}

/** Rows by responsible rules, those with most connections first. */
export function byResponsible(
  rows: readonly ChangeRow[],
): readonly { readonly text: string; readonly connections: number; readonly rows: readonly ChangeRow[] }[] {
  return Array.from(
    grouped(rows, (row) => responsibleFor(row).text),
    ([text, its]) => ({
      text,
      connections: its.reduce((sum, { connections }) => sum + connections, 0),
      rows: its,
    }),
  ).toSorted((a, b) => b.connections - a.connections);
}

/** The consequence, to be printed after `not evaluated`. */
export const foreignChangeText = ({ object, change }: ForeignChange): string =>
  `${object} was ${change}: connections that depend on it may be allowed or denied differently`;
