import { describe, expect, it } from "vitest";
import { readOne } from "../../../testing/read-one.js";
import type { Provenance } from "../read.js";
import { adminNetworkPolicyKinds } from "./dialect.js";

const api = "apiVersion: policy.networking.k8s.io/v1alpha1";
const admin = (spec: string, provenance: Provenance = "file") =>
  readOne(
    adminNetworkPolicyKinds,
    `{${api}, kind: AdminNetworkPolicy, metadata: {name: guard}, spec: ${spec}}`,
    provenance,
  );
const baseline = (spec: string, name = "default", provenance: Provenance = "file") =>
  readOne(
    adminNetworkPolicyKinds,
    `{${api}, kind: BaselineAdminNetworkPolicy, metadata: {name: ${name}}, spec: ${spec}}`,
    provenance,
  );

const withRules = (rules: string) => `{priority: 10, subject: {namespaces: {}}, ${rules}}`;
const repeat = (n: number, item: (i: number) => string): string =>
  `[${Array.from({ length: n }, (_, i) => item(i)).join(", ")}]`;
const networks = (n: number) => repeat(n, (i) => `10.0.${i}.0/24`);
const everyone = "[{namespaces: {}}]";

describe("AdminNetworkPolicy: what is accepted", () => {
  it.each([
    ["S4.1: no rules", withRules("")],
    ["S4.1: a subject of pods", "{priority: 0, subject: {pods: {namespaceSelector: {}, podSelector: {}}}}"],
    [
      "S4.1, S4.2: every action, peer and port",
      withRules(`ingress: [{name: in, action: Pass, from: [{namespaces: {}}, {pods: {namespaceSelector: {}, podSelector: {}}}],
          ports: [{namedPort: web}]}],
        egress: [{name: out, action: Deny, to: [{nodes: {}}, {networks: [0.0.0.0/0, "::/0"]}],
          ports: [{portNumber: {protocol: TCP, port: 443}}, {portRange: {start: 1, end: 2}}]},
          {name: names, action: Allow, to: [{domainNames: ["*.kubernetes.io"]}]}]`),
    ],
    [
      "S3.8: a range of one port",
      withRules(`egress: [{action: Deny, to: ${everyone}, ports: [{portRange: {start: 8, end: 8}}]}]`),
    ],
    [
      "S4.2: 100 rules, each with 100 peers",
      withRules(`egress: ${repeat(100, () => `{action: Deny, to: ${repeat(100, () => "{nodes: {}}")}}`)}`),
    ],
    [
      "S4.2: 100 ports",
      withRules(
        `egress: [{action: Deny, to: ${everyone}, ports: ${repeat(100, (i) => `{portNumber: {port: ${i + 1}}}`)}}]`,
      ),
    ],
    ["S4.2: 25 networks", withRules(`egress: [{action: Deny, to: [{networks: ${networks(25)}}]}]`)],
  ])("%s", (_, spec) => {
    expect(admin(spec).found).toEqual([]);
  });
});

describe("AdminNetworkPolicy: what is an error in a file", () => {
  const egress = (rule: string) => withRules(`egress: [{${rule}}]`);

  it.each([
    ["S4.1: no priority", "{subject: {namespaces: {}}}", "TW1202 spec"],
    ["S4.1: a priority above 1000", "{priority: 1001, subject: {namespaces: {}}}", "TW1205 spec.priority"],
    ["S4.1: a priority below 0", "{priority: -1, subject: {namespaces: {}}}", "TW1205 spec.priority"],
    ["S4.1: no subject", "{priority: 1}", "TW1202 spec"],
    ["S4.1: an empty subject", "{priority: 1, subject: {}}", "TW1209 spec.subject"],
    [
      "S4.1: two subjects",
      "{priority: 1, subject: {namespaces: {}, pods: {namespaceSelector: {}, podSelector: {}}}}",
      "TW1209 spec.subject.pods",
    ],
    [
      "S3.8: pods without namespaces",
      "{priority: 1, subject: {pods: {podSelector: {}}}}",
      "TW1202 spec.subject.pods",
    ],
    ["S4.1: a tier, which is ClusterNetworkPolicy's", withRules("tier: Admin"), "TW1204 spec.tier"],
    [
      "S4.1: the action of another API",
      egress(`action: Accept, to: ${everyone}`),
      "TW1203 spec.egress[0].action",
    ],
    ["S4.1: no action", egress(`to: ${everyone}`), "TW1202 spec.egress[0]"],
    [
      "S4.2: nodes on ingress",
      withRules("ingress: [{action: Deny, from: [{nodes: {}}]}]"),
      "TW1204 spec.ingress[0].from[0].nodes",
    ],
    [
      "S4.2: networks on ingress",
      withRules("ingress: [{action: Deny, from: [{networks: [10.0.0.0/8]}]}]"),
      "TW1204 spec.ingress[0].from[0].networks",
    ],
    ["S3.8: no peers", egress("action: Deny, to: []"), "TW1206 spec.egress[0].to"],
    ["S3.8: a peer with nothing", egress("action: Deny, to: [{}]"), "TW1209 spec.egress[0].to[0]"],
    [
      "S3.8: no ports in the list",
      egress(`action: Deny, to: ${everyone}, ports: []`),
      "TW1206 spec.egress[0].ports",
    ],
    [
      "S3.8: a range that ends before it starts",
      egress(`action: Deny, to: ${everyone}, ports: [{portRange: {start: 9, end: 8}}]`),
      "TW1306 spec.egress[0].ports[0].portRange.end",
    ],
    [
      "S3.7: a named port with networks",
      egress("action: Deny, to: [{networks: [10.0.0.0/8]}], ports: [{namedPort: web}]"),
      "TW1403 spec.egress[0].ports[0].namedPort",
    ],
    [
      "S3.7: a named port with domain names",
      egress("action: Allow, to: [{domainNames: [a.io]}], ports: [{namedPort: web}]"),
      "TW1403 spec.egress[0].ports[0].namedPort",
    ],
    [
      "S8.2: domain names in a Deny rule",
      egress("action: Deny, to: [{domainNames: [a.io]}]"),
      "TW1404 spec.egress[0].to[0].domainNames",
    ],
    [
      "S8.1: an invalid domain name",
      egress('action: Allow, to: [{domainNames: ["*.com"]}]'),
      "TW1308 spec.egress[0].to[0].domainNames[0]",
    ],
    [
      "S4.2: placeholders as in the seed's example",
      egress("action: Allow, to: [{networks: [POD_CIDR]}]"),
      "TW1304 spec.egress[0].to[0].networks[0]",
    ],
    [
      "S4.2: a network twice",
      egress("action: Deny, to: [{networks: [10.0.0.0/8, 10.0.0.0/8]}]"),
      "TW1212 spec.egress[0].to[0].networks[1]",
    ],
    [
      "S4.2: 26 networks are a warning",
      egress(`action: Deny, to: [{networks: ${networks(26)}}]`),
      "TW2007 spec.egress[0].to[0].networks",
    ],
    [
      "S4.2: 100 networks too",
      egress(`action: Deny, to: [{networks: ${networks(100)}}]`),
      "TW2007 spec.egress[0].to[0].networks",
    ],
    [
      "S4.2: 101 networks are an error",
      egress(`action: Deny, to: [{networks: ${networks(101)}}]`),
      "TW1207 spec.egress[0].to[0].networks",
    ],
    [
      "S4.2: 101 rules",
      withRules(`egress: ${repeat(101, () => `{action: Deny, to: ${everyone}}`)}`),
      "TW1207 spec.egress",
    ],
    [
      "S4.2: 101 peers",
      egress(`action: Deny, to: ${repeat(101, () => "{nodes: {}}")}`),
      "TW1207 spec.egress[0].to",
    ],
    [
      "S4.2: 101 ports",
      egress(`action: Deny, to: ${everyone}, ports: ${repeat(101, (i) => `{portNumber: {port: ${i + 1}}}`)}`),
      "TW1207 spec.egress[0].ports",
    ],
    [
      "two rules with one name, a warning",
      withRules(
        `egress: [{name: x, action: Deny, to: ${everyone}}, {name: x, action: Deny, to: ${everyone}}]`,
      ),
      "TW2009 spec.egress[1].name",
    ],
    [
      "S10.5: `notIn` and a label without a value, as in the seed's example",
      "{priority: 55, subject: {namespaces: {matchExpressions: [{key: a, operator: notIn, values: [b]}]}}}",
      "TW1203 spec.subject.namespaces.matchExpressions[0].operator",
    ],
    [
      "S10.5: a label without a value is a warning",
      egress("action: Deny, to: [{nodes: {matchLabels: {node-role.kubernetes.io/control-plane: }}}]"),
      'TW2010 spec.egress[0].to[0].nodes.matchLabels["node-role.kubernetes.io/control-plane"]',
    ],
  ])("%s", (_, spec, expected) => {
    expect(admin(spec).found).toEqual([expected]);
  });
});

describe("S4.4: a mix with KEP-2091's AdminNetworkPolicy", () => {
  it.each([
    [
      "both subjects",
      "{priority: 1, subject: {namespaces: {}, namespaceSelector: {}}}",
      "spec.subject.namespaceSelector",
    ],
    [
      "both subjects of pods",
      "{priority: 1, subject: {namespaces: {}, namespaceAndPodSelector: {}}}",
      "spec.subject.namespaceAndPodSelector",
    ],
    [
      "its ports",
      withRules(`ingress: [{action: Deny, from: ${everyone}, l4Selector: {allPorts: true}}]`),
      "spec.ingress[0].l4Selector",
    ],
    [
      "its pods",
      withRules("ingress: [{action: Deny, from: [{namespacedPods: {}}]}]"),
      "spec.ingress[0].from[0].namespacedPods",
    ],
    [
      "self",
      withRules("ingress: [{action: Deny, from: [{namespaces: {self: true}}]}]"),
      "spec.ingress[0].from[0].namespaces.self",
    ],
    [
      "notSelf",
      withRules("ingress: [{action: Deny, from: [{namespaces: {notSelf: true}}]}]"),
      "spec.ingress[0].from[0].namespaces.notSelf",
    ],
    [
      "sameLabels",
      withRules("ingress: [{action: Deny, from: [{namespaces: {sameLabels: [a]}}]}]"),
      "spec.ingress[0].from[0].namespaces.sameLabels",
    ],
    [
      "notSameLabels",
      withRules("egress: [{action: Deny, to: [{namespaces: {notSameLabels: [a]}}]}]"),
      "spec.egress[0].to[0].namespaces.notSameLabels",
    ],
  ])("S4.4: %s is an error that names both readings", (_, spec, path) => {
    const { found, messages } = admin(spec);
    expect(found).toEqual([`TW1402 ${path}`]);
    expect(messages[0]).toContain("KEP-2091");
    expect(messages[0]).toContain("released");
  });

  it("S4.4: its selector, which early versions of this API had as well, is an error that names all of them", () => {
    const { found, messages } = admin(
      withRules("ingress: [{action: Deny, from: [{namespaces: {namespaceSelector: {}}}]}]"),
    );
    expect(found).toEqual(["TW1419 spec.ingress[0].from[0].namespaces.namespaceSelector"]);
    expect(messages[0]).toMatch(/early version.*KEP-2091.*released/);
  });
});

describe("BaselineAdminNetworkPolicy", () => {
  const spec = (rules: string) => `{subject: {namespaces: {}}, ${rules}}`;

  it("S4.1: both actions, every peer but names", () => {
    const rules = `ingress: [{action: Allow, from: ${everyone}, ports: [{namedPort: web}]}],
      egress: [{action: Deny, to: [{namespaces: {}}, {pods: {namespaceSelector: {}, podSelector: {}}}, {nodes: {}}, {networks: [0.0.0.0/0]}]}]`;
    expect(baseline(spec(rules)).found).toEqual([]);
  });

  it.each([
    ["S4.1: Pass", spec(`egress: [{action: Pass, to: ${everyone}}]`), "TW1203 spec.egress[0].action"],
    [
      "S4.1: domainNames",
      spec("egress: [{action: Allow, to: [{domainNames: [a.io]}]}]"),
      "TW1204 spec.egress[0].to[0].domainNames",
    ],
    ["S4.1: a priority", spec("priority: 1"), "TW1204 spec.priority"],
    [
      "S3.7: a named port with nodes",
      spec("egress: [{action: Deny, to: [{nodes: {}}], ports: [{namedPort: web}]}]"),
      "TW1403 spec.egress[0].ports[0].namedPort",
    ],
    [
      "S4.2: 26 networks are a warning",
      spec(`egress: [{action: Deny, to: [{networks: ${networks(26)}}]}]`),
      "TW2007 spec.egress[0].to[0].networks",
    ],
    [
      "S4.2: 101 rules",
      spec(`ingress: ${repeat(101, () => `{action: Deny, from: ${everyone}}`)}`),
      "TW1207 spec.ingress",
    ],
  ])("%s", (_, text, expected) => {
    expect(baseline(text).found).toEqual([expected]);
  });

  it("S4.1: any name but `default` is an error, at the name", () => {
    const { found, places } = baseline(spec(""), "other");
    expect(found).toEqual(["TW1106 metadata.name"]);
    expect(places[0]?.length).toBe("other".length);
    expect(baseline(spec(""), "other", "cluster").found).toEqual(["TW2017 metadata.name"]);
  });
});
