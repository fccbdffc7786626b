import { describe, expect, it } from "vitest";
import { readOne } from "../../../testing/read-one.js";
import { kep2091Kinds } from "./dialect.js";

const head = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p}\n";
const read = (spec: string) => readOne(kep2091Kinds, `${head}spec: ${spec}`);
const found = (spec: string) => read(spec).found;

const subject = "subject: {namespaceSelector: {}}";
const from = "from: [{namespaces: {namespaceSelector: {}}}]";
const rule = `{action: Deny, ${from}, l4Selector: {allPorts: true}}`;
const ingress = (text: string) => `{priority: 5, ${subject}, ingress: [${text}]}`;
const peer = (text: string) => ingress(`{action: Deny, from: [${text}], l4Selector: {allPorts: true}}`);
const l4 = (text: string) => ingress(`{action: Deny, ${from}, l4Selector: ${text}}`);

/** Each: what is written, and all that is found, as `CODE path`; nothing where it is right. */
type Cases = readonly (readonly [string, readonly string[]])[];

describe("S5.1: priority", () => {
  const cases: Cases = [
    [`{priority: 0, ${subject}}`, []],
    [`{priority: 1000, ${subject}}`, []],
    [`{${subject}}`, ["TW1202 spec"]],
    [`{priority: 1001, ${subject}}`, ["TW1205 spec.priority"]],
    [`{priority: -1, ${subject}}`, ["TW1205 spec.priority"]],
    [`{priority: 1.5, ${subject}}`, ["TW1201 spec.priority"]],
    [`{priority: "5", ${subject}}`, ["TW1201 spec.priority"]],
  ];
  it.each(cases)("%s: %j", (spec, problems) => expect(found(spec)).toEqual(problems));
});

describe("S5.3: exactly one subject", () => {
  const both = "{namespaceSelector: {}, podSelector: {}}";
  const cases: Cases = [
    ["{priority: 5, subject: {namespaceSelector: {matchLabels: {a: b}}}}", []],
    [`{priority: 5, subject: {namespaceAndPodSelector: ${both}}}`, []],
    ["{priority: 5}", ["TW1202 spec"]],
    ["{priority: 5, subject: {}}", ["TW1209 spec.subject"]],
    [
      `{priority: 5, subject: {namespaceSelector: {}, namespaceAndPodSelector: ${both}}}`,
      ["TW1209 spec.subject.namespaceAndPodSelector"],
    ],
    ["{priority: 5, subject: {namespacesSelector: {}}}", ["TW1204 spec.subject.namespacesSelector"]],
  ];
  it.each(cases)("%s: %j", (spec, problems) => expect(found(spec)).toEqual(problems));
});

describe("S5.3: exactly one field of a peer, a namespace set and a pod set", () => {
  const at = "spec.ingress[0].from[0]";
  const pods = "podSelector: {}";
  const inPeer = (set: string) => `{namespacedPods: {namespaces: {self: true}, pods: ${set}}}`;
  const cases: Cases = [
    ["{namespaces: {self: true}}", []],
    ["{namespaces: {notSelf: true}}", []],
    ["{namespaces: {sameLabels: [tenant]}}", []],
    ["{namespaces: {notSameLabels: [tenant, example.com/zone]}}", []],
    [inPeer(`{${pods}}`), []],
    [inPeer("{sameLabels: [app]}"), []],
    [inPeer("{notSameLabels: [app]}"), []],
    ["{}", [`TW1209 ${at}`]],
    [
      "{namespaces: {self: true}, namespacedPods: {namespaces: {self: true}, pods: {podSelector: {}}}}",
      [`TW1209 ${at}.namespacedPods`],
    ],
    ["{namespaces: {}}", [`TW1209 ${at}.namespaces`]],
    ["{namespaces: {self: true, notSelf: true}}", [`TW1209 ${at}.namespaces.notSelf`]],
    ["{namespaces: {sameLabels: [a], notSameLabels: [b]}}", [`TW1209 ${at}.namespaces.notSameLabels`]],
    ["{namespaces: {self: false}}", [`TW1405 ${at}.namespaces.self`]],
    ["{namespaces: {notSelf: false}}", [`TW1405 ${at}.namespaces.notSelf`]],
    ["{namespaces: {sameLabels: tenant}}", [`TW1201 ${at}.namespaces.sameLabels`]],
    ["{namespaces: {sameLabels: [not a key]}}", [`TW1301 ${at}.namespaces.sameLabels[0]`]],
    ["{namespaces: {samelabels: [tenant]}}", [`TW1204 ${at}.namespaces.samelabels`]],
    [inPeer("{}"), [`TW1209 ${at}.namespacedPods.pods`]],
    [inPeer(`{${pods}, sameLabels: [a]}`), [`TW1209 ${at}.namespacedPods.pods.sameLabels`]],
    [inPeer("{self: true}"), [`TW1204 ${at}.namespacedPods.pods.self`]],
  ];
  it.each(cases)("%s: %j", (text, problems) => expect(found(peer(text))).toEqual(problems));
});

describe("S5.5: l4Selector", () => {
  const at = "spec.ingress[0].l4Selector";
  const cases: Cases = [
    ["{allPorts: true}", []],
    [
      "{ports: [{port: 80}, {port: web, protocol: UDP}, {port: 80, endPort: 80}, {port: 1, endPort: 65535}]}",
      [],
    ],
    ["{}", [`TW1209 ${at}`]],
    ["{allPorts: true, ports: [{port: 80}]}", [`TW1209 ${at}.ports`]],
    ["{allPorts: true, ports: []}", [`TW1209 ${at}.ports`]],
    ["{allPorts: false}", [`TW1405 ${at}.allPorts`]],
    ["{ports: [{port: 0}]}", [`TW1205 ${at}.ports[0].port`]],
    ["{ports: [{port: 65536}]}", [`TW1205 ${at}.ports[0].port`]],
    ["{ports: [{port: Not_A_Name}]}", [`TW1307 ${at}.ports[0].port`]],
    ["{ports: [{port: 80, protocol: tcp}]}", [`TW1203 ${at}.ports[0].protocol`]],
    ["{ports: [{port: 80, endPort: 79}]}", [`TW1306 ${at}.ports[0].endPort`]],
    ["{ports: [{port: web, endPort: 90}]}", [`TW1310 ${at}.ports[0].endPort`]],
    ["{ports: [{endPort: 90}]}", [`TW1310 ${at}.ports[0].endPort`]],
  ];
  it.each(cases)("%s: %j", (text, problems) => expect(found(l4(text))).toEqual(problems));

  it("S5.5: is required", () => {
    expect(found(ingress(`{action: Deny, ${from}}`))).toEqual(["TW1202 spec.ingress[0]"]);
  });

  it("S5.5: what is valid and matches nothing is warned of", () => {
    expect(found(l4("{ports: []}"))).toEqual([`TW2013 ${at}.ports`]);
    expect(found(l4("{ports: [{port: 80}, {protocol: UDP}]}"))).toEqual([`TW2013 ${at}.ports[1]`]);
  });
});

describe("S5.6: rules", () => {
  const at = "spec.ingress[0]";

  it("S5.6: action is required, and one of three", () => {
    expect(found(ingress(`{${from}, l4Selector: {allPorts: true}}`))).toEqual([`TW1202 ${at}`]);
    expect(found(ingress(`{action: Empower, ${from}, l4Selector: {allPorts: true}}`))).toEqual([
      `TW1203 ${at}.action`,
    ]);
    expect(read(ingress(`{action: deny, ${from}, l4Selector: {allPorts: true}}`)).messages).toEqual([
      "`deny` is not one of `Allow`, `Deny` and `Pass`; did you mean `Deny`?",
    ]);
  });

  it("S5.6: an empty or missing from or to matches nothing, which is warned of", () => {
    expect(found(ingress("{action: Deny, from: [], l4Selector: {allPorts: true}}"))).toEqual([
      `TW2013 ${at}.from`,
    ]);
    expect(found(ingress("{action: Deny, l4Selector: {allPorts: true}}"))).toEqual([`TW2013 ${at}`]);
    const egress = (to: string) =>
      `{priority: 5, ${subject}, egress: [{action: Deny, ${to} l4Selector: {allPorts: true}}]}`;
    expect(found(egress("to: [],"))).toEqual(["TW2013 spec.egress[0].to"]);
    expect(found(egress(""))).toEqual(["TW2013 spec.egress[0]"]);
  });

  it("S5.4, S5.6: an empty label set gets a warning at its place", () => {
    expect(found(peer("{namespaces: {sameLabels: []}}"))).toEqual([
      `TW2013 ${at}.from[0].namespaces.sameLabels`,
    ]);
    expect(
      found(peer("{namespacedPods: {namespaces: {notSameLabels: []}, pods: {notSameLabels: []}}}")),
    ).toEqual([
      `TW2013 ${at}.from[0].namespacedPods.namespaces.notSameLabels`,
      `TW2013 ${at}.from[0].namespacedPods.pods.notSameLabels`,
    ]);
  });

  it("S5.6: at most 100 rules, ingress and egress together", () => {
    const out = rule.replace("from:", "to:");
    const policy = (incoming: number, outgoing: number) =>
      `{priority: 5, ${subject}, ingress: [${Array(incoming).fill(rule).join()}], egress: [${Array(outgoing).fill(out).join()}]}`;
    expect(found(policy(60, 40))).toEqual([]);
    expect(found(policy(60, 41))).toEqual(["TW1406 spec.egress[40]"]);
    expect(found(policy(102, 1))).toEqual(["TW1406 spec.ingress[100]"]);
    expect(read(policy(60, 41)).messages).toEqual([
      "the policy has 101 rules, ingress and egress together; at most 100 are allowed",
    ]);
  });

  it("S5.6: namespaceAndPodSelector and namespacedPods need both their parts in a file", () => {
    const part = (text: string) => `{priority: 5, subject: {namespaceAndPodSelector: ${text}}}`;
    expect(found(part("{namespaceSelector: {}}"))).toEqual(["TW1202 spec.subject.namespaceAndPodSelector"]);
    expect(found(part("{podSelector: {}}"))).toEqual(["TW1202 spec.subject.namespaceAndPodSelector"]);
    expect(found(peer("{namespacedPods: {namespaces: {self: true}}}"))).toEqual([
      `TW1202 ${at}.from[0].namespacedPods`,
    ]);
    expect(found(peer("{namespacedPods: {pods: {podSelector: {}}}}"))).toEqual([
      `TW1202 ${at}.from[0].namespacedPods`,
    ]);
  });
});

it("S5.8: rule names are optional, and duplicates in a policy are reported", () => {
  const named = (name: string) => rule.replace("{", `{name: ${name}, `);
  expect(
    found(ingress(`${rule}, ${rule}, ${named("a")}, ${named("b")}, ${named('""')}, ${named('""')}`)),
  ).toEqual([]);
  expect(found(ingress(`${named("a")}, ${named("b")}, ${named("a")}`))).toEqual([
    "TW2009 spec.ingress[2].name",
  ]);
  const egress = `egress: [${named("a").replace("from:", "to:")}]`;
  expect(found(`{priority: 5, ${subject}, ingress: [${named("a")}], ${egress}}`)).toEqual([
    "TW2009 spec.egress[0].name",
  ]);
});

it("S5.2: Pass at priority zero is warned of, elsewhere not", () => {
  const pass = (priority: number) =>
    found(`{priority: ${priority}, ${subject}, ingress: [${rule.replace("Deny", "Pass")}]}`);
  expect(pass(0)).toEqual(["TW2008 spec.ingress[0].action"]);
  expect(pass(1)).toEqual([]);
});

it("S5.9: in a file, unknown fields are errors, with a suggestion where one is near", () => {
  const story2 = peer("{namespaces: {namespaceSelector: {matchlabels: {app: dns}}}}");
  expect(found(story2)).toEqual(["TW1204 spec.ingress[0].from[0].namespaces.namespaceSelector.matchlabels"]);
  expect(read(story2).messages).toEqual([
    "unknown field `matchlabels` in a label selector; did you mean `matchLabels`?",
  ]);
  expect(found(ingress(rule.replace("{", "{ipBlock: {}, ")))).toEqual(["TW1204 spec.ingress[0].ipBlock"]);
});

describe("S4.4: the released shape's words in a policy of the KEP's are an error that names both", () => {
  const cases: Cases = [
    ["{priority: 5, subject: {namespaces: {}, namespaceSelector: {}}}", ["TW1402 spec.subject.namespaces"]],
    ["{priority: 5, subject: {pods: {}, namespaceSelector: {}}}", ["TW1402 spec.subject.pods"]],
    [peer("{pods: {namespaceSelector: {}, podSelector: {}}}"), ["TW1402 spec.ingress[0].from[0].pods"]],
    [peer("{nodes: {}}"), ["TW1402 spec.ingress[0].from[0].nodes"]],
    [peer("{networks: [10.0.0.0/8]}"), ["TW1402 spec.ingress[0].from[0].networks"]],
    [peer("{domainNames: [example.com]}"), ["TW1402 spec.ingress[0].from[0].domainNames"]],
    [peer("{namespaces: {matchLabels: {a: b}}}"), ["TW1402 spec.ingress[0].from[0].namespaces.matchLabels"]],
    [ingress(rule.replace("{", "{ports: [], ")), ["TW1402 spec.ingress[0].ports"]],
    [l4("{ports: [{portNumber: {port: 80}}]}"), ["TW1402 spec.ingress[0].l4Selector.ports[0].portNumber"]],
    [l4("{ports: [{namedPort: web}]}"), ["TW1402 spec.ingress[0].l4Selector.ports[0].namedPort"]],
    [l4("{ports: [{portRange: {}}]}"), ["TW1402 spec.ingress[0].l4Selector.ports[0].portRange"]],
  ];
  it.each(cases)("%s: %j", (spec, problems) => {
    const reading = read(spec);
    expect(reading.found).toEqual(problems);
    expect(reading.messages.join()).toMatch(/released AdminNetworkPolicy.*KEP-2091/);
  });
});

it("S10.1: a problem points at the field in the file", () => {
  const text = `${head}spec:\n  priority: 2000\n  subject:\n    namespaceSelector: {}\n    pods: {}\n`;
  const { messages, places } = readOne(kep2091Kinds, text);
  expect(messages[1]).toMatch(/^`pods` belongs to the released/);
  expect(places[1]).toMatchObject({ line: 8, column: 5 });
  expect(messages[0]).toBe("`2000` is out of range; it must be from 0 to 1000");
  expect(places[0]).toMatchObject({ line: 5, column: 13 });
});
