import type { Cluster, Namespace, Pod } from "../../cluster/model.js";
import { firstOf } from "../../diagnostics/summary.js";
import {
  formatRequirement,
  type LabelMatch,
  type Labels,
  namespaceNameLabel,
  type Requirement,
  selects,
} from "../../labels/requirement.js";
import { directions, formatPolicy, type NamespaceSet, type PodSelection } from "../../policy/model.js";
import { isRelative } from "../../engine/index.js";
import { type Draft, type DraftRule, isEmptyDraft, mapRules } from "./draft.js";
import type { Findings } from "./findings.js";
import { settledPeers, type SubjectLabels } from "./settled-peer.js";

/*
 * Peers that are relative to the subject (S5.4) exist in no released API. A policy with such rules becomes one for each
 * tenant there is: each combination of the labels that the rules compare. Other rules of the policy stay with all its
 * subjects, those to come included:
 *
 *   rules of x:   a  b  sameLabels  sameLabels  c        a, b and c for everyone
 *                 └x-1┘└── x-2-foo, x-2-bar ──┘└x-3┘
 */

/** In the order in which they are to be evaluated; drafts that stand together have no subject in common. */
export function expandTenants(
  draft: Draft,
  cluster: Cluster,
  findings: Findings,
): readonly (readonly Draft[])[] {
  const parts = partsOf(draft);
  return parts.flatMap((part) => {
    if (!isRelativeDraft(part)) return [[part]];
    const tenants = tenantsOf(part, cluster);
    const names = tenants.map(({ suffix }) => suffix);
    const listed = names.length === 0 ? "none" : firstOf(names, 10);
    const drafts = tenants
      .map((tenant) => draftFor(part, tenant, tenants.length))
      .filter((d) => !isEmptyDraft(d));
    findings.remark(
      `compares peers with its subject, and becomes one policy for each tenant that exists now (${listed}). ` +
        "Convert again when tenants are added or removed.",
      formatPolicy(part.definition.policy),
    );
    return drafts.length === 0 ? [] : [drafts];
  });
}

/** Runs of rules that are relative, and runs that are not, those of both directions side by side. */
function partsOf(draft: Draft): readonly Draft[] {
  const runs = { ingress: runsOf(draft.rules.ingress), egress: runsOf(draft.rules.egress) };
  const count = Math.max(runs.ingress.length, runs.egress.length);
  const parts = Array.from({ length: count }, (_, i) => ({
    ...draft,
    rules: { ingress: runs.ingress[i] ?? [], egress: runs.egress[i] ?? [] },
  })).filter((part) => !isEmptyDraft(part));
  if (parts.length < 2) return parts;
  return parts.map((part, i) => ({ ...part, suffixes: [...part.suffixes, String(i + 1)] }));
}

/** Even places are of rules for everyone, odd ones of relative rules. */
function runsOf(rules: readonly DraftRule[]): readonly (readonly DraftRule[])[] {
  const runs: DraftRule[][] = [];
  for (const rule of rules) {
    const parity = isRelativeRule(rule) ? 1 : 0;
    while (runs.length === 0 || (runs.length - 1) % 2 !== parity) runs.push([]);
    runs.at(-1)!.push(rule);
  }
  return runs;
}

const isRelativeRule = ({ peers }: DraftRule): boolean => peers.some(({ what }) => isRelative(what));

const isRelativeDraft = ({ rules }: Draft): boolean =>
  [...rules.ingress, ...rules.egress].some(isRelativeRule);

interface Tenant {
  readonly namespaces: LabelMatch;
  readonly pods: LabelMatch;
  /** The labels that the rules look at; the others may differ from subject to subject. */
  readonly labels: SubjectLabels;
  readonly suffix: string;
}

function tenantsOf({ subject, rules }: Draft, cluster: Cluster): readonly Tenant[] {
  const sets = directions
    .flatMap((direction) => rules[direction])
    .flatMap(({ peers }) => peers.flatMap(({ what }) => (what.kind === "pods" ? [what] : [])));
  const namespaceKeys = keysOf(sets.map(({ namespaces }) => namespaces));
  const podKeys = keysOf(sets.map(({ pods }) => pods));
  const found = new Map<string, Tenant>();
  for (const [namespace, pod] of subjectsOf(subject, cluster, podKeys.length > 0)) {
    const ofNamespace = namespaceKeys.map((key) => valueOf(key, namespace.labels));
    const ofPod = podKeys.map((key) => valueOf(key, pod?.labels ?? {}));
    const labels = {
      namespace: picked(namespace.labels, namespaceKeys),
      pod: picked(pod?.labels ?? {}, podKeys),
    };
    const suffix = [...ofNamespace, ...ofPod]
      .map(({ key, values }) => values[0] ?? `no-${key.split("/").at(-1)}`)
      .join("-");
    const tenant = { namespaces: ofNamespace, pods: ofPod, labels, suffix };
    found.set(JSON.stringify(labels), tenant);
  }
  return [...found.values()];
}

function keysOf(sets: readonly NamespaceSet[]): readonly string[] {
  const keys = sets.flatMap((set): readonly string[] => {
    if (set.kind === "selector") return [];
    return "keys" in set ? set.keys : [namespaceNameLabel];
  });
  return [...new Set(keys)];
}

/** Namespaces that hold subjects now or may soon, with each of their pods where the labels of pods matter. */
function* subjectsOf(
  subject: PodSelection,
  { namespaces, pods }: Cluster,
  byPod: boolean,
): Iterable<readonly [Namespace, Pod | undefined]> {
  const selected = [...namespaces.values()].filter(({ labels }) => selects(subject.namespaces, labels));
  if (!byPod) {
    for (const namespace of selected) yield [namespace, undefined];
    return;
  }
  const byName = new Map(selected.map((namespace) => [namespace.name, namespace]));
  for (const pod of pods.values()) {
    const namespace = byName.get(pod.namespace);
    if (namespace !== undefined && !pod.hostNetwork && selects(subject.pods, pod.labels))
      yield [namespace, pod];
  }
}

function valueOf(key: string, labels: Labels): Requirement {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return value === undefined
    ? { key, operator: "DoesNotExist", values: [] }
    : { key, operator: "In", values: [value] };
}

const picked = (labels: Labels, keys: readonly string[]): Labels =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(labels, key) ? [[key, labels[key]!]] : [])));

function draftFor(part: Draft, { namespaces, pods, labels, suffix }: Tenant, count: number): Draft {
  const { subject } = part;
  const who = [...namespaces, ...pods].map(formatRequirement).join(", ");
  return {
    ...part,
    suffixes: [...part.suffixes, suffix],
    subject: {
      ...subject,
      namespaces: narrowed(subject.namespaces, namespaces),
      pods: narrowed(subject.pods, pods),
    },
    rules: mapRules(part.rules, (rule) => {
      const peers = settledPeers(rule.peers, labels);
      return peers.length === 0 && rule.peers.length > 0 ? [] : [{ ...rule, peers }];
    }),
    remarks: [...part.remarks, `For ${who}, one of ${count} at the time of the conversion.`],
  };
}

/** Both together, without what follows from the rest. */
function narrowed(match: LabelMatch, by: LabelMatch): LabelMatch {
  const isSettled = (key: string) => by.some((r) => r.key === key && r.operator === "In");
  return [...match.filter((r) => !(r.operator === "Exists" && isSettled(r.key))), ...by];
}
