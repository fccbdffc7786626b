import type { Cluster } from "../../cluster/model.js";
import { diagnostic } from "../../diagnostics/diagnostic.js";
import { failed, ok, type Result } from "../../diagnostics/result.js";
import {
  compile,
  type DeciderEffect,
  type DeciderEffects,
  type EndpointEffects,
} from "../../engine/index.js";
import { type Endpoint, type PodEndpoint, subjectOf } from "../../evaluate/flow.js";
import { isSubject } from "../../evaluate/match.js";
import { isolatingIn } from "../../evaluate/walk.js";
import type { Direction, Isolation, Rule, Tier, TierName } from "../../policy/model.js";
import type { EndpointRef } from "../endpoints/endpoint-ref.js";
import { resolve } from "../endpoints/resolve.js";
import type { State } from "../../state/state.js";
import { affectedAlike } from "./affected-alike.js";
import { isOnlyForOwnNode } from "./own-node-rule.js";

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
    return failed(
      diagnostic("TW1501", `${label} is subject to no rules; name the pods or the workload behind it`),
    );
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
