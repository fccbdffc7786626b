import fc from "fast-check";
import { kindOf } from "../../src/state/object-kind.js";
import type { Cluster, Facts } from "../../src/cluster/model.js";
import { readPolicy } from "../../src/dialects/read.js";
import type { Update } from "../../src/engine/index.js";
import { lowerForeign, readForeign } from "../../src/foreign/object.js";
import { objectsOf, parseManifest } from "../../src/manifest/parse.js";
import { assembleTiers, type Lowered } from "../../src/policy/assemble.js";
import type { Tiers } from "../../src/policy/model.js";
import { anyCluster, anyFacts, type ClusterModel, manifestsOf } from "./arbitrary-cluster.js";
import { andForeign, anyPolicies, evaluatedKinds, type PolicyKindName } from "./arbitrary-policies.js";
import type { Manifest } from "./arbitrary-vocabulary.js";
import { stateOf } from "./scenario.js";

/** A cluster at one moment: objects and rules that are the same at two moments are the same objects. */
export interface ClusterMoment {
  readonly cluster: Cluster;
  readonly tiers: Tiers;
}

/** Which of the clusters something is taken from, for each pod, node and namespace; and which policies there are. */
interface Choice {
  readonly pods: readonly number[];
  /** Whose labels a pod has: those of its own, or of any pod of any cluster. */
  readonly labels: readonly number[];
  readonly nodes: readonly number[];
  readonly namespaces: number;
  /** Services and groups. */
  readonly extras: number;
  readonly policies: readonly boolean[];
}

/** Moments of one cluster, each mostly like the one before. */
export const anyHistory: fc.Arbitrary<readonly ClusterMoment[]> = historyOf(evaluatedKinds);
/** With policies of other APIs (S9.3). */
export const anyHistoryWithForeign: fc.Arbitrary<readonly ClusterMoment[]> = historyOf(andForeign);

function historyOf(kinds: readonly PolicyKindName[]): fc.Arbitrary<readonly ClusterMoment[]> {
  return fc
    .record({
      clusters: fc.array(anyCluster({ minPods: 3, maxPods: 6 }), { minLength: 2, maxLength: 3 }),
      policies: anyPolicies({ kinds, minLength: 2, maxLength: 8 }),
      facts: anyFacts(),
      first: fc.infiniteStream(fc.nat(1000)).map((stream) => stream),
      steps: fc.array(fc.record({ part: fc.nat(12), place: fc.nat(20), value: fc.nat(20) }), {
        minLength: 1,
        maxLength: 5,
      }),
    })
    .map(({ clusters, policies, facts, steps }) => {
      let now: Choice = {
        pods: clusters[0]!.pods.map(() => 0),
        labels: clusters[0]!.pods.map(() => 0),
        nodes: clusters[0]!.nodes.map(() => 0),
        namespaces: 0,
        extras: 0,
        policies: policies.map((_, i) => i % 3 !== 0),
      };
      const choices = [now];
      for (const step of steps) {
        now = changed(now, step, clusters.length);
        choices.push(now);
      }
      const reader = new Reader(clusters, policies, facts);
      return choices.map((choice) => reader.read(choice));
    });
}

function changed(
  choice: Choice,
  { part, place, value }: { part: number; place: number; value: number },
  clusters: number,
): Choice {
  const replace = <T>(list: readonly T[], to: (old: T) => T) =>
    list.map((old, i) => (list.length > 0 && i === place % list.length ? to(old) : old));
  // One more than the number of clusters: then it is absent.
  if (part < 4) return { ...choice, policies: replace(choice.policies, (old) => !old) };
  if (part < 8) return { ...choice, pods: replace(choice.pods, () => value % (clusters + 1)) };
  if (part < 11) return { ...choice, labels: replace(choice.labels, () => value) };
  if (part === 11 && value % 2 === 0)
    return { ...choice, nodes: replace(choice.nodes, () => value % (clusters + 1)) };
  if (part === 12) return { ...choice, extras: value % clusters };
  return { ...choice, namespaces: value % clusters };
}

class Reader {
  private readonly lowered = new Map<Manifest, Lowered>();
  private readonly objects = new Map<string, unknown>();
  private readonly labels: readonly (ClusterModel["pods"][number]["labels"] | undefined)[];

  constructor(
    private readonly clusters: readonly ClusterModel[],
    private readonly policies: readonly Manifest[],
    private readonly facts: Partial<Facts>,
  ) {
    // The first is for pods that keep their own labels.
    this.labels = [undefined, ...clusters.flatMap(({ pods }) => pods.map((pod) => pod.labels))];
  }

  read({ pods, labels, nodes, namespaces, extras, policies }: Choice): ClusterMoment {
    const model: ClusterModel = {
      namespaces: { ...this.clusters[0]!.namespaces, ...this.clusters[namespaces]!.namespaces },
      pods: pods.flatMap((from, i) => {
        const pod = this.clusters[from]?.pods[i];
        return pod === undefined ? [] : { ...pod, labels: this.labels[labels[i]!] ?? pod.labels };
      }),
      nodes: nodes.flatMap((from, i) => this.clusters[from]?.nodes[i] ?? []),
      extras: this.clusters[extras]!.extras,
    };
    const { cluster } = stateOf(manifestsOf(model), { facts: this.facts });
    const chosen = this.policies.filter((_, i) => policies[i]);
    return {
      cluster: {
        ...cluster,
        pods: this.shared("pod", cluster.pods),
        nodes: this.shared("node", cluster.nodes),
        namespaces: this.shared("namespace", cluster.namespaces),
      },
      tiers: assembleTiers(chosen.map((policy) => this.lower(policy))),
    };
  }

  private shared<T>(kind: string, map: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
    return new Map(
      [...map].map(([name, value]) => {
        const key = `${kind} ${textOf(value)}`;
        if (!this.objects.has(key)) this.objects.set(key, value);
        return [name, this.objects.get(key) as T];
      }),
    );
  }

  private lower(policy: Manifest): Lowered {
    const known = this.lowered.get(policy);
    if (known !== undefined) return known;
    const [object] = objectsOf(parseManifest(JSON.stringify(policy), "policy.json").documents).objects;
    const kind = kindOf(object!);
    if (kind.what !== "policy" && kind.what !== "foreign") throw new Error(`${policy.kind} is not a policy`);
    const made =
      kind.what === "foreign"
        ? lowerForeign([readForeign(kind.kind, object!)])
        : readPolicy(kind.kind, object!, "file").lowered!;
    this.lowered.set(policy, made);
    return made;
  }
}

/** The update from one moment to another. */
export function updateBetween(before: ClusterMoment, after: ClusterMoment): Update {
  const isSameTiers = (["egress", "ingress"] as const).every(
    (direction) =>
      before.tiers[direction].length === after.tiers[direction].length &&
      before.tiers[direction].every(
        ({ name, rules, isolation }, i) =>
          name === after.tiers[direction][i]!.name &&
          isSame(rules, after.tiers[direction][i]!.rules) &&
          isSame(isolation, after.tiers[direction][i]!.isolation),
      ),
  );
  const pods = changesIn(before.cluster.pods, after.cluster.pods);
  const nodes = changesIn(before.cluster.nodes, after.cluster.nodes);
  const namespaces = changesIn(before.cluster.namespaces, after.cluster.namespaces);
  const parts = ["services", "workloads", "cidrGroups", "facts"] as const;
  const changedParts = parts.filter((part) => textOf(before.cluster[part]) !== textOf(after.cluster[part]));
  const rest = Object.fromEntries(changedParts.map((part) => [part, after.cluster[part]]));
  return {
    ...(isSameTiers ? {} : { tiers: after.tiers }),
    ...(pods.size === 0 ? {} : { pods }),
    ...(nodes.size === 0 ? {} : { nodes }),
    ...(namespaces.size === 0 ? {} : { namespaces }),
    ...(changedParts.length === 0 ? {} : { rest }),
  };
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `${item}` : item));

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

function changesIn<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): ReadonlyMap<string, T | undefined> {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return new Map(
    [...keys].filter((key) => before.get(key) !== after.get(key)).map((key) => [key, after.get(key)]),
  );
}
