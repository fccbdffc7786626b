import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { formatAddress } from "../../net/address.js";
import { world } from "../../../testing/world.js";
import type { ChangedSide } from "./changed-block.js";
import { compile } from "../engine.js";

const cluster = (status: string) => `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: n1, containers: []}, status: ${status}}
---`;

const egress = (rules: string) => `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: out, namespace: shop}, spec: {podSelector: {}, policyTypes: [Egress], egress: ${rules}}}
`;

/** `192.0.2.0-192.0.2.255`, for what changes between a pod and external addresses. */
function changedOutside(status: string, before: string, after: string): readonly string[] {
  const [then, now] = [world(cluster(status) + before).state, world(cluster(status) + after).state];
  const { pairs } = compile(then.cluster, then.tiers).update({ tiers: now.tiers });
  return pairs.flatMap(({ to }) => rangesOf(to));
}

function rangesOf(side: ChangedSide): readonly string[] {
  if (side.kind !== "external") return [];
  return side.ranges.map(({ family, first, last }) =>
    [first, last].map((value) => formatAddress({ family, value })).join("-"),
  );
}

describe("a policy that changes", () => {
  it("S1.14: changes external addresses of both families to a pod whose address is not known", () => {
    expect(changedOutside("{}", egress("[]"), "")).toEqual([
      "0.0.0.0-255.255.255.255",
      "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]);
  });

  it.each([
    ["some addresses", "[{to: [{ipBlock: {cidr: 192.0.2.0/24}}]}]", ["192.0.2.0-192.0.2.255"]],
    ["pods only", "[{to: [{podSelector: {}}]}]", []],
  ])("no longer lets out to %s", (_, rules, changed) => {
    expect(changedOutside("{podIP: 10.0.0.1}", egress(rules), egress("[]"))).toEqual(changed);
  });

  it("leaves little behind, however often it does", () => {
    const pod = cluster("{podIP: 10.0.0.1}");
    const [closed, open] = [egress("[]"), egress("[{}]")].map((policy) => world(pod + policy).state);
    const engine = compile(closed!.cluster, closed!.tiers);
    const rows = () => engine.view(4).layers.egress.reduce((sum, layer) => sum + layer.rows.rows.length, 0);
    const count = rows();
    for (let i = 0; i < 1500; i++) {
      engine.follow({ tiers: open!.tiers });
      engine.follow({ tiers: closed!.tiers });
    }
    expect(rows()).toBeLessThanOrEqual(2 * count + 1000);
  });
});

describe("a policy that distinguishes pods which no other policy did", () => {
  const pod = (name: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}, spec: {containers: []}}`;
  const denying = (name: string, app: string) =>
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}}, spec: {tier: Admin, priority: 1, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: db}}}}, ingress: [{action: Deny, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}}]}]}}`;
  const state = (...policies: readonly string[]) =>
    world(
      [
        "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
        pod("web"),
        pod("cart"),
        pod("db"),
        ...policies,
      ].join("\n---\n"),
    ).state;

  it("changes their connections, in tables that were read before", () => {
    const before = state(denying("guard", "web"));
    const after = state(denying("guard", "web"), denying("other", "cart"));
    const engine = compile(before.cluster, before.tiers);
    expect([...engine.pairs()].length).toBeGreaterThan(0);
    const { pairs } = engine.update({ tiers: after.tiers });
    const names = pairs.flatMap((changed) =>
      Array.from(changed.pairs(), ({ source, destination }) =>
        [source, destination].map(({ after }) => formatEndpoint(after)),
      ),
    );
    expect(names).toEqual([["shop/cart", "shop/db"]]);
  });
});
