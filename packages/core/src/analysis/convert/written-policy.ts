import { type Path, parsePath } from "../../diagnostics/place.js";
import { isObject, type JsonObject } from "../../manifest/document.js";
import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import { formatCidr } from "../../net/cidr.js";
import { describeDomain } from "../../policy/describe.js";
import { type Direction, directions, type Peer, type PodSelection } from "../../policy/model.js";
import type { PolicyDefinition } from "../../state/state.js";
import type { AdminApi } from "./admin-api.js";
import { carriedComments, type Correspondence } from "./comments.js";
import { type Draft, type DraftRule, type DraftRules, mapRules, type Sourced } from "./draft.js";
import { numberedName } from "./limits.js";
import { writtenSelector } from "./written-selector.js";

/** What a policy has in addition to its subject and rules. */
export interface Heading {
  readonly kind: string;
  readonly name: string;
  /** Tier and priority, where the kind has them. */
  readonly fields: JsonObject;
}

/** A draft as the target API writes it, with the comments of the policy it came from. */
export function writtenPolicy(given: Draft, heading: Heading, api: AdminApi): CommentedObject {
  const draft = { ...given, rules: withDistinctNames(given.rules) };
  const lists = directions.flatMap((direction) =>
    draft.rules[direction].length === 0
      ? []
      : [[direction, draft.rules[direction].map((rule) => writtenRule(rule, direction, api))] as const],
  );
  const value = {
    apiVersion: api.apiVersion,
    kind: heading.kind,
    metadata: writtenMetadata(draft.definition, { name: heading.name }),
    spec: { ...heading.fields, subject: writtenPods(draft.subject), ...Object.fromEntries(lists) },
  };
  const remarks = draft.remarks.map((text) => ({ path: [], side: "before", text }) as const);
  const comments = [...commentsFor(draft, api.portsField), ...remarks];
  return { value, comments, replaces: draft.definition.object };
}

/** S5.8: rules that come from several policies, or became several, may have one name. */
function withDistinctNames(rules: DraftRules): DraftRules {
  const counts = new Map<string, number>();
  return mapRules(rules, (rule) => {
    if (rule.name === undefined) return [rule];
    const count = (counts.get(rule.name) ?? 0) + 1;
    counts.set(rule.name, count);
    return [count === 1 ? rule : { ...rule, name: numberedName(rule.name, count) }];
  });
}

/** The labels and annotations of the old object; what the API server set is not carried over. */
export function writtenMetadata({ object }: PolicyDefinition, identity: JsonObject): JsonObject {
  const metadata = isObject(object.value.metadata) ? object.value.metadata : {};
  const { labels, annotations } = metadata;
  const own = Object.entries(isObject(annotations) ? annotations : {}).filter(
    ([key]) => key !== "kubectl.kubernetes.io/last-applied-configuration",
  );
  return {
    ...identity,
    ...(isObject(labels) ? { labels } : {}),
    ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}),
  };
}

function writtenRule(
  { name, action, peers, ports }: DraftRule,
  direction: Direction,
  api: AdminApi,
): JsonObject {
  return {
    ...(name === undefined ? {} : { name }),
    action: action === "Allow" ? api.allow : action,
    [direction === "ingress" ? "from" : "to"]: peers.map(({ what }) => writtenPeer(what)),
    ...(ports === "every"
      ? {}
      : {
          [api.portsField]: ports.flatMap(({ what }) => (what.kind === "icmp" ? [] : [api.writePort(what)])),
        }),
  };
}

function writtenPods({ namespaces, pods }: Pick<PodSelection, "namespaces" | "pods">): JsonObject {
  if (pods.length === 0) return { namespaces: writtenSelector(namespaces) };
  return {
    pods: { namespaceSelector: writtenSelector(namespaces), podSelector: writtenSelector(pods) },
  };
}

/** Of the kinds that `asExpressible` leaves. */
function writtenPeer(peer: Peer): JsonObject {
  switch (peer.kind) {
    case "pods":
      return writtenPods({
        namespaces: peer.namespaces.kind === "selector" ? peer.namespaces.match : [],
        pods: peer.pods.kind === "selector" ? peer.pods.match : [],
      });
    case "nodes":
      return { nodes: writtenSelector(peer.nodes) };
    case "networks":
      return { networks: peer.cidrs.map(formatCidr) };
    case "domains":
      return { domainNames: peer.patterns.map(describeDomain) };
    case "everything":
    case "entity":
    case "endpoints":
    case "cidr-group":
    case "unknown-set":
      throw new Error(`a peer of kind ${peer.kind} was not made expressible`);
  }
}

/** Of all policies that a draft's rules come from, the first gives the rest of it. */
function commentsFor(draft: Draft, portsField: string): CommentedObject["comments"] {
  const rules = (definition: PolicyDefinition) =>
    directions.flatMap((direction) =>
      draft.rules[direction].flatMap((rule, i) =>
        rule.origin.policy === definition.policy ? ruleParts(rule, ["spec", direction, i], portsField) : [],
      ),
    );
  const { definition, also = [] } = draft;
  return [
    ...carriedComments(definition, [...headParts(subjectPaths, ["spec", "subject"]), ...rules(definition)]),
    ...also.flatMap((other) => carriedComments(other, rules(other))),
  ];
}

const subjectPaths = ["subject", "appliedTo", "endpointSelector"];

/** All that is not a rule. */
export function headParts(subjects: readonly string[], at: Path): readonly Correspondence[] {
  const same: readonly Path[] = [
    [],
    ["metadata"],
    ["metadata", "name"],
    ["spec"],
    ["spec", "priority"],
    ["spec", "tier"],
  ];
  return [
    ...same.map((path) => ({ at: path, from: path })),
    ...subjects.map((field) => ({ at, from: ["spec", field] })),
  ];
}

export function ruleParts(rule: DraftRule, at: Path, portsField: string): readonly Correspondence[] {
  const { origin, peers, ports, name } = rule;
  const from = parsePath(origin.path);
  const peersField = origin.direction === "ingress" ? "from" : "to";
  const placed = (list: readonly Sourced<unknown>[], field: string) =>
    list.flatMap((part, i) => (part.from === undefined ? [] : [{ at: [...at, field, i], from: part.from }]));
  return [
    { at, from },
    { at: [...at, peersField], from: [...from, peersField] },
    ...(name === undefined ? [] : [{ at: [...at, "name"], from: [...from, "name"] }]),
    { at: [...at, "action"], from: [...from, "action"] },
    ...placed(peers, peersField),
    ...(ports === "every" ? [] : placed(ports, portsField)),
  ];
}
