import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { readEdited } from "../../state/edit/edited-state.js";
import { formatParty } from "../endpoints/party.js";
import { parseRemoval } from "../../state/edit/removal.js";
import type { StateOptions } from "../../state/state.js";
import { failuresIn, preview } from "./preview.js";

const object = (apiVersion: string, kind: string, metadata: string, rest = "") =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}${rest}}`;
const pod = (namespace: string, name: string, address: string, labels = "", spec = "") =>
  object(
    "v1",
    "Pod",
    `name: ${name}, namespace: ${namespace}, labels: {app: ${name}${labels}}`,
    `, spec: {nodeName: n1${spec}}, status: {podIP: ${address}}`,
  );
const node = (name: string, address: string) =>
  object("v1", "Node", `name: ${name}`, `, status: {addresses: [{type: InternalIP, address: ${address}}]}`);
const networkPolicy = (name: string, spec: string) =>
  object("networking.k8s.io/v1", "NetworkPolicy", `name: ${name}, namespace: shop`, `, spec: ${spec}`);
const admin = (name: string, priority: number, spec: string) =>
  object(
    "policy.networking.k8s.io/v1alpha2",
    "ClusterNetworkPolicy",
    `name: ${name}`,
    `, spec: {tier: Admin, priority: ${priority}, subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}, ${spec}}`,
  );

const cluster = [
  node("n1", "192.168.0.1"),
  node("n2", "192.168.0.2"),
  pod("shop", "web", "10.0.0.1"),
  pod("shop", "cart", "10.0.0.2"),
  pod("kube-system", "dns", "10.0.0.3", ", k8s-app: kube-dns"),
  pod("kube-system", "cache", "192.168.0.1", ", k8s-app: node-local-dns", ", hostNetwork: true"),
];

const previewed = (
  apply: readonly string[],
  {
    also = [],
    remove = [],
    options = {},
  }: { also?: readonly string[]; remove?: readonly string[]; options?: StateOptions } = {},
) => {
  const edited = readEdited(
    [{ file: "state.yaml", text: [...cluster, ...also].join("\n---\n") }],
    {
      apply: [{ file: "new.yaml", text: apply.join("\n---\n") }],
      remove: remove.map((text) => {
        const parsed = parseRemoval(text);
        if (!parsed.ok) throw new Error(parsed.diagnostic.message);
        return parsed.value;
      }),
    },
    options,
  );
  if (!edited.after.usable)
    throw new Error(edited.after.diagnostics.map(({ message }) => message).join("\n"));
  return preview(edited);
};

const closed = (types: string) =>
  networkPolicy("closed", `{podSelector: {matchLabels: {app: web}}, policyTypes: [${types}]}`);
const names = (parties: Parameters<typeof formatParty>[0][]) => parties.map(formatParty).join(", ");

describe("lockouts", () => {
  const lost = (found: ReturnType<typeof preview>) =>
    found.lockouts.found.map(
      ({ from, after, parties, ports, example }) =>
        `${from} ${after} ${names([...parties])} ${ports.map(({ protocol }) => protocol).join("+")} e.g. ${formatEndpoint(example.destination)}`,
    );

  it("name pods that lose the cluster's DNS, and the cache on their node", () => {
    expect(lost(previewed([closed("Egress")]))).toEqual(["DNS Deny shop/web UDP+TCP e.g. kube-system/dns"]);
  });

  it("S1.15: name the workloads that lose DNS in an edit that changes the address family", () => {
    const [web, dns] = [
      pod("shop", "web", "fd00::1"),
      pod("kube-system", "dns", "fd00::3", ", k8s-app: kube-dns"),
    ];
    const lostDns = "DNS Deny shop/web UDP+TCP e.g. kube-system/dns";
    expect(lost(previewed([web, dns, closed("Egress")]))).toEqual([lostDns]);
    expect(lost(previewed([web, dns]))).toEqual([]);
    // In the other order: what was denied before is not lost.
    expect(lost(previewed([web, dns], { also: [closed("Egress")] }))).toEqual([]);
  });

  it("are none where DNS stays allowed", () => {
    const dns = networkPolicy(
      "dns",
      "{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: 53, protocol: UDP}, {port: 53}]}]}",
    );
    expect(lost(previewed([dns]))).toEqual([]);
  });

  it("are none for pods that had no access before", () => {
    const already = networkPolicy("already", "{podSelector: {}, policyTypes: [Egress]}");
    expect(lost(previewed([closed("Egress")], { also: [already] }))).toEqual([]);
  });

  it("name pods that lose the API server, by its address and the port of its Service", () => {
    const service = object(
      "v1",
      "Service",
      "name: kubernetes, namespace: default",
      ", spec: {ports: [{port: 443, targetPort: 6443}]}",
    );
    const slice = `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}, addressType: IPv4, ports: [{port: 6443}], endpoints: [{addresses: [192.168.0.2]}]}`;
    const deny = admin(
      "no-api",
      1,
      "egress: [{action: Deny, to: [{nodes: {}}], protocols: [{tcp: {destinationPort: {number: 6443}}}]}]",
    );
    expect(lost(previewed([deny], { also: [service, slice] }))).toEqual([
      "API server Deny shop/cart, shop/web TCP e.g. node n2",
    ]);
    const elsewhere = admin(
      "no-api",
      1,
      "egress: [{action: Deny, to: [{nodes: {}}], protocols: [{tcp: {destinationPort: {number: 443}}}]}]",
    );
    expect(lost(previewed([elsewhere], { also: [service, slice] }))).toEqual([]);
  });

  it("list what could not be checked", () => {
    expect(previewed([closed("Ingress")]).lockouts.unchecked).toEqual(["API server"]);
  });

  it("S7.8: name pods that their own node can no longer probe", () => {
    const deny = object(
      "cilium.io/v2",
      "CiliumNetworkPolicy",
      "name: no-host, namespace: shop",
      ", spec: {endpointSelector: {matchLabels: {app: web}}, enableDefaultDeny: {ingress: false}, ingressDeny: [{fromEntities: [host], toPorts: [{ports: [{port: '8080', protocol: TCP}]}]}]}",
    );
    const found = lost(previewed([deny]));
    expect(found).toEqual(["kubelet probes Deny shop/web TCP e.g. shop/web"]);
    expect(lost(previewed([closed("Ingress")]))).toEqual([]);
  });
});

describe("newly isolated pods", () => {
  const isolated = (found: ReturnType<typeof preview>) =>
    found.isolated.map(({ direction, parties, pods }) => `${direction} ${names([...parties])} ${pods}`);

  it("are listed by direction", () => {
    expect(isolated(previewed([closed("Ingress, Egress")]))).toEqual([
      "egress shop/web 1",
      "ingress shop/web 1",
    ]);
  });

  it("are not those that were isolated before", () => {
    const also = [networkPolicy("all", "{podSelector: {}}")];
    expect(isolated(previewed([closed("Ingress, Egress")], { also }))).toEqual(["egress shop/web 1"]);
  });
});

describe("pods that are cut off", () => {
  const cut = (found: ReturnType<typeof preview>) =>
    found.cutOff.map(({ direction, parties }) => `${direction} ${names([...parties])}`);

  it("can open nothing any more, or be opened nothing but by its own node (S1.6)", () => {
    expect(cut(previewed([closed("Ingress, Egress")]))).toEqual(["egress shop/web", "ingress shop/web"]);
  });

  it("are not those that have some connection left", () => {
    const some = networkPolicy(
      "some",
      "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{ipBlock: {cidr: 203.0.113.7/32}}]}]}",
    );
    expect(cut(previewed([some]))).toEqual([]);
  });

  it("are not those that had no connection before", () => {
    expect(
      cut(previewed([networkPolicy("all", "{podSelector: {}}")], { also: [closed("Ingress")] })),
    ).toEqual(["ingress shop/cart"]);
  });
});

describe("overrides", () => {
  const allowCart = networkPolicy(
    "allow-cart",
    "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: cart}}}]}]}",
  );
  const denyAll = admin("deny-all", 1, "ingress: [{action: Deny, from: [{namespaces: {}}]}]");

  it("name the NetworkPolicies whose traffic an applied policy decides otherwise", () => {
    const { overrides, overriddenBy } = previewed([denyAll], { also: [allowCart] });
    expect(
      overrides.map(({ policy, intent, rule, connections, example }) => [
        policy.name,
        intent,
        rule.origin.policy.name,
        connections,
        formatEndpoint(example.source),
      ]),
    ).toEqual([["allow-cart", "allows", "deny-all", 1, "shop/cart"]]);
    expect(overriddenBy).toEqual([]);
  });

  it("name the rules that decide otherwise than an applied NetworkPolicy", () => {
    const { overrides, overriddenBy } = previewed([allowCart], { also: [denyAll] });
    expect(overrides).toEqual([]);
    expect(
      overriddenBy.map(({ policy, rule, tier }) => [policy.name, rule.origin.policy.name, tier]),
    ).toEqual([["allow-cart", "deny-all", "admin"]]);
  });

  it("are none if an applied policy decides the same as the NetworkPolicy", () => {
    const allow = admin(
      "allow",
      1,
      "ingress: [{action: Accept, from: [{pods: {podSelector: {matchLabels: {app: cart}}}}]}]",
    );
    expect(previewed([allow], { also: [allowCart] }).overrides).toEqual([]);
  });
});

describe("an ambiguous order", () => {
  const deny = admin("a-deny", 5, "ingress: [{action: Deny, from: [{namespaces: {}}]}]");
  const allow = (priority: number) =>
    admin("b-allow", priority, "ingress: [{action: Accept, from: [{namespaces: {}}]}]");

  it("is shown with a connection that depends on it", () => {
    const [found, ...others] = previewed([allow(5)], { also: [deny] }).ambiguous;
    expect(others).toEqual([]);
    expect([found?.first.name, found?.second.name, found?.asOrdered, found?.swapped]).toEqual([
      "a-deny",
      "b-allow",
      "Deny",
      "Allow",
    ]);
  });

  it("is none between different priorities, or policies that were there", () => {
    expect(previewed([allow(6)], { also: [deny] }).ambiguous).toEqual([]);
    expect(previewed([closed("Ingress")], { also: [deny, allow(5)] }).ambiguous).toEqual([]);
  });
});

describe("what --fail-on asks for", () => {
  it.each([
    ["a policy that isolates", [closed("Egress")], ["newly-denied", "lockout"]],
    ["an object that changes nothing", [pod("shop", "web", "10.0.0.1")], []],
  ])("%s", (_, apply, wanted) => {
    expect(failuresIn(previewed(apply))).toEqual(wanted);
  });

  it("deleting what denies opens", () => {
    const found = previewed([pod("shop", "web", "10.0.0.1")], {
      also: [closed("Egress")],
      remove: ["NetworkPolicy"],
    });
    expect(failuresIn(found)).toEqual(["newly-allowed"]);
  });
});
