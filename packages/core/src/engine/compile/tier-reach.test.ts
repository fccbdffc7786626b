import { describe, expect, it } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { world } from "../../../testing/world.js";
import type { Tiers } from "../../policy/model.js";
import { compile } from "../engine.js";

const pods = ["red", "blue"]
  .map(
    (app, i) =>
      `{apiVersion: v1, kind: Pod, metadata: {name: ${app}, namespace: a, labels: {app: ${app}}}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.0.0.${i}}]}}\n---\n`,
  )
  .join("");
const node =
  "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n" +
  "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}\n---\n";
const isolating = (from: string) => `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: only, namespace: a}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [${from}]}}
---
`;
/** Of the two pods, it is about one only. */
const baseline = `
{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: red}, spec: {tier: Baseline, priority: 1,
  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: red}}}},
  ingress: [{name: none, action: Deny, from: [{namespaces: {}}]}]}}
---
`;

/** By tier of ingress, the pods that get there. */
function reached(yaml: string, change = (tiers: Tiers) => tiers): Readonly<Record<string, string>> {
  const { cluster, tiers } = world(pods + node + yaml).state;
  const engine = compile(cluster, change(tiers));
  const view = engine.view(4);
  const reach = view.reach("ingress");
  return Object.fromEntries(
    view.layers.ingress.map(({ tier }, i) => [
      tier.name,
      engine.ends.podClasses
        .filter((index) => reach.depthOf(index) > i)
        .flatMap((index) => engine.ends.classes[index]!.pods.map(({ name }) => name))
        .join(" "),
    ]),
  );
}

describe("S1.3: a tier is asked", () => {
  it.each([
    [
      "by no pods, where all are isolated before",
      isolating(""),
      { "network-policy": "red blue", baseline: "" },
    ],
    ["by all, where no pod is isolated", "", { baseline: "red blue" }],
  ])("%s", (_, policies, expected) => {
    expect(reached(policies + baseline)).toEqual(expected);
  });

  it("by all, where who is isolated passes something on", () => {
    const passing = ({ egress, ingress }: Tiers): Tiers => ({
      egress,
      ingress: ingress.map((tier) => ({
        ...tier,
        rules: tier.rules.map((rule) => ({ ...rule, action: "Pass" as const })),
      })),
    });
    expect(reached(isolating("{}") + baseline)).toEqual({ "network-policy": "red blue", baseline: "" });
    expect(reached(isolating("{}") + baseline, passing)).toEqual({
      "network-policy": "red blue",
      baseline: "red blue",
    });
  });

  it("by all, where the isolation depends on missing information", () => {
    const cilium = `
{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: names, namespace: a},
  spec: {endpointSelector: {}, ingress: [{fromEntities: [kube-apiserver]}]}}
---
`;
    expect(reached(cilium + baseline)).toEqual({ "network-policy": "red blue", baseline: "red blue" });
  });
});

it("S1.6: is asked about a pod's own node, which isolation does not reach, where a later tier binds it", () => {
  const { cluster, tiers } = world(pods + node + isolating("") + baseline).state;
  const binding: Tiers = {
    ...tiers,
    ingress: tiers.ingress.map((tier) => ({
      ...tier,
      rules: tier.rules.map((rule) => ({
        ...rule,
        peers: [{ kind: "everything" as const }],
        bindsOwnNode: true as const,
      })),
    })),
  };
  const engine = compile(cluster, binding);
  const ways = new Map<string, boolean>();
  for (const { from, to, allowed, nearness } of engine.pairs())
    if (from.kind === "host" && nearness === "own-node")
      for (const { classes } of to)
        for (const { pods: members } of classes)
          for (const { name } of members) ways.set(name, engine.ports.contains(allowed, "TCP", 80));
  const literal = ["red", "blue"].map((name) => {
    const destination = {
      kind: "pod",
      pod: cluster.pods.get(`a/${name}`)!,
      namespace: cluster.namespaces.get("a")!,
    } as const;
    const source = { kind: "node", node: cluster.nodes.get("n1")! } as const;
    return [
      name,
      evaluate(cluster, binding, { source, destination, protocol: "TCP", port: 80, family: 4 }).verdict ===
        "Allow",
    ];
  });
  expect(Object.fromEntries(ways)).toEqual(Object.fromEntries(literal));
  expect(new Set(ways.values()).size).toBe(2);
});
