import { describe, expect, it } from "vitest";
import type { StateOptions } from "../../state/state.js";
import { parseAddress } from "../../net/address.js";
import { world } from "../../../testing/world.js";

const pod = (namespace: string, name: string, ip: string, node: string, more = ""): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}
spec: {nodeName: ${node}, serviceAccountName: ${name}, ${more}containers: [{name: c, ports: [{name: http, containerPort: 8080}, {name: dns, containerPort: 53, protocol: UDP}]}]}
status: {phase: Running, podIP: ${ip}}
`;

const node = (name: string, ip: string): string => `apiVersion: v1
kind: Node
metadata: {name: ${name}}
status: {addresses: [{type: InternalIP, address: ${ip}}]}
`;

const cluster = [
  "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n",
  "apiVersion: v1\nkind: Namespace\nmetadata: {name: security-team, labels: {team: security}}\n",
  node("n1", "192.168.0.1"),
  node("n2", "192.168.0.2"),
  pod("shop", "web", "10.0.1.1", "n1"),
  pod("shop", "db", "10.0.1.2", "n1"),
  pod("security-team", "scanner", "10.0.2.1", "n2"),
  pod("security-team", "agent", "192.168.0.2", "n2", "hostNetwork: true, "),
];

const ccnp = (name: string, spec: string): string =>
  `apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
const cnp = (name: string, spec: string): string =>
  `apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`;
const np = (name: string, spec: string): string =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`;

const given = (policies: readonly string[], options: StateOptions = {}) =>
  world([...cluster, ...policies].join("---\n"), options);

const web = "endpointSelector: {matchLabels: {app: web}}";
const toWeb = "security-team/scanner -> shop/web:8080/TCP";
const dbToWeb = "shop/db -> shop/web:8080/TCP";

describe("S7.1: deny and allow", () => {
  it("S7.1: a deny beats any allow, whatever its specificity, NetworkPolicy's included", () => {
    const w = given([
      ccnp(
        "deny-team",
        `{${web}, ingressDeny: [{fromEntities: [cluster]}], enableDefaultDeny: {ingress: false}}`,
      ),
      cnp(
        "allow-db",
        `{${web}, ingress: [{fromEndpoints: [{matchLabels: {app: db}}], toPorts: [{ports: [{port: "8080", protocol: TCP}]}]}]}`,
      ),
      np("allow-all", "{podSelector: {}, ingress: [{}]}"),
    ]);
    expect(w.ask(dbToWeb)).toMatchObject({
      verdict: "Deny",
      decidedBy: "CiliumClusterwideNetworkPolicy deny-team",
    });
    expect(w.verdict("8.8.8.8 -> shop/web:8080/TCP")).toBe("Allow");
  });

  it("S7.1: allows of Cilium and of NetworkPolicy add up, before isolation", () => {
    const w = given([
      cnp("allow-db", `{${web}, ingress: [{fromEndpoints: [{matchLabels: {app: db}}]}]}`),
      np(
        "allow-scanner",
        "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: security}}}]}]}",
      ),
    ]);
    expect(w.ask(dbToWeb).decidedBy).toBe("CiliumNetworkPolicy shop/allow-db");
    expect(w.ask(toWeb).decidedBy).toBe("NetworkPolicy shop/allow-scanner");
    expect(w.ask("8.8.8.8 -> shop/web:8080/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy shop/allow-scanner, CiliumNetworkPolicy shop/allow-db",
    });
  });
});

describe("S7.2: the seed's four states", () => {
  const on = cnp("with-deny", `{${web}, ingress: [{fromEndpoints: [{matchLabels: {app: db}}]}]}`);
  const off = ccnp(
    "without-deny",
    `{${web}, ingress: [{fromEntities: [world]}], ingressDeny: [{fromEntities: [remote-node]}], enableDefaultDeny: {ingress: false}}`,
  );
  const network = np("isolate", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}");
  // From the pod that "on" allows, the world that "off" allows, the node it denies, and a pod in no rule.
  const asks = [dbToWeb, "8.8.8.8 -> shop/web:8080/TCP", "node:n2 -> shop/web:8080/TCP", toWeb];
  it.each([
    ["no policy", [], "Allow Allow Allow Allow"],
    ["only with default deny", [on], "Allow Deny Deny Deny"],
    ["with and without default deny", [on, off], "Allow Allow Deny Deny"],
    ["only without default deny", [off], "Allow Allow Deny Allow"],
    ["no policy, and a NetworkPolicy", [network], "Deny Deny Deny Deny"],
    ["only with default deny, and a NetworkPolicy", [network, on], "Allow Deny Deny Deny"],
    ["with and without default deny, and a NetworkPolicy", [network, on, off], "Allow Allow Deny Deny"],
    ["only without default deny, and a NetworkPolicy", [network, off], "Deny Allow Deny Deny"],
  ])("S7.2: %s", (_title, policies, verdicts) => {
    const w = given(policies);
    expect(asks.map((question) => w.verdict(question)).join(" ")).toBe(verdicts);
  });

  it("S7.2: directions are independent", () => {
    const w = given([on]);
    expect(w.verdict("shop/web -> 8.8.8.8:443/TCP")).toBe("Allow");
  });

  it("S7.10: the scanner example locks everyone else out as written, and does not as meant", () => {
    const policy = (deny: string) =>
      ccnp(
        "scanner",
        `{endpointSelector: {}, enableDefaultDeny: {${deny}: false}, ingress: [{fromEndpoints: [{matchLabels: {"k8s:io.kubernetes.pod.namespace": security-team}}]}]}`,
      );
    const [written, meant] = [given([policy("egress")]), given([policy("ingress")])];
    expect([written.verdict(toWeb), written.verdict(dbToWeb)]).toEqual(["Allow", "Deny"]);
    expect([meant.verdict(toWeb), meant.verdict(dbToWeb)]).toEqual(["Allow", "Allow"]);
    const warned = (w: typeof written) => w.state.diagnostics.filter((d) => d.code === "TW2011").length;
    expect([warned(written), warned(meant)]).toEqual([1, 0]);
  });
});

describe("S7.3: items", () => {
  const verdicts = (item: string): string => {
    const w = given([ccnp("p", `{${web}, ingress: [${item}]}`)]);
    return [toWeb, "security-team/scanner -> shop/web:53/UDP", "security-team/scanner -> shop/web:ICMP"]
      .map((q) => w.verdict(q))
      .join(" ");
  };
  it.each([
    ["`{}` matches nothing, but isolates", "{}", "Deny Deny Deny"],
    ["peers without ports: every protocol", "{fromEndpoints: [{}]}", "Allow Allow Allow"],
    [
      "ports without peers: any peer",
      '{toPorts: [{ports: [{port: "8080", protocol: TCP}]}]}',
      "Allow Deny Deny",
    ],
    ["peers and ports", '{fromEndpoints: [{}], toPorts: [{ports: [{port: "53"}]}]}', "Deny Allow Deny"],
    ["an empty peer list matches nothing", "{fromEndpoints: [], fromEntities: [all]}", "Deny Deny Deny"],
    ["an empty list of ports counts as absent", "{fromEndpoints: [{}], toPorts: []}", "Allow Allow Allow"],
    ["a port entry without ports matches nothing", "{fromEndpoints: [{}], toPorts: [{}]}", "Deny Deny Deny"],
    [
      "S7.6: port 0 is every port, of TCP, UDP and SCTP, but not ICMP",
      '{toPorts: [{ports: [{port: "0"}]}]}',
      "Allow Allow Deny",
    ],
    ["S7.6: named ports", "{toPorts: [{ports: [{port: http, protocol: TCP}]}]}", "Allow Deny Deny"],
    ["S7.6: named ports of any protocol", "{toPorts: [{ports: [{port: dns}]}]}", "Deny Allow Deny"],
    ["S7.6: ICMP by type", "{icmps: [{fields: [{type: EchoRequest}]}]}", "Deny Deny Allow"],
    ["S7.6: another type", "{icmps: [{fields: [{type: 3}]}]}", "Deny Deny Deny"],
    ["S7.11: type 0 is every type", "{icmps: [{fields: [{type: 0}]}]}", "Deny Deny Allow"],
    [
      "S7.11: endPort <= port is the port alone",
      '{toPorts: [{ports: [{port: "8080", endPort: 100}]}]}',
      "Allow Deny Deny",
    ],
  ])("S7.3: %s", (_title, item, expected) => {
    expect(verdicts(item)).toBe(expected);
  });
});

describe("S7.4: which pods are selected", () => {
  const allowedBy = (policy: string): string => {
    const w = given([policy]);
    return ["shop/db", "security-team/scanner", "security-team/agent", "node:n2", "8.8.8.8"]
      .filter((from) => w.verdict(`${from} -> shop/web:8080/TCP`) === "Allow")
      .join(" ");
  };
  const from = (selector: string): string => `{${web}, ingress: [{fromEndpoints: [${selector}]}]}`;
  it.each([
    ["own namespace", cnp("p", from("{}")), "shop/db"],
    [
      "anywhere, for a clusterwide policy; never nodes or host-network pods",
      ccnp("p", from("{}")),
      "shop/db security-team/scanner",
    ],
    [
      "a namespace by name",
      cnp("p", from("{matchLabels: {io.kubernetes.pod.namespace: security-team}}")),
      "security-team/scanner",
    ],
    [
      "a namespace by its labels",
      cnp("p", from("{matchLabels: {k8s:io.cilium.k8s.namespace.labels.team: security}}")),
      "security-team/scanner",
    ],
    [
      "a service account",
      ccnp("p", from("{matchLabels: {io.cilium.k8s.policy.serviceaccount: scanner}}")),
      "security-team/scanner",
    ],
    ["a reserved label, which no pod has", ccnp("p", from("{matchLabels: {reserved:host: ''}}")), ""],
    ["a pod label, whatever its source", ccnp("p", from("{matchLabels: {any:app: db}}")), "shop/db"],
    [
      "S7.5: all",
      ccnp("p", `{${web}, ingress: [{fromEntities: [all]}]}`),
      "shop/db security-team/scanner security-team/agent node:n2 8.8.8.8",
    ],
    ["S7.5: world", ccnp("p", `{${web}, ingress: [{fromEntities: [world]}]}`), "8.8.8.8"],
    [
      "S7.5: cluster",
      ccnp("p", `{${web}, ingress: [{fromEntities: [cluster]}]}`),
      "shop/db security-team/scanner security-team/agent node:n2",
    ],
    [
      "S7.5: remote-node",
      ccnp("p", `{${web}, ingress: [{fromEntities: [remote-node]}]}`),
      "security-team/agent node:n2",
    ],
    [
      "S7.5: none, init, health, ingress, unmanaged",
      ccnp("p", `{${web}, ingress: [{fromEntities: [none, init, health, ingress, unmanaged]}]}`),
      "",
    ],
    [
      "S7.5: CIDRs match external addresses only",
      ccnp("p", `{${web}, ingress: [{fromCIDR: [0.0.0.0/0]}]}`),
      "8.8.8.8",
    ],
    [
      "S7.5: an exception is local to its item",
      ccnp(
        "p",
        `{${web}, ingress: [{fromCIDRSet: [{cidr: 8.0.0.0/8, except: [8.8.0.0/16]}, {cidr: 8.8.8.8/32}]}]}`,
      ),
      "8.8.8.8",
    ],
    [
      "S7.5: and counts in it",
      ccnp("p", `{${web}, ingress: [{fromCIDRSet: [{cidr: 8.0.0.0/8, except: [8.8.0.0/16]}]}]}`),
      "",
    ],
  ])("S7.4: %s", (_title, policy, expected) => {
    expect(allowedBy(policy)).toBe(expected);
  });

  it("S7.4: the subject of a namespaced policy is in its own namespace, whatever it names", () => {
    const w = given([
      cnp(
        "p",
        "{endpointSelector: {matchLabels: {k8s:io.kubernetes.pod.namespace: security-team}}, ingress: [{}]}",
      ),
    ]);
    expect(w.verdict("8.8.8.8 -> security-team/scanner:8080/TCP")).toBe("Allow");
    expect(w.verdict("8.8.8.8 -> shop/db:8080/TCP")).toBe("Deny");
  });

  it("S7.5: kube-apiserver is Undecided for nodes and external addresses until it is known", () => {
    const policy = ccnp("p", `{${web}, egress: [{toEntities: [kube-apiserver]}]}`);
    const asks = ["8.8.8.8", "node:n2", "shop/db"].map((to) => `shop/web -> ${to}:443/TCP`);
    const unknown = given([policy]);
    expect(asks.map((q) => unknown.verdict(q))).toEqual(["Undecided", "Undecided", "Deny"]);
    const known = given([policy], { facts: { apiServer: [parseAddress("8.8.8.8")!] } });
    expect(asks.map((q) => known.verdict(q))).toEqual(["Allow", "Deny", "Deny"]);
  });
});

describe("S7.7: conditions", () => {
  const port = 'ports: [{port: "8080", protocol: TCP}]';
  const http = `{fromEndpoints: [{}], toPorts: [{${port}, rules: {http: [{method: GET}]}}]}`;
  const asked = (items: string, more = "") =>
    given([ccnp("p", `{${web}, ingress: [${items}]${more}}`)]).ask(toWeb);

  it("S7.7: L7 rules allow, on a condition", () => {
    expect(asked(http)).toMatchObject({ verdict: "Allow", conditions: ["conditional on L7 (http)"] });
  });

  it("S7.7: where the endpoint is not isolated they only observe", () => {
    const { verdict, conditions } = asked(http, ", enableDefaultDeny: {ingress: false}");
    expect(verdict).toBe("Allow");
    expect(conditions.filter((text) => text.startsWith("conditional"))).toEqual([]);
  });

  it("S7.7: a plain allow of the same peer and port removes the condition; a broader one does not", () => {
    expect(asked(`${http}, {fromEndpoints: [{}], toPorts: [{${port}}]}`).conditions).toEqual([]);
    expect(asked(`${http}, {fromEndpoints: [{}]}`).conditions).toEqual(["conditional on L7 (http)"]);
    expect(asked(`${http}, {fromEntities: [all], toPorts: [{${port}}]}`).conditions).toEqual([
      "conditional on L7 (http)",
    ]);
  });

  it("S7.7: server names are conditional in every state", () => {
    const sni = `{fromEndpoints: [{}], toPorts: [{${port}, serverNames: [a.example]}]}`;
    for (const more of ["", ", enableDefaultDeny: {ingress: false}"])
      expect(asked(sni, more)).toMatchObject({ verdict: "Allow", conditions: ["conditional on SNI"] });
  });

  it("S7.7: authentication", () => {
    const verdict = (mode: string) => asked(`{fromEndpoints: [{}], authentication: {mode: ${mode}}}`).verdict;
    expect([verdict("required"), verdict("disabled"), verdict("test-always-fail")]).toEqual([
      "Undecided",
      "Allow",
      "Deny",
    ]);
  });
});

describe("S7.8: the pod's own node", () => {
  const fromNode = "node:n1 -> shop/web:8080/TCP";
  it("S7.8: reaches its pods whatever isolates them, unless an ingressDeny item matches it", () => {
    expect(given([ccnp("p", `{${web}, ingress: [{}]}`)]).verdict(fromNode)).toBe("Allow");
    expect(given([ccnp("p", `{${web}, ingressDeny: [{fromEntities: [world]}]}`)]).verdict(fromNode)).toBe(
      "Allow",
    );
    const denied = given([ccnp("p", `{${web}, ingressDeny: [{fromEntities: [host]}]}`)]);
    expect(denied.ask(fromNode)).toMatchObject({
      verdict: "Deny",
      decidedBy: "CiliumClusterwideNetworkPolicy p",
    });
  });

  it("S1.6: an item that fails closed does not", () => {
    const policy = ccnp("p", `{${web}, ingressDeny: [{fromMoon: [{}]}]}`);
    const w = given([policy], { provenance: "cluster" });
    expect(w.verdict(fromNode)).toBe("Allow");
    expect(w.verdict(toWeb)).toBe("Deny");
  });
});

describe("S7.11: facts from other objects", () => {
  const egress = (item: string): string => ccnp("p", `{${web}, egress: [${item}]}`);
  it("S7.11: a clusterwide nodeSelector policy has no effect on pods", () => {
    expect(given([ccnp("p", "{nodeSelector: {}, ingress: [{}]}")]).verdict(toWeb)).toBe("Allow");
  });

  it.each([
    ["CIDR groups", "{toCIDRSet: [{cidrGroupRef: vpn}]}"],
    ["cloud groups", "{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}"],
    ["Services", "{toServices: [{k8sService: {serviceName: api, namespace: shop}}]}"],
    ["S8.3: names without DNS", "{toFQDNs: [{matchName: api.example.com}]}"],
  ])("S7.11: %s without their objects are Undecided where it matters", (_title, item) => {
    expect(given([egress(item)]).verdict("shop/web -> 8.8.8.8:443/TCP")).toBe("Undecided");
    expect(given([egress(`${item}, {toEntities: [world]}`)]).verdict("shop/web -> 8.8.8.8:443/TCP")).toBe(
      "Allow",
    );
  });

  it("S7.11: the exception of a group is sure", () => {
    const w = given([egress("{toCIDRSet: [{cidrGroupRef: vpn, except: [8.0.0.0/8]}]}")]);
    expect(w.verdict("shop/web -> 8.8.8.8:443/TCP")).toBe("Deny");
  });

  it("S7.11: a CIDR group that is there", () => {
    const group =
      "apiVersion: cilium.io/v2\nkind: CiliumCIDRGroup\nmetadata: {name: vpn}\nspec: {externalCIDRs: [8.8.0.0/16]}\n";
    const w = given([egress("{toCIDRSet: [{cidrGroupRef: vpn}]}"), group]);
    expect([w.verdict("shop/web -> 8.8.8.8:443/TCP"), w.verdict("shop/web -> 9.9.9.9:443/TCP")]).toEqual([
      "Allow",
      "Deny",
    ]);
  });

  it("S7.7: patterns, with the names known", () => {
    const dns = [
      { name: "api.example.com", addresses: [parseAddress("8.8.8.8")!] },
      { name: "a.b.example.com", addresses: [parseAddress("8.8.4.4")!, parseAddress("10.0.1.2")!] },
    ];
    const verdicts = (pattern: string) => {
      const w = given([egress(`{toFQDNs: [{matchPattern: "${pattern}"}]}`)], { facts: { dns } });
      return ["8.8.8.8", "8.8.4.4", "shop/db"].map((to) => w.verdict(`shop/web -> ${to}:443/TCP`)).join(" ");
    };
    expect(verdicts("*.example.com")).toBe("Allow Deny Deny");
    expect(verdicts("**.Example.com.")).toBe("Allow Allow Deny");
    expect(verdicts("*")).toBe("Allow Allow Deny");
    expect(verdicts("ap*.example.com")).toBe("Allow Deny Deny");
  });
});

describe("S7.12: enforcement modes", () => {
  it.each([
    ["default", "Deny", "Allow"],
    ["always", "Deny", "Deny"],
    ["never", "Allow", "Allow"],
  ] as const)("S7.12: %s", (ciliumEnforcement, selected, other) => {
    const w = given([ccnp("p", `{${web}, ingress: [{}]}`)], { ciliumEnforcement });
    expect([w.verdict(toWeb), w.verdict("security-team/scanner -> shop/db:8080/TCP")]).toEqual([
      selected,
      other,
    ]);
  });
});

describe("S7.12: what `never` switches off", () => {
  const guard = (tier: string) =>
    `apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: guard}\nspec: {tier: ${tier}, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n`;
  const admin =
    "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: guard}\nspec: {priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n";
  it.each([
    ["a ClusterNetworkPolicy in tier Admin, which Cilium enforces", guard("Admin"), "Allow"],
    ["one in tier Baseline", guard("Baseline"), "Allow"],
    ["a NetworkPolicy", np("none", "{podSelector: {}, policyTypes: [Ingress]}"), "Allow"],
    ["not an AdminNetworkPolicy, which Cilium does not enforce", admin, "Deny"],
  ])("S7.12: %s", (_what, policy, verdict) => {
    expect(given([policy]).verdict(toWeb)).toBe("Deny");
    expect(given([policy], { ciliumEnforcement: "never" }).verdict(toWeb)).toBe(verdict);
  });
});

describe("S7.13, S7.14: nodes by labels", () => {
  const egress = (peer: string) => given([ccnp("p", `{${web}, egress: [${peer}]}`)]);
  const others = [
    "shop/web -> node:n1:22/TCP",
    "shop/web -> node:n2:22/TCP",
    "shop/web -> 8.8.8.8:22/TCP",
    "shop/web -> shop/db:22/TCP",
  ];
  it.each([
    ['{toEndpoints: [{matchLabels: {"reserved:host": ""}}]}', ["Allow", "Deny", "Deny", "Deny"]],
    ['{toEndpoints: [{matchLabels: {"reserved:remote-node": ""}}]}', ["Deny", "Allow", "Deny", "Deny"]],
    ['{toEndpoints: [{matchLabels: {"reserved:world": ""}}]}', ["Deny", "Deny", "Allow", "Deny"]],
    ['{toEndpoints: [{matchLabels: {"reserved:world-ipv6": ""}}]}', ["Deny", "Deny", "Deny", "Deny"]],
    [
      "{toEndpoints: [{matchExpressions: [{key: reserved:host, operator: DoesNotExist}]}]}",
      ["Deny", "Allow", "Allow", "Allow"],
    ],
    ["{toNodes: [{}]}", ["Deny", "Allow", "Deny", "Deny"]],
    ["{toNodes: [{matchLabels: {zone: east}}]}", ["Deny", "Deny", "Deny", "Deny"]],
    [
      "{toNodes: [{matchExpressions: [{key: zone, operator: DoesNotExist}]}]}",
      ["Deny", "Allow", "Deny", "Deny"],
    ],
  ])("S7.13, S7.14: %s", (peer, verdicts) => {
    const w = egress(peer);
    expect(others.map((question) => w.verdict(question))).toEqual(verdicts);
  });

  it("S7.13, S7.8: an ingressDeny item on `reserved:host` denies the node its own pods", () => {
    const deny = '{fromEndpoints: [{matchLabels: {"reserved:host": ""}}]}';
    const w = given([ccnp("p", `{${web}, ingressDeny: [${deny}], enableDefaultDeny: {ingress: false}}`)]);
    expect(w.verdict("node:n1 -> shop/web:8080/TCP")).toBe("Deny");
    expect(w.verdict("node:n2 -> shop/web:8080/TCP")).toBe("Allow");
  });
});

describe("S7.15: labels that are not part of an identity", () => {
  const labelled = [
    "apiVersion: v1\nkind: Pod\nmetadata: {name: db-0, namespace: shop, labels: {app: store, statefulset.kubernetes.io/pod-name: db-0, pod-template-hash: x}}\nspec: {containers: [{name: c}]}\nstatus: {phase: Running, podIP: 10.0.1.9}\n",
  ];
  const selecting = (label: string, options: StateOptions = {}) =>
    given([...labelled, cnp("p", `{endpointSelector: {matchLabels: {${label}}}, ingress: [{}]}`)], options);
  const toStore = "shop/db -> shop/db-0:80/TCP";
  it.each([
    ["app: store", [], "Deny"],
    ["k8s:app: store", [], "Deny"],
    ["statefulset.kubernetes.io/pod-name: db-0", [], "Allow"],
    ["pod-template-hash: x", [], "Allow"],
    ["pod-template-hash: x", ["k8s:pod-template-hash"], "Allow"],
    ["pod-template-hash: x", ["k8s:pod-template-hash.*"], "Allow"],
    ["app: store", ["k8s:!app"], "Allow"],
    ["app: store", ["!a"], "Allow"],
    ["app: store", ["container:!app"], "Deny"],
    ["app: store", ["k8s:team"], "Allow"],
    ["app: store", ["k8s:team", "app"], "Deny"],
    ["app: store", ["!a", "app"], "Deny"],
  ])("S7.15: %s with %j", (label, ciliumLabels, verdict) => {
    expect(selecting(label, { ciliumLabels }).verdict(toStore)).toBe(verdict);
  });

  it("S7.15: NetworkPolicies see all labels", () => {
    const policy = np("all", "{podSelector: {matchLabels: {pod-template-hash: x}}, policyTypes: [Ingress]}");
    expect(given([...labelled, policy]).verdict(toStore)).toBe("Deny");
  });

  it("S7.15: the label is warned of where it is asked for, and only while it does not count", () => {
    const codes = (options: StateOptions) =>
      selecting("controller-uid: x", options).state.diagnostics.map(({ code }) => code);
    expect(codes({})).toContain("TW2033");
    expect(codes({ ciliumLabels: ["k8s:controller-uid-?"] })).toContain("TW2033");
    expect(codes({ ciliumLabels: ["k8s:.*"] })).toContain("TW2033");
  });
});

describe("S7.16: the name of the cluster", () => {
  const from = (label: string, options: StateOptions = {}) =>
    given([cnp("p", `{${web}, ingress: [{fromEndpoints: [{matchLabels: {${label}}}]}]}`)], options);
  it.each([
    ["io.cilium.k8s.policy.cluster: default", undefined, "Allow"],
    ["io.cilium.k8s.policy.cluster: east", undefined, "Deny"],
    ["k8s:io.cilium.k8s.policy.cluster: east", "east", "Allow"],
    ["any:io.cilium.k8s.policy.cluster: default", "east", "Deny"],
  ])("S7.16: %s in a cluster called %s", (label, name, verdict) => {
    const options = name === undefined ? {} : { ciliumClusterName: name };
    const w = from(label, options);
    expect(w.verdict(dbToWeb)).toBe(verdict);
    expect(w.state.diagnostics.map(({ code }) => code)).toEqual(name === undefined ? ["TW2032"] : []);
  });
});

describe("S7.7: what waives an L7 condition", () => {
  const pods = ["client, labels: {a: y1, b: y1}", "server"].map(
    (rest) =>
      `---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: x, name: ${rest}}\nspec: {containers: []}\n`,
  );
  const policy = (name: string, items: string) => `---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: ${name}, namespace: x}
spec: {endpointSelector: {}, ingress: [${items}]}
`;
  const peers = (...keys: readonly string[]) => keys.map((key) => `{matchLabels: {${key}: y1}}`).join(", ");
  const http = (list: string) =>
    `{fromEndpoints: [${list}], toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{}]}}]}`;
  const plain = (list: string) =>
    `{fromEndpoints: [${list}], toPorts: [{ports: [{port: "80", protocol: TCP}]}]}`;
  const conditions = (...policies: readonly string[]) =>
    world([...pods, ...policies].join("")).ask("x/client -> x/server:80/TCP").conditions;

  it.each([
    ["a plain allow of the same peer", [http(peers("a")), plain(peers("a"))], 0],
    ["not a broader one", [http(peers("a")), plain("{}")], 1],
    ["not one of only some of its peers, in one item", [http(peers("a", "b")), plain(peers("a"))], 1],
    ["nor in two", [http(peers("a")), http(peers("b")), plain(peers("a"))], 1],
    ["all of its peers", [http(peers("a", "b")), plain(peers("a")), plain(peers("b"))], 0],
  ])("S7.7: %s", (_what, items, count) => {
    expect(conditions(...items.map((item, i) => policy(`p${i}`, item)))).toHaveLength(count);
  });
});
