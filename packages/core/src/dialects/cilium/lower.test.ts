import { describe, expect, it } from "vitest";
import { formatMatch } from "../../labels/requirement.js";
import { formatCidr } from "../../net/cidr.js";
import { assembleTiers, type Lowered } from "../../policy/assemble.js";
import { describePeer } from "../../policy/describe.js";
import type { Peer, PodSelection, PortMatch, Rule } from "../../policy/model.js";
import { readOne } from "../../../testing/read-one.js";
import { ciliumKinds } from "./dialect.js";

const header = (kind: string): string =>
  `apiVersion: cilium.io/v2\nkind: ${kind}\nmetadata: {name: p${kind === "CiliumNetworkPolicy" ? ", namespace: shop" : ""}}\n`;

const clusterwide = (body: string, provenance: "file" | "cluster" = "file") =>
  readOne(ciliumKinds, header("CiliumClusterwideNetworkPolicy") + body, provenance);
const namespaced = (body: string) => readOne(ciliumKinds, header("CiliumNetworkPolicy") + body);

/** The rules that one item becomes, in the order of evaluation. */
function rulesOf(
  item: string,
  section = "ingress",
  kind: "namespaced" | "clusterwide" = "clusterwide",
): readonly Rule[] {
  const body = `spec: {endpointSelector: {}, ${section}: [${item}]}`;
  return allRules((kind === "namespaced" ? namespaced(body) : clusterwide(body)).lowered);
}

function allRules(lowered: Lowered): readonly Rule[] {
  const tiers = assembleTiers([lowered]);
  return [...tiers.ingress, ...tiers.egress].flatMap((tier) => tier.rules);
}

const peersOf = (
  item: string,
  section = "ingress",
  kind: "namespaced" | "clusterwide" = "clusterwide",
): readonly string[] => rulesOf(item, section, kind).flatMap((rule) => rule.peers.map(formatPeer));

const portsOf = (item: string, section = "ingress"): readonly string[] =>
  rulesOf(item, section).flatMap((rule) => (rule.ports === "every" ? ["every"] : rule.ports.map(formatPort)));

function formatPeer(peer: Peer): string {
  switch (peer.kind) {
    case "everything":
      return "everything";
    case "pods": {
      if (peer.namespaces.kind !== "selector" || peer.pods.kind !== "selector") return "?";
      const account = peer.account === undefined ? "" : ` as ${formatMatch(peer.account)}`;
      return `pods ${formatMatch(peer.pods.match)} in ${formatMatch(peer.namespaces.match)}${account}`;
    }
    case "networks":
      return [
        `${peer.reach} ${peer.cidrs.map(formatCidr).join(" ")}`,
        ...peer.except.map((c) => `but ${formatCidr(c)}`),
      ].join(" ");
    case "domains":
      return `${peer.reach} ${peer.patterns.map((p) => `${p.kind} ${p.text}`).join(" ")}`;
    case "entity":
      return describePeer(peer);
    case "endpoints":
      return `endpoints of ${JSON.stringify(peer.services)}`;
    case "cidr-group":
      return `group ${peer.name ?? formatMatch(peer.labels ?? [])}${peer.except.map((c) => ` but ${formatCidr(c)}`).join("")}`;
    case "unknown-set":
      return `${peer.reach} ${peer.what}`;
    case "nodes":
      return "?";
  }
}

function formatPort(port: PortMatch): string {
  if (port.kind === "icmp") return `ICMPv${port.family} ${port.type}`;
  if (port.kind === "named") return port.protocol === undefined ? port.name : `${port.name}/${port.protocol}`;
  return `${port.first}${port.last === port.first ? "" : `-${port.last}`}/${port.protocol}`;
}

const formatSubject = ({ namespaces, pods, account }: PodSelection): string =>
  `${formatMatch(pods)} in ${formatMatch(namespaces)}${account === undefined ? "" : ` as ${formatMatch(account)}`}`;

describe("S7.1: rules", () => {
  it("S7.1: spec and each of specs is a rule with its own place", () => {
    const { lowered } =
      clusterwide(`spec: {endpointSelector: {matchLabels: {app: a}}, ingress: [{fromEntities: [all]}]}
specs:
- {endpointSelector: {matchLabels: {app: b}}, ingress: [{fromEntities: [all]}, {fromEntities: [host]}]}
- {endpointSelector: {matchLabels: {app: c}}, egressDeny: [{toEntities: [world]}], enableDefaultDeny: {egress: false}}`);
    expect(
      allRules(lowered).map(
        (r) => `${formatSubject(r.subject)}: ${r.action} ${r.origin.path} ${r.origin.index}`,
      ),
    ).toEqual([
      "app=a in everything: Allow spec.ingress[0] 0",
      "app=b in everything: Allow specs[0].ingress[0] 0",
      "app=b in everything: Allow specs[0].ingress[1] 1",
      "app=c in everything: Deny specs[1].egressDeny[0] 0",
    ]);
    expect(lowered.rules.every((r) => r.tier === "network-policy" && r.precedence === 0)).toBe(true);
  });

  it("S7.1: every deny comes before every allow", () => {
    const { lowered } = clusterwide(`specs:
- {endpointSelector: {}, ingress: [{fromEntities: [all]}]}
- {endpointSelector: {}, ingressDeny: [{fromEntities: [world]}], ingress: [{fromEntities: [host]}]}`);
    expect(allRules(lowered).map((r) => r.action)).toEqual(["Deny", "Allow", "Allow"]);
  });

  it("S7.8: only ingressDeny binds the pod's own node", () => {
    expect(rulesOf("{fromEntities: [host]}", "ingressDeny")[0]?.bindsOwnNode).toBe(true);
    expect(rulesOf("{toEntities: [host]}", "egressDeny")[0]).not.toHaveProperty("bindsOwnNode");
    expect(rulesOf("{fromEntities: [host]}", "ingress")[0]).not.toHaveProperty("bindsOwnNode");
  });

  it("S7.11: a nodeSelector rule has no effect on pods, and is reported", () => {
    const reading = clusterwide("spec: {nodeSelector: {}, ingress: [{fromEntities: [all]}]}");
    expect(reading.found).toEqual(["TW2014 spec.nodeSelector"]);
    expect(reading.lowered).toEqual({ rules: [], isolation: [] });
  });
});

describe("S7.2: isolation", () => {
  const isolated: readonly [string, string, readonly string[]][] = [
    ["an allow section isolates its direction", "ingress: [{fromEntities: [all]}]", ["ingress"]],
    ["so does a deny section", "egressDeny: [{toEntities: [world]}]", ["egress"]],
    [
      "both directions",
      "ingress: [{fromEntities: [all]}], egress: [{toEntities: [all]}]",
      ["ingress", "egress"],
    ],
    [
      "once for an allow and a deny section",
      "ingress: [{fromEntities: [all]}], ingressDeny: [{fromEntities: [world]}]",
      ["ingress"],
    ],
    ["an item `{}` counts as a section (S7.3)", "ingress: [{}]", ["ingress"]],
    [
      "not when default deny is off",
      "ingress: [{fromEntities: [all]}], enableDefaultDeny: {ingress: false}",
      [],
    ],
    [
      "an explicit true is the default",
      "ingress: [{fromEntities: [all]}], enableDefaultDeny: {ingress: true}",
      ["ingress"],
    ],
    [
      "off for the other direction changes nothing",
      "ingress: [{fromEntities: [all]}], enableDefaultDeny: {egress: false}",
      ["ingress"],
    ],
    [
      "an empty section never isolates, even with true",
      "ingress: [{fromEntities: [all]}], egress: [], enableDefaultDeny: {egress: true}",
      ["ingress"],
    ],
    [
      "nor does a missing one",
      "ingress: [{fromEntities: [all]}], enableDefaultDeny: {egress: true, ingress: false}",
      [],
    ],
  ];
  it.each(isolated)("S7.2: %s", (_title, rule, directions) => {
    const { isolation } = clusterwide(`spec: {endpointSelector: {matchLabels: {app: a}}, ${rule}}`).lowered;
    expect(isolation.map((i) => i.direction)).toEqual(directions);
    for (const entry of isolation) {
      expect(entry.tier).toBe("network-policy");
      expect(formatSubject(entry.subject)).toBe("app=a in everything");
    }
  });

  it("S7.2: each rule isolates on its own behalf", () => {
    const { isolation } = clusterwide(`specs:
- {endpointSelector: {matchLabels: {app: a}}, ingress: [{fromEntities: [all]}]}
- {endpointSelector: {matchLabels: {app: b}}, ingress: [{fromEntities: [all]}], enableDefaultDeny: {ingress: false}}`).lowered;
    expect(isolation.map((i) => formatSubject(i.subject))).toEqual(["app=a in everything"]);
  });
});

describe("S7.3: what one item matches", () => {
  const everyPortTcp = "1-65535/TCP";
  const cases: readonly [string, string, readonly string[], readonly string[]][] = [
    ["neither peers nor ports: nothing", "{}", [], ["every"]],
    ["authentication alone: nothing", "{authentication: {mode: disabled}}", [], ["every"]],
    [
      "ports without peers: any peer",
      '{toPorts: [{ports: [{port: "0", protocol: TCP}]}]}',
      ["everything"],
      [everyPortTcp],
    ],
    ["ICMP without peers: any peer", "{icmps: [{fields: [{type: 8}]}]}", ["everything"], ["ICMPv4 8"]],
    ["peers without ports: every protocol", "{fromEntities: [world]}", ["entity world"], ["every"]],
    ["empty fromEndpoints: nothing", "{fromEndpoints: []}", [], ["every"]],
    ["empty fromCIDR: nothing", "{fromCIDR: []}", [], ["every"]],
    ["empty fromCIDRSet: nothing", "{fromCIDRSet: []}", [], ["every"]],
    ["empty fromEntities: nothing", "{fromEntities: []}", [], ["every"]],
    ["empty next to another kind: nothing", "{fromEndpoints: [], fromEntities: [world]}", [], ["every"]],
    [
      "empty next to ports: nothing",
      '{fromEndpoints: [], toPorts: [{ports: [{port: "80", protocol: TCP}]}]}',
      [],
      ["80/TCP"],
    ],
    [
      "empty groups are ignored",
      '{fromGroups: [], toPorts: [{ports: [{port: "80", protocol: TCP}]}]}',
      ["everything"],
      ["80/TCP"],
    ],
    [
      "a peer list that is null is absent",
      '{fromEndpoints: , toPorts: [{ports: [{port: "80", protocol: TCP}]}]}',
      ["everything"],
      ["80/TCP"],
    ],
    [
      "`fromEndpoints: [{}]` is any endpoint",
      "{fromEndpoints: [{}]}",
      ["pods everything in everything"],
      ["every"],
    ],
    ["empty toPorts are ignored", "{fromEntities: [world], toPorts: []}", ["entity world"], ["every"]],
    ["empty toPorts alone: nothing", "{toPorts: []}", [], ["every"]],
    ["`toPorts: [{}]`: nothing", "{fromEntities: [world], toPorts: [{}]}", ["entity world"], []],
    [
      "`toPorts: [{ports: []}]`: nothing",
      "{fromEntities: [world], toPorts: [{ports: []}]}",
      ["entity world"],
      [],
    ],
    [
      "`icmps: [{fields: []}]`: nothing",
      "{fromEntities: [world], icmps: [{fields: []}]}",
      ["entity world"],
      [],
    ],
    [
      "an entry without ports adds nothing",
      '{toPorts: [{}, {ports: [{port: "80", protocol: TCP}]}]}',
      ["everything"],
      ["80/TCP"],
    ],
  ];
  it.each(cases)("S7.3: %s", (_title, item, peers, ports) => {
    expect(peersOf(item)).toEqual(peers);
    expect(portsOf(item)).toEqual(ports);
  });

  it.each(["toFQDNs", "toServices", "toGroups"])("S7.3: empty %s is ignored", (field) => {
    expect(peersOf(`{${field}: []}`, "egress")).toEqual([]);
    expect(peersOf(`{${field}: [], toPorts: [{ports: [{port: "80"}]}]}`, "egress")).toEqual(["everything"]);
    expect(peersOf(`{${field}: [], toEntities: [host]}`, "egress")).toEqual(["entity host"]);
  });

  it("S7.3: a deny item that is empty denies nothing", () => {
    expect(rulesOf("{}", "ingressDeny")).toMatchObject([{ action: "Deny", peers: [] }]);
  });
});

describe("S7.4: selectors", () => {
  const own = "kubernetes.io/metadata.name=shop";
  const selectors: readonly [string, string, string, string][] = [
    [
      "own namespace unless a namespace label is named",
      "{matchLabels: {app: a}}",
      `app=a in ${own}`,
      "app=a in everything",
    ],
    [
      "k8s: and any: are any source here",
      "{matchLabels: {k8s:app: a, any:tier: b}}",
      `app=a, tier=b in ${own}`,
      "app=a, tier=b in everything",
    ],
    [
      "a namespace by its name",
      "{matchLabels: {k8s:io.kubernetes.pod.namespace: x}}",
      "everything in kubernetes.io/metadata.name=x",
      "everything in kubernetes.io/metadata.name=x",
    ],
    [
      "any namespace at all",
      "{matchExpressions: [{key: io.kubernetes.pod.namespace, operator: Exists}]}",
      "everything in kubernetes.io/metadata.name",
      "everything in kubernetes.io/metadata.name",
    ],
    [
      "a namespace by its labels",
      "{matchLabels: {io.cilium.k8s.namespace.labels.team: a, app: b}}",
      "app=b in team=a",
      "app=b in team=a",
    ],
    [
      "the service account",
      "{matchLabels: {io.cilium.k8s.policy.serviceaccount: web}}",
      `everything in ${own} as serviceaccount=web`,
      "everything in everything as serviceaccount=web",
    ],
    [
      "missing labels are not required",
      "{matchExpressions: [{key: container:x, operator: DoesNotExist}]}",
      `everything in ${own}`,
      "everything in everything",
    ],
  ];
  it.each(selectors)("S7.4: endpoint peers: %s", (_title, selector, inNamespace, anywhere) => {
    expect(peersOf(`{fromEndpoints: [${selector}]}`, "ingress", "namespaced")).toEqual([
      `pods ${inNamespace}`,
    ]);
    expect(peersOf(`{toEndpoints: [${selector}]}`, "egress", "clusterwide")).toEqual([`pods ${anywhere}`]);
  });

  const subjects: readonly [string, string][] = [
    ["{}", `everything in ${own}`],
    ["{matchLabels: {k8s:app: a}}", `app=a in ${own}`],
    ["{matchLabels: {k8s:io.kubernetes.pod.namespace: other, app: a}}", `app=a in ${own}`],
    [
      "{matchLabels: {io.kubernetes.pod.namespace: other, app: a}}",
      `app=a in ${own}, kubernetes.io/metadata.name=other`,
    ],
    [
      "{matchLabels: {any:io.kubernetes.pod.namespace: other}}",
      `everything in ${own}, kubernetes.io/metadata.name=other`,
    ],
    ["{matchLabels: {io.cilium.k8s.namespace.labels.team: a}}", `everything in ${own}, team=a`],
    [
      "{matchLabels: {io.cilium.k8s.policy.serviceaccount: web}}",
      `everything in ${own} as serviceaccount=web`,
    ],
  ];
  it.each(subjects)(
    "S7.4: the subject %s of a namespaced policy is in its own namespace",
    (selector, subject) => {
      const { rules } = namespaced(
        `spec: {endpointSelector: ${selector}, ingress: [{fromEntities: [all]}]}`,
      ).lowered;
      expect(rules.map((r) => formatSubject(r.rule.subject))).toEqual([subject]);
    },
  );

  it("S7.4: the subject of a clusterwide policy is where it says", () => {
    const selector = "{matchLabels: {k8s:io.kubernetes.pod.namespace: x, app: a}}";
    const { rules } = clusterwide(
      `spec: {endpointSelector: ${selector}, ingress: [{fromEntities: [all]}]}`,
    ).lowered;
    expect(rules.map((r) => formatSubject(r.rule.subject))).toEqual([
      "app=a in kubernetes.io/metadata.name=x",
    ]);
  });
});

describe("S7.7: stars in a row", () => {
  it.each([
    ["*", "*"],
    ["**", "*"],
    ["**.", "*"],
    ["****.", "*"],
    ["**.x.io", "**.x.io"],
    ["***.x.io", "**.x.io"],
    ["***.x.io.", "**.x.io"],
    ["a**.x.io", "a*.x.io"],
    ["**a.x.io", "*a.x.io"],
    ["**.**.x.io", "**.*.x.io"],
  ])("S7.7: %s is %s", (pattern, text) => {
    expect(peersOf(`{toFQDNs: [{matchPattern: "${pattern}"}]}`, "egress")).toEqual([
      `external pattern ${text}`,
    ]);
  });
});

describe("S7.13: reserved labels", () => {
  const everyPod = "pods everything in everything";
  const expression = (key: string, operator: string, values = "") =>
    `{matchExpressions: [{key: "${key}", operator: ${operator}${values}}]}`;
  const cases: readonly [string, readonly string[]][] = [
    ...["host", "remote-node", "kube-apiserver", "world", "world-ipv4", "world-ipv6"].map(
      (name): [string, readonly string[]] => [`{matchLabels: {"reserved:${name}": ""}}`, [`entity ${name}`]],
    ),
    ...["health", "init", "ingress", "unmanaged", "none", "fixed"].map(
      (name): [string, readonly string[]] => [`{matchLabels: {"reserved:${name}": ""}}`, []],
    ),
    ['{matchLabels: {"reserved:host": "yes"}}', []],
    ['{matchLabels: {"reserved:host": "", app: web}}', []],
    ['{matchLabels: {"reserved:host": "", "reserved:world": ""}}', []],
    [
      '{matchLabels: {"reserved:host": "", "reserved:kube-apiserver": ""}}',
      ["entity host that is the API server"],
    ],
    [expression("reserved:host", "Exists"), ["entity host"]],
    [expression("reserved:host", "In", ', values: [""]'), ["entity host"]],
    [expression("reserved:host", "DoesNotExist"), [everyPod, "entity remote-node", "entity world"]],
    [expression("reserved:world", "DoesNotExist"), [everyPod, "entity host", "entity remote-node"]],
    [
      expression("reserved:world-ipv4", "DoesNotExist"),
      [everyPod, "entity host", "entity remote-node", "entity world-ipv6"],
    ],
    [
      expression("reserved:kube-apiserver", "DoesNotExist"),
      [
        everyPod,
        ...["host", "remote-node", "world"].map((name) => `entity ${name} that is not the API server`),
      ],
    ],
    [
      '{matchLabels: {app: web}, matchExpressions: [{key: "reserved:host", operator: DoesNotExist}]}',
      ["pods app=web in everything"],
    ],
    [
      expression("reserved:host", "NotIn", ", values: [x]"),
      [everyPod, "entity host", "entity remote-node", "entity world"],
    ],
  ];
  it.each(cases)("S7.13: %s, in a namespaced policy too", (selector, peers) => {
    expect(peersOf(`{fromEndpoints: [${selector}]}`, "ingress", "namespaced")).toEqual(peers);
    expect(peersOf(`{toEndpoints: [${selector}]}`, "egress", "clusterwide")).toEqual(peers);
  });

  it("S7.13: a key without source is not a reserved label in a selector that is limited to pods", () => {
    expect(peersOf("{fromEndpoints: [{matchLabels: {host: ''}}]}")).toEqual(["pods host= in everything"]);
  });
});

describe("S7.14: nodes by their labels", () => {
  it.each([
    ["{}", ["entity remote-node"]],
    ["{matchLabels: {zone: east}}", ["entity remote-node with zone=east"]],
    ["{matchLabels: {node:zone: east}}", ["entity remote-node with zone=east"]],
    ["{matchLabels: {k8s:zone: east}}", []],
    ["{matchExpressions: [{key: k8s:zone, operator: DoesNotExist}]}", ["entity remote-node"]],
    ['{matchLabels: {"reserved:host": ""}}', []],
    ['{matchLabels: {"reserved:kube-apiserver": ""}}', ["entity remote-node that is the API server"]],
    ["{matchLabels: {io.cilium.k8s.policy.cluster: default}}", ["entity remote-node"]],
    ["{matchLabels: {io.cilium.k8s.policy.cluster: east}}", []],
  ])("S7.14: %s", (selector, peers) => {
    expect(peersOf(`{fromNodes: [${selector}]}`)).toEqual(peers);
    expect(peersOf(`{toNodes: [${selector}]}`, "egress")).toEqual(peers);
  });

  it("S7.14: an empty list matches nothing, and Cilium may refuse the fields", () => {
    expect(peersOf("{fromNodes: []}")).toEqual([]);
    expect(clusterwide("spec: {endpointSelector: {}, ingress: [{fromNodes: [{}]}]}").found).toEqual([
      "TW2035 spec.ingress[0].fromNodes",
    ]);
  });
});

describe("S7.5: entities, CIDRs and other peers with addresses", () => {
  const peers: readonly [string, string, readonly string[]][] = [
    ["S7.5: all", "{toEntities: [all]}", ["everything"]],
    ["S7.5: none", "{toEntities: [none]}", []],
    [
      "S7.5: those that are known",
      "{toEntities: [world, cluster, host, remote-node, kube-apiserver]}",
      ["entity world", "entity cluster", "entity host", "entity remote-node", "entity kube-apiserver"],
    ],
    ["S7.5: cluster-mesh is cluster", "{toEntities: [cluster-mesh]}", ["entity cluster"]],
    ["S7.5: those that match nothing in a snapshot", "{toEntities: [init, health, ingress, unmanaged]}", []],
    [
      "S7.5: CIDRs are external, and separate peers",
      "{toCIDR: [10.0.0.0/8, 10.1.2.3, 'fd00::1']}",
      ["external 10.0.0.0/8", "external 10.1.2.3/32", "external fd00::1/128"],
    ],
    [
      "S7.5: an exception is local to its item",
      "{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}, {cidr: 10.1.0.0/16}]}",
      ["external 10.0.0.0/8 but 10.1.0.0/16", "external 10.1.0.0/16"],
    ],
    [
      "S7.11: CIDR groups",
      "{toCIDRSet: [{cidrGroupRef: vpn, except: [10.0.0.0/8]}, {cidrGroupSelector: {matchLabels: {k8s:role: vpn}}}]}",
      ["group vpn but 10.0.0.0/8", "group role=vpn"],
    ],
    [
      "S7.11: Services, by name and by labels",
      "{toServices: [{k8sService: {serviceName: db, namespace: data}}, {k8sServiceSelector: {selector: {matchLabels: {k8s:app: db}}}}]}",
      [
        'endpoints of {"name":"db","namespace":"data"}',
        'endpoints of {"labels":[{"key":"app","operator":"In","values":["db"]}]}',
      ],
    ],
    [
      "S7.11: cloud groups, distinguished",
      "{toGroups: [{aws: {securityGroupsIds: [sg-1, sg-2]}}, {aws: {labels: {a: b}, region: eu}}]}",
      [
        "external AWS instances, security group sg-1, sg-2",
        'external AWS instances, tags {"a":"b"}, region eu',
      ],
    ],
    [
      "S7.7: names and patterns, external only (S8.3), without case or trailing dot (S8.1)",
      '{toFQDNs: [{matchName: API.Example.com.}, {matchPattern: "*.Example.com."}, {matchPattern: "*"}, {matchPattern: "**.x.io"}]}',
      [
        "external exact api.example.com",
        "external pattern *.example.com",
        "external pattern *",
        "external pattern **.x.io",
      ],
    ],
  ];
  it.each(peers)("%s", (_title, item, expected) => {
    expect(peersOf(item, "egress")).toEqual(expected);
  });
});

describe("S7.6: ports", () => {
  const ports: readonly [string, string, readonly string[]][] = [
    ["S7.6: one port of one protocol", '{port: "80", protocol: TCP}', ["80/TCP"]],
    ["S7.6: no protocol is TCP, UDP and SCTP", '{port: "80"}', ["80/TCP", "80/UDP", "80/SCTP"]],
    ["S7.6: ANY is the same", '{port: "80", protocol: ANY}', ["80/TCP", "80/UDP", "80/SCTP"]],
    ["S7.6: 0 is every port", '{port: "0", protocol: UDP}', ["1-65535/UDP"]],
    ["S7.6: a range", '{port: "80", endPort: 90, protocol: TCP}', ["80-90/TCP"]],
    ["S7.11: endPort <= port is the port alone", '{port: "80", endPort: 79, protocol: TCP}', ["80/TCP"]],
    ["S7.6: a name with its protocol", "{port: HTTP, protocol: TCP}", ["http/TCP"]],
    ["S7.6: a name of any protocol", "{port: dns}", ["dns"]],
    ["S7.6: a protocol that no question is about", "{protocol: VRRP}", []],
  ];
  it.each(ports)("%s", (_title, port, expected) => {
    expect(portsOf(`{toPorts: [{ports: [${port}]}]}`)).toEqual(expected);
  });

  it("S7.6: ICMP by type, of one family, by name or number", () => {
    const fields =
      '[{type: 8}, {type: "13"}, {type: EchoRequest}, {family: IPv6, type: EchoRequest}, {type: 0}]';
    expect(portsOf(`{icmps: [{fields: ${fields}}, {fields: [{type: TimeExceeded, family: IPv6}]}]}`)).toEqual(
      ["ICMPv4 8", "ICMPv4 13", "ICMPv4 8", "ICMPv6 128", "ICMPv4 0", "ICMPv6 3"],
    );
  });
});

describe("S7.7: conditions", () => {
  const meaning = (item: string, section = "egress"): readonly unknown[] =>
    rulesOf(item, section).map((rule) => [
      rule.action,
      rule.condition ?? "plain",
      rule.ports === "every" ? "every" : rule.ports.map(formatPort).join(" "),
    ]);
  const tcp = (port: number): string => `ports: [{port: "${port}", protocol: TCP}]`;

  it("S7.7: http and dns rules", () => {
    expect(meaning(`{toPorts: [{${tcp(80)}, rules: {http: [{}]}}]}`)).toEqual([
      ["Allow", { kind: "l7", what: "http" }, "80/TCP"],
    ]);
    expect(meaning(`{toPorts: [{${tcp(53)}, rules: {dns: [{matchPattern: "*"}]}}]}`)).toEqual([
      ["Allow", { kind: "l7", what: "dns" }, "53/TCP"],
    ]);
  });

  it.each([
    ["serverNames: [a.example]", "SNI"],
    ["terminatingTLS: {secret: {name: s}}", "TLS termination"],
    ["originatingTLS: {secret: {name: s}}", "TLS origination"],
    ["listener: {envoyConfig: {name: e}, name: l}", "a listener"],
    ["terminatingTLS: {secret: {name: s}}, rules: {http: [{}]}", "TLS termination, http"],
  ])("S7.7: conditional in every state: %s", (fields, what) => {
    expect(meaning(`{toPorts: [{${tcp(443)}, ${fields}}]}`)).toEqual([
      ["Allow", { kind: "always", what }, "443/TCP"],
    ]);
  });

  it("S7.7: empty server names ask for nothing", () => {
    expect(meaning(`{toPorts: [{${tcp(443)}, serverNames: []}]}`)).toEqual([["Allow", "plain", "443/TCP"]]);
  });

  it("S7.7: entries of one item with different conditions are rules of one origin, conditional ones first", () => {
    const item = `{toEntities: [world], toPorts: [{${tcp(1)}}, {${tcp(80)}, rules: {http: [{}]}}, {${tcp(2)}}, {${tcp(81)}, rules: {http: [{path: /}]}}]}`;
    expect(meaning(item)).toEqual([
      ["Allow", { kind: "l7", what: "http" }, "80/TCP 81/TCP"],
      ["Allow", "plain", "1/TCP 2/TCP"],
    ]);
    expect(new Set(rulesOf(item, "egress").map((rule) => rule.origin.path))).toEqual(
      new Set(["spec.egress[0]"]),
    );
  });

  it("S7.7: authentication", () => {
    const item = (mode: string) =>
      `{toEntities: [cluster], authentication: {mode: ${mode}}, toPorts: [{${tcp(1)}}, {${tcp(80)}, rules: {http: [{}]}}]}`;
    expect(meaning(item("required"))).toEqual([["Allow", { kind: "authentication" }, "1/TCP 80/TCP"]]);
    expect(meaning(item("test-always-fail"))).toEqual([["Deny", "plain", "1/TCP 80/TCP"]]);
    expect(meaning(item("disabled"))).toEqual([
      ["Allow", { kind: "l7", what: "http" }, "80/TCP"],
      ["Allow", "plain", "1/TCP"],
    ]);
  });

  it("S7.7: what denies, what may deny, what allows under a condition, what allows: in this order", () => {
    const { lowered } = clusterwide(`spec:
  endpointSelector: {}
  egress:
  - {toEntities: [all]}
  - {toPorts: [{${tcp(80)}, rules: {http: [{}]}}]}
  - {toEntities: [all], authentication: {mode: required}}
  - {toEntities: [all], authentication: {mode: test-always-fail}}
  egressDeny:
  - {toEntities: [world]}`);
    expect(allRules(lowered).map((r) => r.origin.path)).toEqual([
      "spec.egressDeny[0]",
      "spec.egress[3]",
      "spec.egress[2]",
      "spec.egress[1]",
      "spec.egress[0]",
    ]);
  });
});

describe("S10.2: unknown parts of objects of a cluster", () => {
  it("S3.6: an allow item then matches nothing, and still counts as a section", () => {
    const { lowered, found } = clusterwide(
      "spec: {endpointSelector: {}, ingress: [{fromEntities: [world], fromMoon: [{}]}]}",
      "cluster",
    );
    expect(allRules(lowered)).toMatchObject([
      { action: "Allow", peers: [], failedClosed: expect.stringContaining("allows nothing") as string },
    ]);
    expect(lowered.isolation.map((i) => i.direction)).toEqual(["ingress"]);
    expect(found).toEqual(["TW2015 spec.ingress[0].fromMoon"]);
  });

  it.each([
    ["an unknown field", "{fromEntities: [world], fromMoon: [{}]}"],
    ["an unknown entity", "{fromEntities: [moon]}"],
    ["an unknown protocol", '{toPorts: [{ports: [{port: "80", protocol: QUIC}]}]}'],
    ["something that is not supported", "{fromRequires: [{}]}"],
    ["two kinds of peer", "{fromEntities: [world], fromCIDR: [10.0.0.0/8]}"],
    ["no item at all", "5"],
  ])("S3.6: a deny item with %s denies everything, but not the node its pods (S1.6)", (_title, item) => {
    const rules = allRules(
      clusterwide(`spec: {endpointSelector: {}, ingressDeny: [${item}]}`, "cluster").lowered,
    );
    expect(rules).toMatchObject([{ action: "Deny", peers: [{ kind: "everything" }], ports: "every" }]);
    expect(rules[0]).not.toHaveProperty("bindsOwnNode");
  });

  it("S8.2: domain names that deny, deny everything", () => {
    const rules = allRules(
      clusterwide("spec: {endpointSelector: {}, egressDeny: [{toFQDNs: [{matchName: a.b}]}]}", "cluster")
        .lowered,
    );
    expect(rules).toMatchObject([{ action: "Deny", peers: [{ kind: "everything" }], ports: "every" }]);
  });

  it("S3.6: authentication of an unknown mode allows nothing", () => {
    const rules = allRules(
      clusterwide(
        "spec: {endpointSelector: {}, ingress: [{fromEntities: [all], authentication: {mode: spiffe}}]}",
        "cluster",
      ).lowered,
    );
    expect(rules).toMatchObject([{ action: "Allow", peers: [] }]);
  });

  it("S3.6: the other items and rules are not affected", () => {
    const { lowered } = clusterwide(
      `specs:
- {endpointSelector: {}, ingress: [{fromMoon: []}, {fromEntities: [world]}]}
- {endpointSelector: {}, egress: [{toEntities: [world]}]}`,
      "cluster",
    );
    expect(allRules(lowered).map((rule) => rule.peers.map(formatPeer))).toEqual([
      [],
      ["entity world"],
      ["entity world"],
    ]);
  });

  it.each([
    [
      "a selector with an unknown field",
      "{endpointSelector: {matchMoon: {}}, ingressDeny: [{fromEntities: [all]}]}",
    ],
    ["no selector", "{ingressDeny: [{fromEntities: [all]}]}"],
    ["both selectors", "{endpointSelector: {}, nodeSelector: {}, ingressDeny: [{fromEntities: [all]}]}"],
    ["no rule at all", "5"],
  ])(
    "S3.6: a subject that is not understood (%s): that rule is not enforced, which is reported; others are",
    (_title, rule) => {
      const { lowered, found } = clusterwide(
        `specs: [${rule}, {endpointSelector: {}, egress: [{toEntities: [world]}]}]`,
        "cluster",
      );
      expect(allRules(lowered).map((r) => r.origin.path)).toEqual(["specs[1].egress[0]"]);
      expect(lowered.isolation.map((i) => i.direction)).toEqual(["egress"]);
      expect(found).toContain("TW2016 specs[0]");
    },
  );

  it("S3.6: a section that is not a list counts, and fails closed", () => {
    const { lowered } = clusterwide("spec: {endpointSelector: {}, ingress: 5, egressDeny: 5}", "cluster");
    expect(allRules(lowered)).toMatchObject([
      { action: "Allow", peers: [] },
      { action: "Deny", peers: [{ kind: "everything" }], ports: "every" },
    ]);
    expect(lowered.isolation.map((i) => i.direction)).toEqual(["ingress", "egress"]);
  });

  it("S10.2: exceeded limits are accepted: 41 ports are evaluated as written", () => {
    const ports = Array.from({ length: 41 }, (_, i) => `{port: "${i + 1}", protocol: TCP}`).join(", ");
    const { lowered, found } = clusterwide(
      `spec: {endpointSelector: {}, ingress: [{toPorts: [{ports: [${ports}]}]}]}`,
      "cluster",
    );
    expect(allRules(lowered)[0]?.ports).toHaveLength(41);
    expect(found).toEqual(["TW2017 spec.ingress[0].toPorts[0].ports"]);
  });

  it.each([
    "",
    "spec: 5",
    "specs: 5",
    "specs: [null]",
    "spec: {}",
    "spec: {endpointSelector: [], ingress: {}}",
  ])("S10.2: %j means nothing, is reported, and breaks nothing", (body) => {
    const { lowered, found } = clusterwide(body, "cluster");
    expect(lowered).toEqual({ rules: [], isolation: [] });
    expect(found.length).toBeGreaterThan(0);
  });
});
