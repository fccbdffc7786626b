import { describe, expect, it } from "vitest";
import { formatRule } from "../../policy/describe.js";
import { world } from "../../../testing/world.js";
import { compile } from "../engine.js";
import { readLanes } from "./lanes.js";
import { type RuleNeed, RuleNeeds } from "./rule-need.js";

const cluster = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {nodeName: n1}
status: {podIPs: [{ip: 10.0.0.1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {nodeName: n1}
status: {podIPs: [{ip: 10.0.0.2}]}
---
`;

const cilium = (spec: string) => `${cluster}
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: np, namespace: shop}
spec: {endpointSelector: {matchLabels: {app: cart}}, ${spec}}
`;

const guard = (...rules: readonly string[]) => `${cluster}
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [${rules.join(", ")}]}
`;

const to = (action: string, peer: string) => `{action: ${action}, to: [${peer}]}`;
const every = "{namespaces: {}}";
const cart = "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: cart}}}}";

function kindOf({ matches, needed, decides }: RuleNeed): string {
  if (needed) return "needed";
  return decides !== undefined ? "redundant" : matches ? "idle" : "matches nothing";
}

/** `rule 1: needed` for each rule. */
function needsIn(yaml: string): readonly string[] {
  const { state } = world(yaml);
  const engine = compile(state.cluster, state.tiers);
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  return [...needs.all].map(
    ([{ origin }, need]) => `${formatRule(origin).replace(/^\S+ \S+ /, "")}: ${kindOf(need)}`,
  );
}

describe("what a rule is good for", () => {
  it.each([
    ["S1.1: the first that matches decides", [to("Deny", every), to("Accept", cart)], ["needed", "idle"]],
    ["S1.1: what comes after says the same", [to("Deny", cart), to("Deny", every)], ["redundant", "needed"]],
    ["S1.3: what nothing denies is allowed anyway", [to("Accept", cart)], ["redundant"]],
    ["S1.3: passing spares it what comes after", [to("Pass", cart), to("Deny", every)], ["needed", "needed"]],
    [
      "S1.3: passing what comes to the same",
      [to("Pass", cart), to("Accept", every)],
      ["redundant", "redundant"],
    ],
    ["no endpoint is there", [to("Deny", '{networks: ["2001:db8::/32"]}')], ["matches nothing"]],
  ])("%s", (_what, rules, expected) =>
    expect(needsIn(guard(...rules))).toEqual(expected.map((kind, i) => `rule ${i + 1}: ${kind}`)),
  );

  it("S1.4: what the other end's policies deny is not counted on", () => {
    const both = guard(to("Deny", every)).replace(
      "egress:",
      `ingress: [{action: Deny, from: [${every}]}], egress:`,
    );
    expect(needsIn(both)).toEqual(["rule 1: needed", "rule 1: needed"]);
  });

  it("S1.6, S7.8: isolation does not keep a pod's own node out, a deny item does", () =>
    expect(
      needsIn(cilium("ingress: [{fromEndpoints: [{}]}], ingressDeny: [{fromEntities: [host]}]")),
    ).toEqual(["ingressDeny rule 1: needed", "rule 1: needed"]));

  it("S9.1: what may be denied after a rule is not what surely is", () => {
    const group = (name: string) => `{toCIDRSet: [{cidrGroupRef: ${name}}]}`;
    const denying = (...items: readonly string[]) =>
      cilium(`egress: [{toEntities: [all]}], egressDeny: [${items.join(", ")}]`);
    expect(needsIn(denying("{toCIDR: [203.0.113.0/24]}", group("unknown")))).toEqual([
      "egressDeny rule 1: needed",
      "egressDeny rule 2: needed",
      "rule 1: needed",
    ]);
    expect(needsIn(denying("{toCIDR: [203.0.113.0/24]}", "{toEntities: [world]}", group("unknown")))).toEqual(
      [
        "egressDeny rule 1: redundant",
        "egressDeny rule 2: needed",
        "egressDeny rule 3: idle",
        "rule 1: needed",
      ],
    );
  });

  it("S7.7: an allow affects the conditions of the allows before it", () => {
    const ports = "toPorts: [{ports: [{port: '80', protocol: TCP}]";
    const [http, plain] = [`{${ports}, rules: {http: [{}]}}]}`, `{${ports}}]}`];
    expect(needsIn(cilium(`ingress: [${http}, ${plain}]`))).toEqual(["rule 1: needed", "rule 2: needed"]);
    expect(needsIn(cilium(`ingress: [${plain}, ${plain}]`))).toEqual(["rule 1: redundant", "rule 2: idle"]);
  });
});
