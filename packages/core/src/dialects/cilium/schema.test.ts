import { describe, expect, it } from "vitest";
import type { Schema } from "../../schema/schema.js";
import { readOne } from "../../../testing/read-one.js";
import { ciliumKinds } from "./dialect.js";
import { ciliumClusterwideNetworkPolicy, ciliumNetworkPolicy } from "./schema.js";

/** The problems of a rule; paths are relative to the rule. */
function problemsOf(rule: string, kind = "CiliumNetworkPolicy"): readonly string[] {
  return inSpec(`spec:\n${indent(rule)}`, kind).map((found) => found.replace(/ spec\.?/, " ").trim());
}

function inSpec(body: string, kind = "CiliumNetworkPolicy"): readonly string[] {
  const namespace = kind === "CiliumNetworkPolicy" ? ", namespace: shop" : "";
  return readOne(
    ciliumKinds,
    `apiVersion: cilium.io/v2\nkind: ${kind}\nmetadata: {name: p${namespace}}\n${body}`,
  ).found;
}

const indent = (text: string): string => text.trim().replaceAll(/^/gm, "  ");

/** One ingress or egress item around the given fields. */
const item = (fields: string, section = "ingress"): string => `endpointSelector: {}\n${section}: [${fields}]`;

describe("every field", () => {
  it("has a description", () => {
    const undescribed: string[] = [];
    const visit = (schema: Schema, path: string): void => {
      if (schema.description === "") undescribed.push(path);
      if (schema.type === "list") visit(schema.items, `${path}[]`);
      if (schema.type === "object")
        for (const [key, field] of Object.entries(schema.fields)) visit(field, `${path}.${key}`);
    };
    visit(ciliumNetworkPolicy, "CiliumNetworkPolicy");
    visit(ciliumClusterwideNetworkPolicy, "CiliumClusterwideNetworkPolicy");
    expect(undescribed).toEqual([]);
  });
});

describe("what is accepted", () => {
  const accepted: readonly [string, string][] = [
    [
      "S7.4: keys with a source before them",
      item("{fromEndpoints: [{matchLabels: {k8s:app: a, any:tier: b, reserved:host: ''}}]}"),
    ],
    [
      "S7.4: labels of a namespace, however long",
      item(`{fromEndpoints: [{matchLabels: {k8s:io.cilium.k8s.namespace.labels.${"x".repeat(63)}: a}}]}`),
    ],
    [
      "S7.4: the name label of a namespace",
      item(
        "{fromEndpoints: [{matchLabels: {io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name: a}}]}",
      ),
    ],
    ["S7.5: a bare address for a block of one", item('{fromCIDR: [10.0.0.1, "fd00::1", 10.0.0.0/8]}')],
    [
      "S7.5: CIDR groups, by name and by labels",
      item("{fromCIDRSet: [{cidrGroupRef: vpn}, {cidrGroupSelector: {matchLabels: {a: b}}}]}"),
    ],
    [
      "S7.5: an exception as large as its block",
      item("{fromCIDRSet: [{cidr: 10.0.0.0/8, except: [10.0.0.0/8]}]}"),
    ],
    [
      "S7.5: every entity there is",
      item(
        "{fromEntities: [all, world, cluster, cluster-mesh, host, remote-node, kube-apiserver, none, init, health, ingress, unmanaged]}",
      ),
    ],
    [
      "S7.6: ports by number, name, in any case, and 0",
      item('{toPorts: [{ports: [{port: "0"}, {port: "65535"}, {port: HTTP-alt}]}]}'),
    ],
    [
      "S7.6: ports of protocols without ports",
      item('{toPorts: [{ports: [{protocol: VRRP}, {protocol: IGMP}, {protocol: ESP, port: "0"}]}]}'),
    ],

    [
      "S7.6: ICMP types by number, text and name",
      item(
        '{icmps: [{fields: [{type: 8}, {type: "0"}, {type: EchoRequest}, {type: PacketTooBig, family: IPv6}]}]}',
      ),
    ],
    ["S7.3: an empty list next to another kind of peer", item("{fromEndpoints: [{}], fromGroups: []}")],
    [
      "S7.3: empty toPorts with icmps",
      item("{fromEndpoints: [{}], toPorts: [], icmps: [{fields: [{type: 8}]}]}"),
    ],
    [
      "S7.7: http rules on TCP",
      item(
        '{toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{method: GET, path: "/.*"}]}}]}',
      ),
    ],
    [
      "S7.7: http rules on a range of ports",
      item('{toPorts: [{ports: [{port: "80", endPort: 90, protocol: TCP}], rules: {http: [{}]}}]}'),
    ],
    [
      "S7.7: dns rules on any protocol",
      item('{toPorts: [{ports: [{port: "53"}], rules: {dns: [{matchPattern: "*"}]}}]}', "egress"),
    ],
    [
      "S7.7: server names, TLS and listeners",
      item(
        '{toPorts: [{ports: [{port: "443", protocol: TCP}], serverNames: [a.example], terminatingTLS: {secret: {name: s}}, originatingTLS: {secret: {name: s, namespace: certs}}, listener: {envoyConfig: {name: e}, name: l}}]}',
        "egress",
      ),
    ],
    [
      "S7.7: names and patterns",
      item(
        '{toFQDNs: [{matchName: Example.COM.}, {matchPattern: "*"}, {matchPattern: "**.a_b.example"}, {matchPattern: "db-*.x"}]}',
        "egress",
      ),
    ],
    [
      "S7.11: Services by name and by labels",
      item(
        "{toServices: [{k8sService: {serviceName: a}}, {k8sServiceSelector: {selector: {}, namespace: b}}]}",
        "egress",
      ),
    ],
    ["S7.11: cloud groups", item("{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}", "egress")],
    [
      "S7.2: labels, description and log of a rule",
      `${item("{fromEntities: [all]}")}\nlabels: [{key: a}]\ndescription: b\nlog: {value: c}`,
    ],
  ];
  it.each(accepted)("%s", (_title, rule) => {
    expect(problemsOf(rule)).toEqual([]);
  });
});

describe("S7.9: what is rejected, with the name of the field", () => {
  const refused: readonly [string, string, string][] = [
    ["an unknown field of a rule", "endpointSelector: {}\ningres: [{}]", "TW1204 ingres"],
    ["an unknown field of an item", item("{fromEndpoint: [{}]}"), "TW1204 ingress[0].fromEndpoint"],
    ["no section at all", "endpointSelector: {}", "TW1411"],
    ["sections that are all empty", "endpointSelector: {}\ningress: []\negressDeny: []", "TW1411 ingress"],
    ["neither selector", "ingress: [{fromEntities: [all]}]", "TW1409"],
    [
      "both selectors",
      "endpointSelector: {}\nnodeSelector: {}\ningress: [{fromEntities: [all]}]",
      "TW1409 nodeSelector",
    ],
    [
      "a nodeSelector in a namespaced policy",
      "nodeSelector: {}\ningress: [{fromEntities: [all]}]",
      "TW1410 nodeSelector",
    ],
    [
      "an invalid label key",
      item("{fromEndpoints: [{matchLabels: {k8s:-a: b}}]}"),
      'TW1301 ingress[0].fromEndpoints[0].matchLabels["k8s:-a"]',
    ],
    [
      "an invalid key of an expression",
      item('{fromEndpoints: [{matchExpressions: [{key: "a b", operator: Exists}]}]}'),
      "TW1301 ingress[0].fromEndpoints[0].matchExpressions[0].key",
    ],
    [
      "an operator without its values",
      item("{fromEndpoints: [{matchExpressions: [{key: k8s:a, operator: In}]}]}"),
      "TW1303 ingress[0].fromEndpoints[0].matchExpressions[0]",
    ],
    [
      "S7.3: two kinds of peer in one item",
      item("{fromEndpoints: [{}], fromCIDR: [10.0.0.0/8]}"),
      "TW1412 ingress[0].fromCIDR",
    ],
    [
      "S7.3: toFQDNs with another kind",
      item("{toFQDNs: [{matchName: a.b}], toEntities: [all]}", "egress"),
      "TW1412 egress[0].toFQDNs",
    ],
    [
      "S7.3: two kinds of peer in a deny item",
      item("{toServices: [{k8sService: {serviceName: a}}], toGroups: [{aws: {}}]}", "egressDeny"),
      "TW1412 egressDeny[0].toGroups",
    ],
    [
      "S7.6: icmps and toPorts in one item",
      item('{icmps: [{fields: [{type: 8}]}], toPorts: [{ports: [{port: "80"}]}]}'),
      "TW1413 ingress[0].icmps",
    ],
    ["fromRequires", item("{fromRequires: [{}]}"), "TW1414 ingress[0].fromRequires"],
    ["toRequires", item("{toRequires: [{}]}", "egress"), "TW1414 egress[0].toRequires"],
    [
      "S7.14: nodes with another kind of peer",
      item("{fromEntities: [host], fromNodes: [{}]}"),
      "TW1412 ingress[0].fromNodes",
    ],
    [
      "S7.6: a port of a protocol without ports",
      item('{toPorts: [{ports: [{port: "112", protocol: VRRP}]}]}'),
      "TW1420 ingress[0].toPorts[0].ports[0].port",
    ],
    [
      "kafka",
      item('{toPorts: [{ports: [{port: "9092", protocol: TCP}], rules: {kafka: [{topic: a}]}}]}'),
      "TW1414 ingress[0].toPorts[0].rules.kafka",
    ],
    [
      "other L7 protocols",
      item('{toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {l7proto: x}}]}'),
      "TW1414 ingress[0].toPorts[0].rules.l7proto",
    ],
    ["S7.5: an unknown entity", item("{fromEntities: [worlds]}"), "TW1415 ingress[0].fromEntities[0]"],
    ["S7.5: an invalid block", item("{fromCIDR: [10.0.0.256]}"), "TW1304 ingress[0].fromCIDR[0]"],
    [
      "S7.5: a bare address in a CIDR set",
      item("{fromCIDRSet: [{cidr: 10.0.0.1}]}"),
      "TW1304 ingress[0].fromCIDRSet[0].cidr",
    ],
    [
      "an exception outside its CIDR",
      item("{toCIDRSet: [{cidr: 10.0.0.0/8, except: [11.0.0.0/16]}]}", "egress"),
      "TW1305 egress[0].toCIDRSet[0].except[0]",
    ],
    [
      "a CIDR rule with two sources",
      item("{fromCIDRSet: [{cidr: 10.0.0.0/8, cidrGroupRef: a}]}"),
      "TW1209 ingress[0].fromCIDRSet[0].cidrGroupRef",
    ],
    [
      "a CIDR rule with none",
      item("{fromCIDRSet: [{except: [10.0.0.0/8]}]}"),
      "TW1209 ingress[0].fromCIDRSet[0]",
    ],
    [
      "a service selector that names nothing",
      item("{toServices: [{}]}", "egress"),
      "TW1209 egress[0].toServices[0]",
    ],
    [
      "a port that is a number",
      item("{toPorts: [{ports: [{port: 80}]}]}"),
      "TW1201 ingress[0].toPorts[0].ports[0].port",
    ],
    [
      "a port that is missing",
      item("{toPorts: [{ports: [{protocol: TCP}]}]}"),
      "TW1202 ingress[0].toPorts[0].ports[0]",
    ],
    [
      "a port out of range",
      item('{toPorts: [{ports: [{port: "65536"}]}]}'),
      "TW1311 ingress[0].toPorts[0].ports[0].port",
    ],
    [
      "an invalid port name",
      item('{toPorts: [{ports: [{port: "a_b"}]}]}'),
      "TW1307 ingress[0].toPorts[0].ports[0].port",
    ],
    [
      "S7.6: ICMP as a protocol of ports",
      item('{toPorts: [{ports: [{port: "8", protocol: ICMP}]}]}'),
      "TW1203 ingress[0].toPorts[0].ports[0].protocol",
    ],
    [
      "more than 40 ports",
      item(
        `{toPorts: [{ports: [${Array.from({ length: 41 }, (_, i) => `{port: "${i + 1}"}`).join(", ")}]}]}`,
      ),
      "TW1207 ingress[0].toPorts[0].ports",
    ],
    [
      "more than 40 ICMP types",
      item(`{icmps: [{fields: [${Array.from({ length: 41 }, (_, i) => `{type: ${i}}`).join(", ")}]}]}`),
      "TW1207 ingress[0].icmps[0].fields",
    ],
    [
      "an ICMP type out of range",
      item("{icmps: [{fields: [{type: 256}]}]}"),
      "TW1205 ingress[0].icmps[0].fields[0].type",
    ],
    [
      "an unknown ICMP type",
      item("{icmps: [{fields: [{type: EchoRequst}]}]}"),
      "TW1203 ingress[0].icmps[0].fields[0].type",
    ],
    [
      "an ICMP type of the other family",
      item("{icmps: [{fields: [{type: PacketTooBig}]}]}"),
      "TW1203 ingress[0].icmps[0].fields[0].type",
    ],
    [
      "http on UDP",
      item('{toPorts: [{ports: [{port: "80", protocol: UDP}], rules: {http: [{}]}}]}'),
      "TW1416 ingress[0].toPorts[0].ports[0].protocol",
    ],
    [
      "http on any protocol",
      item('{toPorts: [{ports: [{port: "80"}], rules: {http: [{}]}}]}'),
      "TW1416 ingress[0].toPorts[0].ports[0]",
    ],
    [
      "dns rules on ingress",
      item('{toPorts: [{ports: [{port: "53"}], rules: {dns: [{matchPattern: "*"}]}}]}'),
      "TW1416 ingress[0].toPorts[0].rules.dns",
    ],
    [
      "dns rules on a range",
      item(
        '{toPorts: [{ports: [{port: "53", endPort: 54}], rules: {dns: [{matchPattern: "*"}]}}]}',
        "egress",
      ),
      "TW1416 egress[0].toPorts[0].ports[0].endPort",
    ],
    [
      "dns rules without ports",
      item('{toPorts: [{rules: {dns: [{matchPattern: "*"}]}}]}', "egress"),
      "TW1416 egress[0].toPorts[0].rules.dns",
    ],
    [
      "L7 rules on port 0",
      item('{toPorts: [{ports: [{port: "0", protocol: TCP}], rules: {http: [{}]}}]}'),
      "TW1416 ingress[0].toPorts[0].ports[0].port",
    ],
    [
      "`rules: {}`",
      item('{toPorts: [{ports: [{port: "80"}], rules: {}}]}'),
      "TW1416 ingress[0].toPorts[0].rules",
    ],
    [
      "two L7 protocols at once",
      item(
        '{toPorts: [{ports: [{port: "53", protocol: TCP}], rules: {http: [{}], dns: [{matchName: a.b}]}}]}',
        "egress",
      ),
      "TW1416 egress[0].toPorts[0].rules.dns",
    ],
    [
      "L7 rules in a deny item",
      item('{toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{}]}}]}', "ingressDeny"),
      "TW1416 ingressDeny[0].toPorts[0].rules",
    ],
    [
      "S8.2: domain names that deny",
      item("{toFQDNs: [{matchName: a.b}]}", "egressDeny"),
      "TW1404 egressDeny[0].toFQDNs",
    ],
    [
      "a wildcard in a name",
      item('{toFQDNs: [{matchName: "*.example.com"}]}', "egress"),
      "TW1308 egress[0].toFQDNs[0].matchName",
    ],
    [
      "a pattern with foreign characters",
      item('{toFQDNs: [{matchPattern: "a/b"}]}', "egress"),
      "TW1417 egress[0].toFQDNs[0].matchPattern",
    ],
    ["an FQDN selector without a name", item("{toFQDNs: [{}]}", "egress"), "TW1417 egress[0].toFQDNs[0]"],
    [
      "an FQDN selector with both",
      item("{toFQDNs: [{matchName: a.b, matchPattern: a.b}]}", "egress"),
      "TW1417 egress[0].toFQDNs[0].matchPattern",
    ],
    [
      "an unknown mode of authentication",
      item("{fromEntities: [all], authentication: {mode: optional}}"),
      "TW1203 ingress[0].authentication.mode",
    ],
    [
      "authentication in a deny item",
      item("{fromEntities: [all], authentication: {mode: required}}", "ingressDeny"),
      "TW1204 ingressDeny[0].authentication",
    ],
    [
      "default deny that is not a boolean",
      `${item("{fromEntities: [all]}")}\nenableDefaultDeny: {ingress: "no"}`,
      "TW1201 enableDefaultDeny.ingress",
    ],
  ];
  it.each(refused)("%s", (_title, rule, problem) => {
    const found = problemsOf(rule);
    expect(found.filter((p) => p.startsWith("TW1"))).toContain(problem);
  });

  it("names the one thing that is wrong, and nothing besides", () => {
    const noisy = refused.filter(
      ([, rule]) => problemsOf(rule).filter((p) => p.startsWith("TW1")).length !== 1,
    );
    expect(noisy.map(([title]) => title)).toEqual([]);
  });

  it("points at the value, in backticks, and says what was probably meant", () => {
    const { messages, places } = readOne(
      ciliumKinds,
      "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\nspec:\n  endpointSelector: {}\n  ingress:\n  - fromEntities:\n    - worlds\n",
    );
    expect(messages).toEqual(["`worlds` is not a Cilium entity; did you mean `world`?"]);
    expect(places[0]).toMatchObject({ line: 8, column: 7 });
  });
});

describe("S7.1: spec and specs", () => {
  it.each([
    ["neither", "", ["TW1418 "]],
    ["an empty list of specs", "specs: []", ["TW1418 specs"]],
    [
      "one of each",
      "spec: {endpointSelector: {}, ingress: [{fromEntities: [all]}]}\nspecs: [{endpointSelector: {}, egress: [{toEntities: [all]}]}]",
      [],
    ],
    ["a misspelled spec is an unknown field", "sepc: {}", ["TW1204 sepc"]],
  ])("%s", (_title, body, found) => {
    expect(inSpec(body)).toEqual(found);
  });

  it("S7.1: one invalid rule rejects the object", () => {
    const text =
      "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\nspecs:\n- {endpointSelector: {}, ingress: [{fromEntities: [all]}]}\n- {endpointSelector: {}, ingress: [{fromEntities: [al]}]}\n";
    const reading = readOne(ciliumKinds, text);
    expect(reading.found).toEqual(["TW1415 specs[1].ingress[0].fromEntities[0]"]);
    expect(() => reading.lowered).toThrow("refused");
  });

  it("S7.11: a nodeSelector is legal in a clusterwide policy", () => {
    const rule = "nodeSelector: {}\ningress: [{fromEntities: [all]}]";
    expect(problemsOf(rule, "CiliumClusterwideNetworkPolicy")).toEqual(["TW2014 nodeSelector"]);
  });
});

describe("warnings", () => {
  const warned: readonly [string, string, readonly string[]][] = [
    [
      "S7.10: default deny set for a direction without a section",
      `${item("{fromEntities: [all]}")}\nenableDefaultDeny: {egress: false}`,
      ["TW2011 enableDefaultDeny.egress"],
    ],
    [
      "S7.10: not where the other direction is set, too",
      `${item("{fromEntities: [all]}")}\nenableDefaultDeny: {egress: false, ingress: false}`,
      [],
    ],
    [
      "S7.10: not where it is set for the section there is",
      `${item("{fromEntities: [all]}")}\nenableDefaultDeny: {ingress: false}`,
      [],
    ],
    [
      "S7.10: deny alone, with isolation left on",
      item("{fromEntities: [world]}", "ingressDeny"),
      ["TW2012 ingressDeny"],
    ],
    [
      "S7.10: not where isolation is off",
      `${item("{fromEntities: [world]}", "ingressDeny")}\nenableDefaultDeny: {ingress: false}`,
      [],
    ],
    [
      "S7.10: nor where it is asked for",
      `${item("{fromEntities: [world]}", "ingressDeny")}\nenableDefaultDeny: {ingress: true}`,
      [],
    ],
    ["S7.10: an item `{}`", item("{}"), ["TW2013 ingress[0]"]],
    [
      "S7.10: an item whose lists are ignored",
      item("{toFQDNs: [], toPorts: []}", "egress"),
      ["TW2013 egress[0]"],
    ],
    [
      "S7.3: an empty list of peers",
      item("{fromEndpoints: [], fromEntities: [all]}"),
      ["TW2013 ingress[0].fromEndpoints"],
    ],
    [
      "S7.3: a port entry without ports",
      item("{fromEndpoints: [{}], toPorts: [{}]}"),
      ["TW2013 ingress[0].toPorts"],
    ],
    ["S7.3: an ICMP entry without types", item("{icmps: [{fields: []}]}"), ["TW2013 ingress[0].icmps"]],
    [
      "S7.11: endPort <= port",
      item('{toPorts: [{ports: [{port: "80", endPort: 80}]}]}'),
      ["TW2020 ingress[0].toPorts[0].ports[0].endPort"],
    ],
    [
      "S7.11: endPort with a name",
      item("{toPorts: [{ports: [{port: http, endPort: 90}]}]}"),
      ["TW2020 ingress[0].toPorts[0].ports[0].endPort"],
    ],
    [
      "S7.4: a subject in another namespace",
      "endpointSelector: {matchLabels: {k8s:io.kubernetes.pod.namespace: other}}\ningress: [{fromEntities: [all]}]",
      ['TW2021 endpointSelector.matchLabels["k8s:io.kubernetes.pod.namespace"]'],
    ],
    [
      "S10.5: a label without a value",
      "endpointSelector: {matchLabels: {app: }}\ningress: [{fromEntities: [all]}]",
      ["TW2010 endpointSelector.matchLabels.app"],
    ],
    ["a CIDR with host bits", item("{fromCIDR: [10.0.0.1/8]}"), ["TW2001 ingress[0].fromCIDR[0]"]],
  ];
  it.each(warned)("%s", (_title, rule, problems) => {
    expect(problemsOf(rule)).toEqual(problems);
  });
});
