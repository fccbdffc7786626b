import { type Changes, compile, type Engine } from "@tierwall/core/engine";
import { readObjects } from "@tierwall/core/manifest";
import type { Endpoint } from "@tierwall/core/model";
import { keyOf, LiveState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { situationOf } from "../cluster/situation.js";
import { LiveEngine } from "./live-engine.js";

const pod = (name: string, address: number, labels = `app: ${name}`) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {${labels}}}, spec: {nodeName: n1}, status: {podIP: 10.0.0.${address}}}`;
const service = (selector: string) =>
  `{apiVersion: v1, kind: Service, metadata: {name: front, namespace: shop}, spec: {selector: {app: ${selector}}, ports: [{port: 80}]}}`;
const policy = (name: string, from: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: ${name}, namespace: shop}, spec: {podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {matchLabels: {app: ${from}}}}], ports: [{port: 80}]}]}}`;
const toService =
  "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: out, namespace: shop}, spec: {endpointSelector: {}, egress: [{toServices: [{k8sService: {serviceName: front, namespace: shop}}]}]}}";
const namespace = (team: string) =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: ${team}}}}`;
const node =
  "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.0.2.1}]}}";

const start = [
  namespace("a"),
  node,
  pod("web", 1),
  pod("db", 2),
  pod("cron", 3),
  policy("db", "web"),
  service("web"),
];

/** A cluster of which objects are set, or removed with a `-` before them. */
function cluster(...objects: readonly string[]) {
  const state = new LiveState({ provenance: "cluster" });
  const live = new LiveEngine();
  const apply = (...texts: readonly string[]) => {
    for (const text of texts)
      readObjects(
        { file: "cluster.yaml", text: text.replace(/^-/, "") },
        {
          object: (object) => (text.startsWith("-") ? state.remove(keyOf(object)) : state.set(object)),
          report: ({ message }) => expect.fail(message),
        },
      );
    const found: Changes[] = [];
    live.follow(situationOf(state.moment(), 0), (changes) => found.push(changes));
    return found;
  };
  return { live, apply, first: apply(...objects) };
}

/** Every verdict between pods on two ports. */
function verdicts(engine: Engine, { live }: ReturnType<typeof cluster>): readonly string[] {
  const { pods, namespaces } = live.situation!.cluster;
  const ends = [...pods.values()].map(
    (one): Endpoint => ({ kind: "pod", pod: one, namespace: namespaces.get(one.namespace)! }),
  );
  const name = (end: Endpoint) => (end.kind === "pod" ? end.pod.name : end.kind);
  return ends.flatMap((source) =>
    ends.flatMap((destination) =>
      [80, 443].map((port) => {
        const verdict = engine.verdict({ source, destination, protocol: "TCP", port });
        return `${name(source)} -> ${name(destination)}:${port} ${verdict}`;
      }),
    ),
  );
}

const histories: Record<string, readonly string[]> = {
  "a policy is edited": [policy("db", "cron")],
  "a policy goes": [`-${policy("db", "web")}`],
  "a pod gets other labels": [pod("cron", 3, "app: web")],
  "a pod comes, another goes, and a policy comes": [
    pod("job", 4),
    `-${pod("web", 1)}`,
    policy("more", "job"),
  ],
  "the labels of the namespace change": [namespace("b"), pod("cron", 3, "app: web")],
  "the node goes": [`-${node}`],
  "a Service changes that a new policy mentions": [service("cron"), toService],
};

describe("the engine of a situation", () => {
  it.each(Object.entries(histories))("says what a new one would after %s", (_, changes) => {
    const now = cluster(...start);
    now.apply(...changes);
    const { situation, engine } = now.live;
    const fresh = compile(situation!.cluster, situation!.tiers);
    expect(verdicts(engine!, now)).toEqual(verdicts(fresh, now));
    expect(engine!.cluster.services).toBe(situation!.cluster.services);
    // A change at a time is the same, and so is one whose effects are not asked for.
    const steps = cluster(...start);
    for (const change of changes) steps.apply(change);
    expect(verdicts(steps.live.engine!, steps)).toEqual(verdicts(fresh, now));
    const silent = cluster(...start);
    verdicts(silent.live.engine!, silent);
    silent.live.follow(situation!);
    expect(verdicts(silent.live.engine!, silent)).toEqual(verdicts(fresh, now));
  });

  it("is the same object all the time, and is not compiled again for policies, pods and Services", () => {
    const { live, apply } = cluster(...start);
    const { engine } = live;
    const { ends } = engine!;
    apply(policy("db", "cron"), pod("cron", 3, "app: web"), service("db"), pod("job", 4));
    expect(live.engine).toBe(engine);
    expect(engine!.ends).toBe(ends);
  });

  it("reports which pairs changed to the caller, and to listeners that something did, until they unsubscribe", () => {
    const { live, apply, first } = cluster(...start);
    expect(first).toEqual([]);
    let heard = 0;
    const stop = live.listen(() => heard++);
    const changed: string[] = [];
    const name = (end: Endpoint) => (end.kind === "pod" ? end.pod.name : "");
    for (const block of apply(policy("db", "cron")).flatMap((changes) => changes.pairs))
      for (const { source, destination } of block.pairs())
        changed.push(`${name(source.after)} -> ${name(destination.after)}`);
    expect(changed.toSorted()).toEqual(["cron -> db", "web -> db"]);
    stop();
    apply(policy("db", "web"));
    expect(heard).toBe(1);
  });
});
