import { describe, expect, it } from "vitest";
import { isObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import type { Schema } from "../../schema/schema.js";
import type { PolicyKind } from "../dialect.js";
import { type Provenance, readPolicy } from "../read.js";
import { clusterNetworkPolicyKinds } from "./dialect.js";

const [kind] = clusterNetworkPolicyKinds as readonly [PolicyKind];

/** A policy from the text of its spec; `CODE text-under-the-caret` for each problem. */
function problems(spec: string): readonly string[] {
  return diagnosticsOf(spec).map(({ code, place }) => {
    const line = manifest(spec).split("\n")[(place?.line ?? 1) - 1] ?? "";
    const start = (place?.column ?? 1) - 1;
    return `${code} ${line.slice(start, start + (place?.length ?? 0))}`;
  });
}

function diagnosticsOf(spec: string, provenance: Provenance = "file") {
  const { documents } = parseManifest(manifest(spec), "policy.yaml");
  const [object] = objectsOf(documents).objects as readonly [ManifestObject];
  return readPolicy(kind, object, provenance).diagnostics;
}

const manifest = (spec: string): string =>
  [
    "apiVersion: policy.networking.k8s.io/v1alpha2",
    "kind: ClusterNetworkPolicy",
    "metadata: {name: guard}",
    `spec: ${spec}`,
  ].join("\n");

const released = (rules = ""): string => `{tier: Admin, priority: 10, subject: {namespaces: {}}, ${rules}}`;
const seed = (rules = ""): string => `{tier: admin, priority: 10, subject: {namespaces: {}}, ${rules}}`;
const repeat = (n: number, item: (i: number) => string): string =>
  `[${Array.from({ length: n }, (_, i) => item(i)).join(", ")}]`;

describe("what is accepted", () => {
  it.each([
    ["S3.8: no rules at all", released()],
    ["S3.9: empty directions", released("ingress: [], egress: []")],
    ["S3.8: a subject of pods", "{tier: Baseline, priority: 1000, subject: {pods: {podSelector: {}}}}"],
    [
      "S3.8: every kind of peer and protocol as released",
      released(`egress: [{name: all, action: Accept,
        to: [{namespaces: {}}, {pods: {podSelector: {}}}, {nodes: {}}, {networks: [10.0.0.0/8, "fd00::/8"]},
          {domainNames: [kubernetes.io, "*.Kubernetes.io."]}],
        protocols: [{tcp: {destinationPort: {number: 80}}}, {udp: {destinationPort: {range: {start: 1, end: 65535}}}},
          {sctp: {destinationPort: {number: 65535}}}]}]`),
    ],
    [
      "S3.8: every kind of peer and port in the seed's spelling",
      seed(`egress: [{name: all, action: Allow,
        to: [{namespaces: {}}, {pods: {namespaceSelector: {}, podSelector: {}}}, {nodes: {}}, {networks: [10.0.0.0/8]},
          {domainNames: [kubernetes.io]}],
        ports: [{portNumber: {port: 80}}, {portNumber: {protocol: UDP, port: 53}},
          {portRange: {start: 1, end: 65535}}, {portRange: {protocol: SCTP, start: 1, end: 2}}]}]`),
    ],
    [
      "S3.7: named ports with pods and namespaces",
      released("egress: [{action: Deny, to: [{namespaces: {}}], protocols: [{destinationNamedPort: web}]}]"),
    ],
    [
      "S3.7: named ports are fine on ingress",
      seed("ingress: [{action: Pass, from: [{namespaces: {}}], ports: [{namedPort: web}]}]"),
    ],
    [
      "S3.1: 25 rules as released",
      released(`ingress: ${repeat(25, () => "{action: Deny, from: [{namespaces: {}}]}")}`),
    ],
    [
      "S3.1: 100 rules in the seed's spelling",
      seed(`ingress: ${repeat(100, () => "{action: Deny, from: [{namespaces: {}}]}")}`),
    ],
    [
      "rules without a name, or with an empty one",
      released(
        `ingress: [{action: Deny, from: [{namespaces: {}}]}, {name: "", action: Deny, from: [{namespaces: {}}]},
          {name: "", action: Deny, from: [{namespaces: {}}]}]`,
      ),
    ],
    ["S3.8: a missing rule list is an absent one when it is null", released("ingress: , egress: ")],
  ])("%s", (_, spec) => {
    expect(problems(spec)).toEqual([]);
  });
});

describe("what is an error in a file", () => {
  const egress = (rule: string) => released(`egress: [{${rule}}]`);
  const seedEgress = (rule: string) => seed(`egress: [{${rule}}]`);
  const all = "to: [{namespaces: {}}]";

  it.each([
    ["S3.2: no tier", "{priority: 1, subject: {namespaces: {}}}", "TW1202 spec"],
    [
      "S3.2: a tier that does not exist",
      "{tier: Platform, priority: 1, subject: {namespaces: {}}}",
      "TW1203 Platform",
    ],
    [
      "S3.2: a tier in the wrong case",
      "{tier: ADMIN, priority: 1, subject: {namespaces: {}}}",
      "TW1203 ADMIN",
    ],
    ["S3.2: no priority", "{tier: Admin, subject: {namespaces: {}}}", "TW1202 spec"],
    [
      "S3.2: a priority above 1000",
      "{tier: Admin, priority: 1001, subject: {namespaces: {}}}",
      "TW1205 1001",
    ],
    ["S3.2: a priority below 0", "{tier: admin, priority: -1, subject: {namespaces: {}}}", "TW1205 -1"],
    [
      "S3.2: a priority that is text",
      '{tier: Admin, priority: "1", subject: {namespaces: {}}}',
      'TW1201 "1"',
    ],

    ["S3.8: no subject", "{tier: Admin, priority: 1}", "TW1202 spec"],
    ["S3.8: an empty subject", "{tier: Admin, priority: 1, subject: {}}", "TW1209 {}"],
    [
      "S3.8: two subjects",
      "{tier: Admin, priority: 1, subject: {namespaces: {}, pods: {podSelector: {}}}}",
      "TW1209 pods",
    ],
    ["S3.6: an unknown subject", "{tier: Admin, priority: 1, subject: {nodes: {}}}", "TW1204 nodes"],
    [
      "S3.8: pods without podSelector",
      "{tier: Admin, priority: 1, subject: {pods: {namespaceSelector: {}}}}",
      "TW1202 pods",
    ],
    [
      "S3.8: pods without namespaceSelector, in the seed's spelling",
      "{tier: admin, priority: 1, subject: {pods: {podSelector: {}}}}",
      "TW1202 pods",
    ],
    ["S3.6: an unknown field of the spec", released("policyTypes: [Ingress]"), "TW1204 policyTypes"],

    ["S3.8: no action", egress(all), "TW1202 {to: [{namespaces: {}}]}"],
    ["S3.1: an unknown action", egress(`action: Log, ${all}`), "TW1203 Log"],
    ["S3.8: no `to`", egress("action: Deny"), "TW1202 {action: Deny}"],
    ["S3.8: an empty `to`", egress("action: Deny, to: []"), "TW1206 []"],
    ["S3.8: `from` in an egress rule", egress(`action: Deny, ${all}, from: []`), "TW1204 from"],
    [
      "S3.8: a rule name of 101 characters",
      egress(`name: ${"x".repeat(101)}, action: Deny, ${all}`),
      `TW1208 ${"x".repeat(101)}`,
    ],

    ["S3.8: a peer with nothing", egress("action: Deny, to: [{}]"), "TW1209 {}"],
    ["S3.8: a peer with null", egress("action: Deny, to: [{namespaces: }]"), "TW1209 {namespaces: }"],
    [
      "S3.8: a peer with two fields",
      egress("action: Deny, to: [{namespaces: {}, nodes: {}}]"),
      "TW1209 nodes",
    ],
    ["S3.6: an unknown peer", egress("action: Deny, to: [{services: {}}]"), "TW1204 services"],
    [
      "S3.4: nodes are egress peers",
      released("ingress: [{action: Deny, from: [{nodes: {}}]}]"),
      "TW1204 nodes",
    ],
    [
      "S3.4: networks are egress peers",
      released("ingress: [{action: Deny, from: [{networks: [10.0.0.0/8]}]}]"),
      "TW1204 networks",
    ],
    [
      "S3.5: domainNames are egress peers",
      released("ingress: [{action: Accept, from: [{domainNames: [a.io]}]}]"),
      "TW1204 domainNames",
    ],
    ["S3.8: no networks", egress("action: Deny, to: [{networks: []}]"), "TW1206 []"],
    [
      "S3.8: a network twice",
      egress("action: Deny, to: [{networks: [10.0.0.0/8, 10.0.0.0/8]}]"),
      "TW1212 10.0.0.0/8",
    ],
    ["S3.8: not a CIDR", egress("action: Deny, to: [{networks: [10.0.0.256/8]}]"), "TW1304 10.0.0.256/8"],
    ["S3.8: an address alone", egress("action: Deny, to: [{networks: [10.0.0.1]}]"), "TW1304 10.0.0.1"],
    [
      "S3.8: a CIDR with host bits is a warning",
      egress("action: Deny, to: [{networks: [10.0.0.1/8]}]"),
      "TW2001 10.0.0.1/8",
    ],
    ["S3.8: no domain names", egress("action: Accept, to: [{domainNames: []}]"), "TW1206 []"],
    ["S3.8: a domain name twice", egress("action: Accept, to: [{domainNames: [a.io, a.io]}]"), "TW1212 a.io"],
    ["S8.1: a single label", egress("action: Accept, to: [{domainNames: [localhost]}]"), "TW1308 localhost"],
    [
      "S8.1: `*` before a single label",
      egress('action: Accept, to: [{domainNames: ["*.com"]}]'),
      'TW1308 "*.com"',
    ],
    ["S8.1: `*` elsewhere", egress("action: Accept, to: [{domainNames: [www.*.io]}]"), "TW1308 www.*.io"],
    [
      "S8.1: `*` as a part of a label",
      egress("action: Accept, to: [{domainNames: [w*.kubernetes.io]}]"),
      "TW1308 w*.kubernetes.io",
    ],
    [
      "S8.2: domain names in a Deny rule",
      egress("action: Deny, to: [{namespaces: {}}, {domainNames: [a.io]}]"),
      "TW1404 domainNames",
    ],
    [
      "S8.2: domain names in a Pass rule",
      seedEgress("action: Pass, to: [{domainNames: [a.io]}]"),
      "TW1404 domainNames",
    ],

    ["S3.8: empty protocols", egress(`action: Deny, ${all}, protocols: []`), "TW1206 []"],
    ["S3.8: a protocol with nothing", egress(`action: Deny, ${all}, protocols: [{}]`), "TW1209 {}"],
    ["S3.8: `tcp: {}`", egress(`action: Deny, ${all}, protocols: [{tcp: {}}]`), "TW1202 tcp"],
    [
      "S3.8: `destinationPort: {}`",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {}}}]`),
      "TW1209 {}",
    ],
    [
      "S3.8: two protocols in one entry",
      egress(
        `action: Deny, ${all}, protocols: [{tcp: {destinationPort: {number: 1}}, udp: {destinationPort: {number: 1}}}]`,
      ),
      "TW1209 udp",
    ],
    [
      "S3.8: a number and a range",
      egress(
        `action: Deny, ${all}, protocols: [{tcp: {destinationPort: {number: 1, range: {start: 1, end: 2}}}}]`,
      ),
      "TW1209 range",
    ],
    [
      "S3.8: port 0",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {number: 0}}}]`),
      "TW1205 0",
    ],
    [
      "S3.8: port 65536",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {number: 65536}}}]`),
      "TW1205 65536",
    ],
    [
      "S3.8: a range that ends before it starts",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {range: {start: 90, end: 80}}}}]`),
      "TW1306 80",
    ],
    [
      "S3.8: a range of one port",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {range: {start: 80, end: 80}}}}]`),
      "TW1306 80",
    ],
    [
      "S3.8: half a range",
      egress(`action: Deny, ${all}, protocols: [{tcp: {destinationPort: {range: {start: 80}}}}]`),
      "TW1202 range",
    ],
    [
      "S1.8: a name no port can have",
      egress(`action: Deny, ${all}, protocols: [{destinationNamedPort: Web_UI}]`),
      "TW1307 Web_UI",
    ],
    [
      "S3.8: a port as text",
      seedEgress(`action: Deny, ${all}, ports: [{portNumber: {port: "80"}}]`),
      'TW1201 "80"',
    ],
    [
      "S3.8: two kinds of port",
      seedEgress(`action: Deny, ${all}, ports: [{portNumber: {port: 80}, namedPort: web}]`),
      "TW1209 namedPort",
    ],
    [
      "S3.8: a range of one port in the seed's spelling",
      seedEgress(`action: Deny, ${all}, ports: [{portRange: {start: 8, end: 8}}]`),
      "TW1306 8",
    ],
    [
      "S3.8: an unknown protocol",
      seedEgress(`action: Deny, ${all}, ports: [{portNumber: {protocol: ICMP, port: 8}}]`),
      "TW1203 ICMP",
    ],

    [
      "S3.7: a named port with networks",
      egress("action: Deny, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: web}]"),
      "TW1403 destinationNamedPort",
    ],
    [
      "S3.7: a named port with nodes",
      seedEgress(`action: Deny, to: [{namespaces: {}}, {nodes: {}}], ports: [{namedPort: web}]`),
      "TW1403 namedPort",
    ],
    [
      "S3.7: a named port with domain names",
      egress("action: Accept, to: [{domainNames: [a.io]}], protocols: [{destinationNamedPort: web}]"),
      "TW1403 destinationNamedPort",
    ],

    [
      "S1.10: a selector with an operator in the wrong case",
      egress(
        "action: Deny, to: [{namespaces: {matchExpressions: [{key: a, operator: notIn, values: [b]}]}}]",
      ),
      "TW1203 notIn",
    ],
    [
      "S10.1: a near miss",
      egress("action: Deny, to: [{namespaces: {matchlabels: {a: b}}}]"),
      "TW1204 matchlabels",
    ],
    [
      "two rules with one name, a warning",
      released(
        `ingress: [{name: x, action: Deny, from: [{namespaces: {}}]}], egress: [{name: x, action: Deny, ${all}}]`,
      ),
      "TW2009 x",
    ],
  ])("%s", (_, spec, expected) => {
    expect(problems(spec)).toEqual([expected]);
  });
});

describe("limits", () => {
  const rule = (to: string, more = "") => `{action: Deny, to: ${to}${more}}`;
  const pods = "[{namespaces: {}}]";
  const block = (i: number) => `10.0.${i}.0/24`;
  const protocols = (n: number) =>
    `, protocols: ${repeat(n, (i) => `{tcp: {destinationPort: {number: ${i + 1}}}}`)}`;
  const ports = (n: number) => `, ports: ${repeat(n, (i) => `{portNumber: {port: ${i + 1}}}`)}`;

  it.each([
    ["S3.1: 26 rules as released", released(`egress: ${repeat(26, () => rule(pods))}`), "egress"],
    ["S3.1: 101 rules in the seed's spelling", seed(`egress: ${repeat(101, () => rule(pods))}`), "egress"],
    [
      "S3.1: 26 peers as released",
      released(`egress: [${rule(repeat(26, () => "{namespaces: {}}"))}]`),
      "egress[0].to",
    ],
    [
      "S3.1: 101 peers in the seed's spelling",
      seed(`egress: [${rule(repeat(101, () => "{namespaces: {}}"))}]`),
      "egress[0].to",
    ],
    [
      "S3.1: 26 protocols as released",
      released(`egress: [${rule(pods, protocols(26))}]`),
      "egress[0].protocols",
    ],
    [
      "S3.1: 101 ports in the seed's spelling",
      seed(`egress: [${rule(pods, ports(101))}]`),
      "egress[0].ports",
    ],
    [
      "S3.8: 26 networks as released",
      released(`egress: [${rule(`[{networks: ${repeat(26, block)}}]`)}]`),
      "egress[0].to[0].networks",
    ],
    [
      "S3.8: 26 networks in the seed's spelling",
      seed(`egress: [${rule(`[{networks: ${repeat(26, block)}}]`)}]`),
      "egress[0].to[0].networks",
    ],
    [
      "S3.8: 26 domain names",
      released(`egress: [{action: Accept, to: [{domainNames: ${repeat(26, (i) => `a${i}.io`)}}]}]`),
      "egress[0].to[0].domainNames",
    ],
  ])("%s", (_, spec, path) => {
    expect(diagnosticsOf(spec).map((d) => [d.code, pathText(d.path)])).toEqual([["TW1207", `spec.${path}`]]);
    // From a cluster, objects that exceed limits are still evaluated.
    expect(diagnosticsOf(spec, "cluster").map((d) => d.code)).toEqual(["TW2017"]);
  });

  const pathText = (path: readonly (string | number)[] = []): string =>
    path
      .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
      .join("")
      .slice(1);
});

describe("S3.1: two spellings", () => {
  const pods = "[{namespaces: {}}]";

  it.each([
    ["tier Admin with action Allow", released(`egress: [{action: Allow, to: ${pods}}]`), "TW1401 Allow"],
    [
      "tier Baseline with ports",
      `{tier: Baseline, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: ${pods}, ports: []}]}`,
      "TW1401 ports",
    ],
    [
      "portNumber in protocols",
      released(`egress: [{action: Deny, to: ${pods}, protocols: [{portNumber: {port: 1}}]}]`),
      "TW1401 portNumber",
    ],
    [
      "portRange in protocols",
      released(`egress: [{action: Deny, to: ${pods}, protocols: [{portRange: {start: 1, end: 2}}]}]`),
      "TW1401 portRange",
    ],
    [
      "namedPort in protocols",
      released(`egress: [{action: Deny, to: ${pods}, protocols: [{namedPort: web}]}]`),
      "TW1401 namedPort",
    ],
    ["tier admin with action Accept", seed(`egress: [{action: Accept, to: ${pods}}]`), "TW1401 Accept"],
    [
      "tier baseline with protocols",
      `{tier: baseline, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: ${pods}, protocols: []}]}`,
      "TW1401 protocols",
    ],
    ["tcp in ports", seed(`egress: [{action: Deny, to: ${pods}, ports: [{tcp: {}}]}]`), "TW1401 tcp"],
    [
      "destinationNamedPort in ports",
      seed(`egress: [{action: Deny, to: ${pods}, ports: [{destinationNamedPort: web}]}]`),
      "TW1401 destinationNamedPort",
    ],
  ])("S3.1: a document may not mix them: %s", (_, spec, expected) => {
    expect(problems(spec)).toEqual([expected]);
  });

  it("S3.1: the message names both spellings", () => {
    const [found] = diagnosticsOf(released(`egress: [{action: Allow, to: ${pods}}]`));
    expect(found?.message).toContain("`tier: admin`, `action: Allow`, `ports`");
    expect(found?.message).toContain("`tier: Admin`, `action: Accept`, `protocols`");
  });

  const subject = "subject: {namespaces: {}}";

  it.each([
    ["admin", "{tier: admin}", "as in NPEP-285"],
    ["baseline", "{tier: baseline, ingress: [{action: Accept, protocols: []}]}", "as in NPEP-285"],
    ["Admin", "{tier: Admin, ingress: [{action: Allow, ports: []}]}", "as released in v0.2.0"],
    ["Baseline", "{tier: Baseline}", "as released in v0.2.0"],
  ])("S3.1: tier %s determines the spelling, whatever the other fields", (_, spec, title) => {
    expect(chosen(spec)).toBe(title);
  });

  it.each([
    ["nothing", `{${subject}}`, "as released in v0.2.0"],
    ["the action Allow", `{${subject}, ingress: [{action: Allow}]}`, "as in NPEP-285"],
    ["ports", `{${subject}, egress: [{action: Deny, ports: []}]}`, "as in NPEP-285"],
    ["the action Accept", `{${subject}, egress: [{action: Accept}]}`, "as released in v0.2.0"],
    ["protocols", `{tier: admn, egress: [{action: Deny, protocols: []}]}`, "as released in v0.2.0"],
    ["words of both", `{tier: admn, egress: [{action: Allow}, {action: Accept}]}`, "as released in v0.2.0"],
    ["invalid rules", "{ingress: 5, egress: [1, null, []]}", "as released in v0.2.0"],
    ["no spec", "5", "as released in v0.2.0"],
  ])("S3.1: without a known tier, the other words say it: %s", (_, spec, title) => {
    expect(chosen(spec)).toBe(title);
  });

  function chosen(spec: string): string | undefined {
    const [document] = parseManifest(manifest(spec), "policy.yaml").documents;
    return isObject(document?.value) ? kind.choose?.(document.value).title : undefined;
  }
});

describe("every field", () => {
  it.each(kind.spellings.map((spelling) => [spelling.title, spelling.schema] as const))(
    "has a description: %s",
    (_, schema) => {
      expect(withoutDescription(schema, "")).toEqual([]);
    },
  );

  function withoutDescription(schema: Schema, path: string): readonly string[] {
    const own = schema.description.length > 0 ? [] : [path];
    if (schema.type === "list") return [...own, ...withoutDescription(schema.items, `${path}[]`)];
    if (schema.type !== "object") return own;
    return [
      ...own,
      ...Object.entries(schema.fields).flatMap(([key, field]) => withoutDescription(field, `${path}.${key}`)),
    ];
  }
});
