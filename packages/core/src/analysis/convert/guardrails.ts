import { isSatisfiable } from "../../labels/satisfiable.js";
import type { LabelMatch } from "../../labels/requirement.js";
import { ranks } from "../../policy/assemble.js";
import { formatRule } from "../../policy/describe.js";
import {
  formatPolicy,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  podsPeer,
  type PortMatch,
} from "../../policy/model.js";
import type { PolicyDefinition } from "../../state/state.js";
import { type Draft, type DraftRule, draftsOf, isEmptyDraft, type Sourced } from "./draft.js";
import type { Findings } from "./findings.js";

/*
 * The first draft's Empower, Deny and Allow (S6.1) as one ordered list. What is empowered skips the denies only, and still
 * meets the allows, and then tier admin; a Pass would skip these too. So what they say about empowered traffic comes first:
 *
 *   allows and admin rules, for empowered traffic │ Pass what is empowered │ denies │ allows │ admin rules
 */

/** The drafts of a first-draft policy, by their part of the order. */
export function guardrailsOf(definition: PolicyDefinition): {
  readonly empower: readonly Draft[];
  readonly deny: readonly Draft[];
  readonly allow: readonly Draft[];
} {
  const { rules } = definition.lowered;
  const actions = new Set(rules.map(({ tier, rank }) => `${tier} ${rank}`));
  const suffix = (name: string) => (actions.size > 1 ? [name] : []);
  const ofRank = (rank: number, name: string) =>
    draftsOf(definition, (placed) => placed.tier === "guardrail" && placed.rank === rank, suffix(name));
  return {
    empower: ofRank(ranks.guardrail.empower, "empower"),
    deny: ofRank(ranks.guardrail.deny, "deny"),
    allow: draftsOf(definition, ({ tier }) => tier === "guardrail-allow", suffix("allow")),
  };
}

/** What a later draft says about empowered traffic; undefined where the two never meet. */
export function forEmpowered(later: Draft, empower: Draft, findings: Findings): Draft | undefined {
  const subject = bothSubjects(later.subject, empower.subject);
  if (subject === undefined) return undefined;
  const meet = (direction: "ingress" | "egress") =>
    later.rules[direction].flatMap((rule) =>
      empower.rules[direction].flatMap((other) => bothRules(rule, other, findings)),
    );
  const draft = {
    ...later,
    suffixes: [...later.suffixes, "empowered"],
    subject,
    rules: { ingress: meet("ingress"), egress: meet("egress") },
    remarks: [
      ...later.remarks,
      `The rules of ${later.definition.policy.name} for traffic that ${empower.definition.policy.name} empowers.`,
    ],
  };
  return isEmptyDraft(draft) ? undefined : draft;
}

function bothSubjects(a: PodSelection, b: PodSelection): PodSelection | undefined {
  const [namespaces, pods] = [both(a.namespaces, b.namespaces), both(a.pods, b.pods)];
  return namespaces && pods && { namespaces, pods };
}

/** Undefined if nothing can satisfy both. */
function both(a: LabelMatch, b: LabelMatch): LabelMatch | undefined {
  const keys = new Set(a.map((requirement) => JSON.stringify(requirement)));
  const match = [...a, ...b.filter((requirement) => !keys.has(JSON.stringify(requirement)))];
  return isSatisfiable(match) ? match : undefined;
}

function bothRules(rule: DraftRule, other: DraftRule, findings: Findings): readonly DraftRule[] {
  // This may affect no connection: the proof shows whether it does.
  const cannot = () =>
    findings.remark(
      `one rule cannot express it for traffic that ${formatPolicy(other.origin.policy)} empowers; that part is omitted`,
      formatRule(rule.origin),
    );
  const peers = rule.peers.flatMap((a) =>
    other.peers.flatMap((b): readonly Sourced<Peer>[] => {
      const met = bothPeers(a.what, b.what);
      if (met === "inexpressible") cannot();
      return met === "inexpressible" || met === undefined ? [] : [{ what: met, from: a.from }];
    }),
  );
  const ports = bothPorts(rule.ports, other.ports);
  if (ports === "inexpressible") cannot();
  if (peers.length === 0 || ports === "inexpressible" || ports.length === 0) return [];
  return [{ ...rule, peers, ports }];
}

function bothPeers(a: Peer, b: Peer): Peer | "inexpressible" | undefined {
  if (a.kind === "everything") return b;
  if (b.kind === "everything") return a;
  if (a.kind === "nodes" && b.kind === "pods") return undefined;
  if (a.kind !== "pods" || b.kind !== "pods") return "inexpressible";
  const namespaces = bothSets(a.namespaces, b.namespaces);
  const pods = bothSets(a.pods, b.pods);
  if (namespaces === "inexpressible" || pods === "inexpressible") return "inexpressible";
  if (namespaces === undefined || pods === undefined) return undefined;
  return podsPeer(namespaces, pods);
}

function bothSets(a: NamespaceSet, b: NamespaceSet): LabelMatch | "inexpressible" | undefined {
  return a.kind === "selector" && b.kind === "selector" ? both(a.match, b.match) : "inexpressible";
}

function bothPorts(a: DraftRule["ports"], b: DraftRule["ports"]): DraftRule["ports"] | "inexpressible" {
  if (a === "every") return b;
  if (b === "every") return a;
  const met: Sourced<PortMatch>[] = [];
  for (const { what: x, from } of a)
    for (const { what: y } of b) {
      const one = bothPort(x, y);
      if (one === "inexpressible") return one;
      if (one !== undefined) met.push({ what: one, from });
    }
  return met;
}

function bothPort(a: PortMatch, b: PortMatch): PortMatch | "inexpressible" | undefined {
  if (a.kind === "range" && b.kind === "range") {
    const [first, last] = [Math.max(a.first, b.first), Math.min(a.last, b.last)];
    return a.protocol === b.protocol && first <= last ? { ...a, first, last } : undefined;
  }
  // One name: two may be names of one port.
  if (a.kind === "named" && b.kind === "named" && a.name === b.name)
    return a.protocol === undefined || b.protocol === undefined || a.protocol === b.protocol
      ? { ...a, ...b }
      : undefined;
  return "inexpressible";
}
