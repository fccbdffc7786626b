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
  podsPeer,
  type Rule,
} from "../../policy/model.js";
import {
  failClosed,
  isolating,
  type LowerContext,
  notEnforced,
  originOf,
  placedRules,
  unreadableParts,
} from "../dialect.js";
import { lowerPolicyPorts } from "../policy-port.js";
import type {
  AppliedTo,
  ClusterDefaultNetworkPolicy,
  ClusterNetworkPolicy,
  DraftPeer,
  DraftPort,
} from "./schema.js";

const subjectPath = ["spec", "appliedTo"] as const;

/** A rule of either kind, as far as it could be read. */
interface WrittenRule {
  readonly action?: keyof typeof actions;
  readonly from?: readonly DraftPeer[];
  readonly to?: readonly DraftPeer[];
  readonly ports?: readonly DraftPort[];
}

const actions = { Empower: "Pass", Deny: "Deny", Allow: "Allow" } as const satisfies Record<string, Action>;

/** S6.1: Empower, Deny and Allow rules, each kind together whatever policy they are in. */
export function lowerClusterNetworkPolicy({ spec }: ClusterNetworkPolicy, context: LowerContext): Lowered {
  const subject = lowerSubject(spec, context);
  if (subject === undefined) return notEnforced(context, subjectPath, "its `appliedTo`");
  return {
    rules: directions.flatMap((direction) =>
      placedRules<WrittenRule>(spec[direction], ["spec", direction], context).map(({ rule = {}, path }) =>
        lowerGuardrail(rule, direction, path, subject, context),
      ),
    ),
    isolation: [],
  };
}

/*
 * The order of Empower rules must not matter (S6.1), so one that fails closed comes before all of them: by its
 * place alone it would deny or not, depending on the names of policies. The same for an action that is not
 * known, which may be anything.
 */
function lowerGuardrail(
  written: WrittenRule,
  direction: Direction,
  path: Path,
  subject: PodSelection,
  context: LowerContext,
): PlacedRule {
  const action = written.action && actions[written.action];
  const rule = lowerRule(written, action, direction, path, subject, context);
  if (action === "Allow") return { tier: "guardrail-allow", rank: ranks.only, precedence: 0, rule };
  const { deny, empower } = ranks.guardrail;
  if (action === "Deny") return { tier: "guardrail", rank: deny, precedence: 0, rule };
  return { tier: "guardrail", rank: empower, precedence: rule.failedClosed === undefined ? 0 : -1, rule };
}

/** S6.5: rules allow, and the subject is isolated in each direction whose key is in the spec. */
export function lowerClusterDefaultNetworkPolicy(
  { spec }: ClusterDefaultNetworkPolicy,
  context: LowerContext,
): Lowered {
  const subject = lowerSubject(spec, context);
  if (subject === undefined) return notEnforced(context, subjectPath, "its `appliedTo`");
  const present = directions.filter((direction) => direction in spec);
  return {
    rules: present.flatMap((direction) =>
      (spec[direction] ?? []).map((written, i): PlacedRule => {
        const rule = lowerRule(written ?? {}, "Allow", direction, ["spec", direction, i], subject, context);
        return { tier: "cluster-default", rank: ranks.only, precedence: 0, rule };
      }),
    ),
    isolation: present.map((direction) => isolating(context, "cluster-default", direction, subject)),
  };
}

// S6.2; an object of a cluster may lack any field, whatever the types say.
function lowerSubject(
  spec: { readonly appliedTo?: AppliedTo } | undefined,
  context: LowerContext,
): PodSelection | undefined {
  const appliedTo: Partial<AppliedTo> | undefined = spec?.appliedTo;
  if (appliedTo?.namespaceSelector === undefined || context.unreadable(subjectPath)) return undefined;
  return { namespaces: toMatch(appliedTo.namespaceSelector), pods: toMatch(appliedTo.podSelector ?? {}) };
}

function lowerRule(
  written: WrittenRule,
  action: Action | undefined,
  direction: Direction,
  path: Path,
  subject: PodSelection,
  context: LowerContext,
): Rule {
  const unreadable = unreadableParts(context, path, ["from", "to", "ports"]);
  const draft = { subject, action: action ?? "Deny", origin: originOf(context, direction, path) };
  if (unreadable.length > 0)
    return failClosed({ ...draft, peers: [], ports: [] }, action !== undefined, unreadable);
  const field = direction === "ingress" ? "from" : "to";
  const peers = written[field] ?? [];
  for (const [i, peer] of peers.entries()) warnOfEmptyLabels(peer, [...path, field, i], context);
  return {
    ...draft,
    // S6.3: a missing or empty list is everything, external addresses included.
    peers: peers.length === 0 ? [{ kind: "everything" }] : peers.map(lowerPeer),
    ports: lowerPolicyPorts(written.ports ?? []),
  };
}

function lowerPeer({ podSelector, namespaceSelector, namespaces }: DraftPeer): Peer {
  const peer = podsPeer(toMatch(namespaceSelector ?? {}), toMatch(podSelector ?? {}));
  return namespaces ? { ...peer, namespaces: lowerNamespaces(namespaces) } : peer;
}

// S6.4, S5.4
function lowerNamespaces({ scope, labels, selector }: NonNullable<DraftPeer["namespaces"]>): NamespaceSet {
  switch (scope) {
    case "Self":
      return { kind: "self" };
    case "Selector":
      return { kind: "selector", match: toMatch(selector ?? {}) };
    case "SameLabels":
      return { kind: "same-labels", keys: labels ?? [] };
  }
}

// S5.4: an empty list selects nothing.
function warnOfEmptyLabels({ namespaces }: DraftPeer, path: Path, context: LowerContext): void {
  if (namespaces?.labels?.length !== 0) return;
  context.warn({
    code: "TW2013",
    path: [...path, "namespaces", "labels"],
    at: "key",
    message: "`labels` is empty, so this peer matches nothing",
    hint: "List the label keys to compare.",
  });
}
