import { describe, expect, it } from "vitest";
import type { Decider } from "../../evaluate/walk.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { formatPolicy } from "../../policy/model.js";
import { appPod, clusterPolicy, namespace, networkPolicy, node, pod } from "../../../testing/manifests.js";
import { world } from "../../../testing/world.js";
import { parseEndpoint } from "../endpoints/endpoint-ref.js";
import { type EndpointRules, lookup, type TierRules } from "./lookup.js";

const podOf = (path: string) =>
  appPod(path, { node: "worker", ips: [`10.0.0.${path.split("/")[1]!.length}`] });
const worker = node("worker", "192.168.0.1", "{role: edge}");
const cluster =
  namespace("shop") + namespace("bank") + podOf("shop/web") + podOf("shop/cart") + podOf("bank/vault");

const isolating = networkPolicy("shop/closed", { policyTypes: "[Ingress]" });
const baseline = clusterPolicy("base", {
  tier: "Baseline",
  priority: 1,
  ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
});
const from = (app: string, action: string, more = "") =>
  `{action: ${action}, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}}]${more}}`;
const tcp = (port: number) => `, protocols: [{tcp: {destinationPort: {number: ${port}}}}]`;

function found(yaml: string, name: string): readonly EndpointRules[] {
  const ref = parseEndpoint(name);
  const result = ref.ok ? lookup(world(yaml).state, ref.value) : ref;
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value.answers;
}

/** `guard 1 decides`, `guard 2 never: guard 1`. */
const effectsIn = (tiers: readonly TierRules[]): readonly string[] =>
  tiers.flatMap(({ rules }) =>
    rules.map(({ rule: { origin }, effect }) => {
      const why = effect.kind === "never" ? `: ${effect.takenBy.map(taker).join(", ")}` : "";
      return `${origin.policy.name} ${origin.index + 1} ${effect.kind}${why}`;
    }),
  );

function taker(by: Decider): string {
  if (by.kind === "rule") return `${by.rule.origin.policy.name} ${by.rule.origin.index + 1}`;
  if (by.kind !== "isolation") return by.kind;
  return by.isolation
    .map(({ origin }) => (origin.kind === "policy" ? formatPolicy(origin.policy) : origin.option))
    .join();
}

const entering = (yaml: string, name = "shop/cart") =>
  effectsIn(found(yaml, name)[0]!.asSubject!.ingress.tiers);

describe("which rules that apply to a pod decide anything for it", () => {
  it.each([
    ["a rule for an existing peer decides", [from("web", "Deny")], ["guard 1 decides"]],
    ["a rule for a peer that does not exist does not", [from("absent", "Deny")], ["guard 1 never: "]],
    [
      "what an earlier rule takes whole is left to it",
      [from("web", "Accept"), from("web", "Deny", tcp(80))],
      ["guard 1 decides", "guard 2 never: guard 1"],
    ],
    [
      "of which a port is left, that decides",
      [from("web", "Accept", tcp(80)), from("web", "Deny")],
      ["guard 1 decides", "guard 2 decides"],
    ],
    [
      "two that take it together are both named",
      [
        from("web", "Accept"),
        from("vault", "Pass"),
        "{action: Deny, from: [{pods: {namespaceSelector: {}, podSelector: {matchExpressions: [{key: app, operator: NotIn, values: [cart]}]}}}]}",
      ],
      ["guard 1 decides", "guard 2 decides", "guard 3 never: guard 1, guard 2"],
    ],
    [
      "a pass keeps from the rest of its tier",
      [from("web", "Pass"), from("web", "Deny")],
      ["guard 1 decides", "guard 2 never: guard 1"],
    ],
  ])("%s", (_, rules, wanted) =>
    expect(entering(cluster + clusterPolicy("guard", { priority: 1, ingress: `[${rules.join()}]` }))).toEqual(
      wanted,
    ),
  );

  it("policies come in the order of their priorities", () =>
    expect(
      entering(
        cluster +
          clusterPolicy("late", { priority: 2, ingress: `[${from("web", "Deny")}]` }) +
          clusterPolicy("early", { priority: 1, ingress: `[${from("web", "Accept")}]` }),
      ),
    ).toEqual(["early 1 decides", "late 1 never: early 1"]));

  it("a lower tier is not reached where a pod is isolated", () => {
    const [answer] = found(cluster + isolating + baseline, "shop/cart");
    const { tiers, rest } = answer!.asSubject!.ingress;
    expect(effectsIn(tiers)).toEqual(["base 1 never: NetworkPolicy shop/closed"]);
    expect(tiers[0]!.isolation).toMatchObject({ effect: { kind: "decides" } });
    expect(rest).toMatchObject({ kind: "never" });
    expect(answer!.asSubject!.egress).toEqual({ tiers: [], rest: { kind: "decides" } });
  });

  it("S1.6: a rule for the pod's own node only is distinguished from a rule that matches nothing", () => {
    const rule = (label: string) =>
      `\n---\n{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {name: ${label}}, spec: {endpointSelector: {}, ingress: [{fromEntities: [${label}]}]}}`;
    expect(entering(cluster + worker + rule("host"))).toEqual(["host 1 never: own-node"]);
    expect(entering(cluster + worker + rule("remote-node"))).toEqual(["remote-node 1 never: "]);
  });

  it("S9.1: a rule that depends on missing information may decide", () => {
    const egress = `[{action: Accept, to: [{domainNames: ["example.com"]}]}]`;
    const [answer] = found(cluster + clusterPolicy("names", { egress }), "shop/cart");
    expect(effectsIn(answer!.asSubject!.egress.tiers)).toEqual(["names 1 may-decide"]);
  });
});

describe("rules of other pods that mention an endpoint", () => {
  const policies =
    cluster +
    worker +
    clusterPolicy("guard", {
      ingress: `[${from("web", "Accept")}, ${from("cart", "Deny")}, ${from("web", "Deny")}]`,
      egress: `[{action: Deny, to: [{networks: ["192.168.0.0/24", "203.0.113.0/24"]}]}]`,
    });

  it.each([
    ["shop/web", ["guard 1 decides", "guard 3 never: guard 1"], []],
    ["shop/cart", ["guard 2 decides"], []],
    ["bank/vault", [], []],
    ["node:worker", [], ["guard 1 decides"]],
    ["192.168.0.1", [], ["guard 1 decides"]],
    ["203.0.113.7", [], ["guard 1 decides"]],
    ["198.51.100.1", [], []],
  ])("%s", (name, ingress, egress) => {
    const [answer] = found(policies, name);
    expect(effectsIn(answer!.asPeer.ingress)).toEqual(ingress);
    expect(effectsIn(answer!.asPeer.egress)).toEqual(egress);
  });

  it("ends without policies of their own have none as subject", () => {
    expect(found(policies, "node:worker")[0]!.asSubject).toBeUndefined();
    expect(found(policies, "203.0.113.7")[0]!.asSubject).toBeUndefined();
  });
});

describe("which pods a name represents", () => {
  const replica = (name: string, labels: string, on: string) =>
    pod(`shop/${name}`, { labels: `{${labels}}`, node: on, of: "db" });
  const guard = clusterPolicy("guard", { priority: 1, ingress: `[${from("cart", "Deny")}]` });

  it("replicas that no rule distinguishes are one answer", () => {
    const answers = found(
      cluster + worker + replica("db-0", "app: db", "worker") + replica("db-1", "app: db", "other") + guard,
      "shop/db",
    );
    expect(answers.map(({ ends }) => ends.map(formatEndpoint))).toEqual([["shop/db-0", "shop/db-1"]]);
  });

  it("replicas with different rules are separate answers", () => {
    const only = networkPolicy("shop/only", {
      podSelector: "{matchLabels: {role: main}}",
      policyTypes: "[Ingress]",
    });
    const answers = found(
      cluster +
        replica("db-0", "app: db, role: main", "worker") +
        replica("db-1", "app: db", "worker") +
        only,
      "shop/db",
    );
    expect(answers.map(({ ends }) => ends.map(formatEndpoint))).toEqual([["shop/db-0"], ["shop/db-1"]]);
  });

  it("a pod that does not exist yet gets the rules that it would have", () => {
    const [answer] = found(cluster + guard, "new:kubernetes.io/metadata.name=bank/app=cart");
    expect(effectsIn(answer!.asSubject!.ingress.tiers)).toEqual(["guard 1 decides"]);
    expect(effectsIn(answer!.asPeer.ingress)).toEqual(["guard 1 decides"]);
  });

  it("a Service has no rules", () => {
    const service = `\n---\n{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: front}, spec: {selector: {app: web}, ports: [{port: 80}]}}`;
    expect(() => found(cluster + service, "shop/svc/front")).toThrow(
      "name the pods or the workload behind it",
    );
  });
});
