import type { Cluster } from "../../cluster/model.js";
import { ok, type Result, refused } from "../../diagnostics/result.js";
import {
  compile,
  type DeciderEffect,
  type DeciderEffects,
  type EndpointEffects,
  type EndClass,
  type Engine,
  nodeOf,
  sizeOf,
  nearnessOf,
} from "../../engine/index.js";
import { type Endpoint, type PodEndpoint, subjectOf } from "../../evaluate/flow.js";
import { isSubject, anyPeerMatches } from "../../evaluate/match.js";
import { isolatingIn } from "../../evaluate/walk.js";
import type { Direction, Isolation, Rule, Tier, TierName } from "../../policy/model.js";
import type { EndpointRef } from "../endpoints/endpoint-ref.js";
import { resolve, podEndpoint } from "../endpoints/resolve.js";
import type { State } from "../../state/state.js";
import { grouped } from "../../collections/maps.js";
import { explore } from "../../evaluate/facts.js";

/** All rules that can affect an end: the reverse of asking which ends a rule affects. */
export interface Lookup {
  readonly label: string;
  /** One for each way in which the pods of a workload are affected; mostly one. */
  readonly answers: readonly EndpointRules[];
}

export interface EndpointRules {
  /** To all of these, the same happens. */
  readonly ends: readonly Endpoint[];
  /** The walks of its own policies. Absent for ends that have none: nodes, host-network pods, addresses (S1.4). */
  readonly asSubject?: Readonly<Record<Direction, SubjectWalk>>;
  /** Rules of other pods that mention it: egress of pods that connect to it, ingress of pods that it connects to. */
  readonly asPeer: Readonly<Record<Direction, readonly TierRules[]>>;
}

export interface SubjectWalk {
  /** In evaluation order. */
  readonly tiers: readonly SubjectTier[];
  /** What becomes of the default: whether anything is left for it to allow. */
  readonly rest: DeciderEffect;
}

export interface TierRules {
  readonly tier: TierName;
  readonly rules: readonly RuleEffect[];
}

export interface SubjectTier extends TierRules {
  /** S1.2; absent if nothing isolates it in this tier. */
  readonly isolation?: { readonly by: readonly Isolation[]; readonly effect: DeciderEffect };
}

export interface RuleEffect {
  readonly rule: Rule;
  readonly effect: DeciderEffect;
}

export function lookup(state: State, ref: EndpointRef): Result<Lookup> {
  const resolved = resolve(state.cluster, ref, "source", { kind: "all" });
  if (!resolved.ok) return resolved;
  const { label, service } = resolved.value;
  if (service !== undefined)
    return refused("TW1501", `${label} is subject to no rules; name the pods or the workload behind it`);
  const endpoints = resolved.value.endpoints.map(whole);
  const cluster = endpoints.reduce(including, state.cluster);
  const engine = compile(cluster, state.tiers);
  const answers = affectedAlike(engine, endpoints).map((ends): EndpointRules => {
    const effects = engine.ruleEffects(ends[0]!)!;
    return { ends, ...rulesOf({ ...state, cluster }, ends[0]!, effects) };
  });
  return ok({ label, answers: merged(answers) });
}

/** Of a node that was named by one of its addresses, all are meant. */
const whole = (end: Endpoint): Endpoint => (end.kind === "node" ? { kind: "node", node: end.node } : end);

/** The cluster with a pod that does not exist yet. */
function including(cluster: Cluster, end: Endpoint): Cluster {
  if (end.kind !== "pod") return cluster;
  const { pod, namespace } = end;
  const key = `${pod.namespace}/${pod.name}`;
  if (cluster.pods.get(key) === pod) return cluster;
  return {
    ...cluster,
    namespaces: new Map(cluster.namespaces).set(namespace.name, namespace),
    pods: new Map(cluster.pods).set(key, pod),
  };
}

function rulesOf(
  { cluster, tiers }: Pick<State, "cluster" | "tiers">,
  end: Endpoint,
  effects: EndpointEffects,
): Omit<EndpointRules, "ends"> {
  const asPeer = (direction: Direction) => matchingRules(tiers[direction], effects.asPeer[direction]);
  const subject = subjectOf(end);
  const walk = (direction: Direction) =>
    walkOf(cluster, tiers[direction], subject!, effects.asSubject[direction]);
  return {
    ...(subject === undefined ? {} : { asSubject: { ingress: walk("ingress"), egress: walk("egress") } }),
    asPeer: { ingress: asPeer("ingress"), egress: asPeer("egress") },
  };
}

function walkOf(
  cluster: Cluster,
  tiers: readonly Tier[],
  subject: PodEndpoint,
  effects: DeciderEffects,
): SubjectWalk {
  const effectOf = (rule: Rule, tier: TierName): DeciderEffect =>
    effects.of({ kind: "rule", tier, rule }) ?? {
      kind: "never",
      takenBy: isOnlyForOwnNode(cluster, rule, subject) ? [{ kind: "own-node" }] : [],
    };
  const own = tiers.map((tier): SubjectTier => {
    const rules = tier.rules
      .filter((rule) => isSubject(rule.subject, subject))
      .map((rule) => ({ rule, effect: effectOf(rule, tier.name) }));
    const by = isolatingIn(tier, subject);
    const effect = effects.of({ kind: "isolation", tier: tier.name, isolation: by }) ?? never;
    return { tier: tier.name, rules, ...(by.length === 0 ? {} : { isolation: { by, effect } }) };
  });
  return {
    tiers: own.filter(({ rules, isolation }) => rules.length > 0 || isolation !== undefined),
    rest: effects.of({ kind: "default" }) ?? never,
  };
}

const never: DeciderEffect = { kind: "never", takenBy: [] };

/** The rules that match the end for some subject. */
function matchingRules(tiers: readonly Tier[], effects: DeciderEffects): readonly TierRules[] {
  return tiers
    .map(({ name, rules }): TierRules => {
      const found = rules.flatMap((rule): RuleEffect[] => {
        const effect = effects.of({ kind: "rule", tier: name, rule });
        return effect === undefined ? [] : [{ rule, effect }];
      });
      return { tier: name, rules: found };
    })
    .filter(({ rules }) => rules.length > 0);
}

/** Answers that say the same as one. */
function merged(answers: readonly EndpointRules[]): readonly EndpointRules[] {
  const found: EndpointRules[] = [];
  for (const answer of answers) {
    const same = found.findIndex((other) => isSame(other, answer));
    if (same === -1) found.push(answer);
    else found[same] = { ...answer, ends: [...found[same]!.ends, ...answer.ends] };
  }
  return found;
}

function isSame(a: EndpointRules, b: EndpointRules): boolean {
  const [said, others] = [saidIn(a), saidIn(b)];
  return said.length === others.length && said.every((part, i) => part === others[i]);
}

/** Everything that an answer says, as a list that is the same for equal answers; it omits which rules shadow others. */
function saidIn({ asSubject, asPeer }: EndpointRules): readonly unknown[] {
  const ofRules = ({ tier, rules }: TierRules) => [
    tier,
    ...rules.flatMap(({ rule, effect }) => [rule, effect.kind]),
  ];
  const ofWalk = ({ tiers, rest }: SubjectWalk) => [
    ...tiers.flatMap((tier) => [
      ...ofRules(tier),
      ...(tier.isolation?.by ?? []),
      tier.isolation?.effect.kind,
    ]),
    rest.kind,
  ];
  const walks = asSubject === undefined ? [] : [asSubject.ingress, asSubject.egress];
  return [
    ...walks.flatMap(ofWalk),
    ...asPeer.ingress.flatMap(ofRules),
    "egress",
    ...asPeer.egress.flatMap(ofRules),
  ];
}

/** Groups endpoints that no rule can distinguish: mostly replicas. */
function affectedAlike(engine: Engine, ends: readonly Endpoint[]): readonly (readonly Endpoint[])[] {
  const around = new Map<string | undefined, string>();
  const keyOf = (end: Endpoint) => {
    const found = engine.ends.classOf(end);
    if (found === undefined) return end;
    const node = nodeOf(end);
    if (!around.has(node)) around.set(node, hostsAround(engine, node));
    return `${found.index} ${around.get(node)}`;
  };
  return [...grouped(ends, keyOf).values()];
}

/** S1.6: what kinds of hosts are on a node, and whether there are such on others as well. */
function hostsAround({ ends }: Engine, node: string | undefined): string {
  if (node === undefined) return "?";
  const isThere = ({ pods, nodes }: EndClass) =>
    pods.filter((pod) => pod.node === node).length + nodes.filter(({ name }) => name === node).length;
  return ends.hostClasses
    .map((index) => ends.classes[index]!)
    .filter((host) => isThere(host) > 0)
    .map((host) => `${host.index}${isThere(host) < sizeOf(host) ? "+" : ""}`)
    .join();
}

/** S1.6: whether a rule without matches would match the node of its subject, which reaches the pod regardless of rules. */
function isOnlyForOwnNode(cluster: Cluster, rule: Rule, subject: PodEndpoint): boolean {
  if (rule.origin.direction !== "ingress") return false;
  return hostsNear(cluster, subject).some((host) =>
    explore((unknowns) => {
      const flow = { source: host, destination: subject, protocol: "TCP", port: 1 } as const;
      return anyPeerMatches(rule, subject, host, { flow, cluster, unknowns });
    }).some((run) => run.value),
  );
}

/** The node that a pod runs on, or may run on, and the pods in that node's network. */
function hostsNear(cluster: Cluster, subject: PodEndpoint): readonly Endpoint[] {
  const nodes = [...cluster.nodes.values()].map((node): Endpoint => ({ kind: "node", node }));
  const pods = [...cluster.pods.values()]
    .filter(({ hostNetwork }) => hostNetwork)
    .map((pod) => podEndpoint(cluster, pod));
  return [...nodes, ...pods].filter((host) => nearnessOf(subject, host) !== "other-node");
}
