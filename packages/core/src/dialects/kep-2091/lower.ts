import type { Path } from "../../diagnostics/place.js";
import { toMatch } from "../../labels/requirement.js";
import { type Lowered, type PlacedRule, ranks } from "../../policy/assemble.js";
import {
  type Action,
  type Direction,
  directions,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  type PodSet,
  type PortMatch,
} from "../../policy/model.js";
import {
  failClosed,
  type LowerContext,
  notEnforced,
  originOf,
  placedRules,
  unreadableParts,
} from "../dialect.js";
import type { Policy, Spec, KepPeer, KepPort, WrittenRule } from "./schema.js";

type WrittenNamespaceSet = NonNullable<KepPeer["namespaces"]>;
type WrittenPodSet = NonNullable<KepPeer["namespacedPods"]>["pods"];

/** What all rules of one policy share. */
interface PolicyPart {
  readonly subject: PodSelection;
  readonly priority: number;
  readonly context: LowerContext;
}

/** Section 5: ordered rules before NetworkPolicy, or after it at priority zero. S5.10: no isolation. */
export function lowerKepAdminNetworkPolicy({ spec }: Policy, context: LowerContext): Lowered {
  // An object of a cluster may lack any field, whatever the types say.
  const given: Partial<Spec> = spec ?? {};
  if (given.subject === undefined || context.unreadable(["spec", "subject"]))
    return notEnforced(context, ["spec", "subject"], "its subject");
  if (given.priority === undefined || context.unreadable(["spec", "priority"]))
    return notEnforced(context, ["spec", "priority"], "its priority");
  const part: PolicyPart = { subject: lowerSubject(given.subject), priority: given.priority, context };
  const rules = directions.flatMap((direction) =>
    placedRules<WrittenRule>(given[direction], ["spec", direction], context).map(({ rule = {}, path }) =>
      lowerRule(rule, direction, path, part),
    ),
  );
  return { rules, isolation: [] };
}

function lowerSubject({ namespaceSelector, namespaceAndPodSelector }: Spec["subject"]): PodSelection {
  return {
    namespaces: toMatch(namespaceSelector ?? namespaceAndPodSelector?.namespaceSelector ?? {}),
    // S5.6: a missing podSelector from a cluster is `{}`.
    pods: toMatch(namespaceAndPodSelector?.podSelector ?? {}),
  };
}

function lowerRule(
  written: Partial<WrittenRule>,
  direction: Direction,
  path: Path,
  { subject, priority, context }: PolicyPart,
): PlacedRule {
  const unreadable = unreadableParts(context, path, ["from", "to", "l4Selector"]);
  const { action = "Deny" } = written;
  // S5.1: the larger number comes first.
  const precedence = 1000 - priority;
  const name = written.name === "" ? undefined : written.name;
  const origin = { ...originOf(context, direction, path, name), precedence };
  const draft =
    unreadable.length > 0
      ? { subject, action, peers: [], ports: [], origin }
      : { ...lowerMatch(written as WrittenRule, direction, path, context), subject, action, origin };
  warnOfPassAtZero(action, priority, path, context);
  return {
    // S5.1: zero comes after NetworkPolicy.
    tier: priority > 0 ? "admin" : "baseline",
    rank: ranks.only,
    precedence,
    rule: failClosed(draft, written.action !== undefined, unreadable),
  };
}

/** Peers and ports of a rule that is understood. */
function lowerMatch(written: WrittenRule, direction: Direction, path: Path, context: LowerContext) {
  const field = direction === "ingress" ? "from" : "to";
  const peers = (written as Partial<Record<typeof field, readonly KepPeer[]>>)[field];
  warnOfDeadPeers(peers, [...path, field], context);
  warnOfDeadPorts(written.l4Selector.ports, [...path, "l4Selector", "ports"], context);
  const { allPorts, ports = [] } = written.l4Selector;
  return {
    // S5.6: no peers match nothing.
    peers: (peers ?? []).map(lowerPeer),
    // S5.5: nor do no ports.
    ports: allPorts === true ? ("every" as const) : ports.flatMap(lowerPort),
  };
}

// S5.7: always pods, so that nothing outside the cluster's own network matches.
function lowerPeer({ namespaces, namespacedPods }: KepPeer): Peer {
  const set = namespacedPods?.namespaces ?? namespaces;
  return {
    kind: "pods",
    namespaces: lowerNamespaceSet(set ?? {}),
    // Without pods of their own, all of them.
    pods: lowerLabelSet(namespacedPods?.pods ?? { podSelector: {} }),
  };
}

function lowerNamespaceSet(set: WrittenNamespaceSet): NamespaceSet {
  if (set.self) return { kind: "self" };
  if (set.notSelf) return { kind: "not-self" };
  return lowerLabelSet(set);
}

// S5.4
function lowerLabelSet(set: Pick<WrittenNamespaceSet, "namespaceSelector"> & WrittenPodSet): PodSet {
  const { namespaceSelector, podSelector, sameLabels, notSameLabels } = set;
  const selector = namespaceSelector ?? podSelector;
  if (selector !== undefined) return { kind: "selector", match: toMatch(selector) };
  if (notSameLabels !== undefined) return { kind: "not-same-labels", keys: notSameLabels };
  return { kind: "same-labels", keys: sameLabels ?? [] };
}

// S5.5: without `port`, nothing.
function lowerPort({ protocol = "TCP", port, endPort }: KepPort): readonly PortMatch[] {
  if (port === undefined) return [];
  if (typeof port === "string") return [{ kind: "named", name: port, protocol }];
  return [{ kind: "range", protocol, first: port, last: endPort ?? port }];
}

// S5.2
function warnOfPassAtZero(action: Action, priority: number, path: Path, context: LowerContext): void {
  if (action !== "Pass" || priority > 0) return;
  context.warn({
    code: "TW2008",
    path: [...path, "action"],
    at: "value",
    message: "`Pass` at priority 0 skips only the rest of the baseline",
    hint: "KEP-2091 defines `Pass` for positive priorities only; implementations may differ.",
  });
}

/*
 * Parts that are valid and match nothing, while similar ones in a NetworkPolicy would
 * match everything.
 */

// S5.6
function warnOfDeadPeers(peers: readonly KepPeer[] | undefined, path: Path, context: LowerContext): void {
  const field = String(path.at(-1));
  const hint = `For every pod of the cluster, write \`${field}: [{namespaces: {namespaceSelector: {}}}]\`.`;
  if (peers === undefined)
    warn(context, path.slice(0, -1), `\`${field}\` is missing, so this rule matches nothing`, hint);
  if (peers?.length === 0) warn(context, path, `\`${field}\` is empty, so this rule matches nothing`, hint);
  for (const [i, peer] of (peers ?? []).entries())
    for (const where of emptyLabelSets(peer))
      warn(
        context,
        [...path, i, ...where],
        `\`${where.at(-1)}\` is empty, so this peer matches nothing`,
        "List the label keys to compare.",
      );
}

// S5.4: an empty list selects nothing.
function emptyLabelSets({ namespaces, namespacedPods }: KepPeer): readonly string[][] {
  const sets: readonly (readonly [string[], object | undefined])[] = [
    [["namespaces"], namespaces],
    [["namespacedPods", "namespaces"], namespacedPods?.namespaces],
    [["namespacedPods", "pods"], namespacedPods?.pods],
  ];
  return sets.flatMap(([path, set]) =>
    Object.entries(set ?? {})
      .filter(([, value]) => Array.isArray(value) && value.length === 0)
      .map(([key]) => [...path, key]),
  );
}

// S5.5
function warnOfDeadPorts(ports: readonly KepPort[] | undefined, path: Path, context: LowerContext): void {
  if (ports?.length === 0)
    warn(
      context,
      path,
      "`ports` is empty, so this rule matches nothing",
      "For every port, write `allPorts: true` instead.",
    );
  for (const [i, { port }] of (ports ?? []).entries())
    if (port === undefined)
      warn(
        context,
        [...path, i],
        "this entry has no `port`, so it matches nothing",
        "For every port of a protocol, write `port: 1` and `endPort: 65535`.",
      );
}

function warn(context: LowerContext, path: Path, message: string, hint: string): void {
  context.warn({
    code: "TW2013",
    path,
    at: typeof path.at(-1) === "number" ? "value" : "key",
    message,
    hint,
  });
}
