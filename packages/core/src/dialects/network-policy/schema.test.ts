import { describe, expect, it } from "vitest";
import { readOne } from "../../../testing/read-one.js";
import { networkPolicyKinds } from "./dialect.js";

const read = (spec: string) =>
  readOne(
    networkPolicyKinds,
    `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: a, name: np}\nspec: ${spec}`,
  );
const found = (spec: string) => read(spec).found;

/** Each: what is written, and all that is found, as `CODE path`; nothing where it is right. */
type Cases = readonly (readonly [string, readonly string[]])[];

describe("the spec", () => {
  const cases: Cases = [
    ["{podSelector: {}}", []],
    ["{podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{}], egress: [{}]}", []],
    ["{podSelector: {}, policyTypes: []}", []],
    ["{podSelector: {}, ingress: , egress: }", []],
    ["{}", ["TW2018 spec"]],
    ["{podSelector: {}, policyTypes: [ingress]}", ["TW1203 spec.policyTypes[0]"]],
    ["{podSelector: {}, policyTypes: Ingress}", ["TW1201 spec.policyTypes"]],
    ["{podSelector: {matchLabels: {a: 1}}}", ["TW1201 spec.podSelector.matchLabels.a"]],
    ["{podSelector: {}, subject: {}}", ["TW1204 spec.subject"]],
    ["{podSelector: {}, ingress: {}}", ["TW1201 spec.ingress"]],
    ["{podSelector: {}, ingress: [null]}", ["TW1201 spec.ingress[0]"]],
    ["{podSelector: {}, ingress: [{action: Allow}]}", ["TW1204 spec.ingress[0].action"]],
    ["{podSelector: {}, ingress: [{to: []}]}", ["TW1204 spec.ingress[0].to"]],
    ["{podSelector: {}, egress: [{from: []}]}", ["TW1204 spec.egress[0].from"]],
  ];
  it.each(cases)("S2.1: %s: %j", (spec, problems) => expect(found(spec)).toEqual(problems));

  it("S2.1: an error in a section that policyTypes leaves out is still an error", () => {
    expect(found("{podSelector: {}, policyTypes: [Ingress], egress: [{t0: []}]}")).toEqual([
      "TW1204 spec.egress[0].t0",
    ]);
  });
});

describe("peers", () => {
  const at = "spec.ingress[0].from[0]";
  const cases: Cases = [
    ["{podSelector: {}}", []],
    ["{namespaceSelector: {}}", []],
    ["{podSelector: {}, namespaceSelector: {}}", []],
    ["{ipBlock: {cidr: 10.0.0.0/8}}", []],
    ["{ipBlock: {cidr: 'fd00::/8', except: ['fd00:1::/32']}}", []],
    ["{}", [`TW1209 ${at}`]],
    ["{podSelector: }", [`TW1209 ${at}`]],
    ["{podSelectors: {}}", [`TW1204 ${at}.podSelectors`]],
    ["{podSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}", [`TW1210 ${at}.ipBlock`]],
    ["{namespaceSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}", [`TW1210 ${at}.ipBlock`]],
    [
      "{namespaceSelector: {matchExpressions: [{key: a, operator: In}]}}",
      [`TW1303 ${at}.namespaceSelector.matchExpressions[0]`],
    ],
  ];
  it.each(cases)("S2.2: %s: %j", (peer, problems) =>
    expect(found(`{podSelector: {}, ingress: [{from: [${peer}]}]}`)).toEqual(problems),
  );
});

describe("ipBlock", () => {
  const at = "spec.egress[0].to[0].ipBlock";
  const cases: Cases = [
    ["{}", [`TW1202 ${at}`]],
    ["{cidr: 10.0.0.0}", [`TW1304 ${at}.cidr`]],
    ["{cidr: 10.0.0.0/33}", [`TW1304 ${at}.cidr`]],
    ["{cidr: 10.0.0.256/32}", [`TW1304 ${at}.cidr`]],
    ["{cidr: 010.0.0.0/8}", [`TW1304 ${at}.cidr`]],
    ["{cidr: '::ffff:10.0.0.0/104'}", [`TW1304 ${at}.cidr`]],
    ["{cidr: 10.1.2.3/8}", [`TW2001 ${at}.cidr`]],
    ["{cidr: 10.0.0.0/8, except: [10.1.0.0]}", [`TW1304 ${at}.except[0]`]],
    ["{cidr: 10.0.0.0/8, except: [10.1.0.0/16, 11.0.0.0/16]}", [`TW1305 ${at}.except[1]`]],
    ["{cidr: 10.0.0.0/8, except: [10.0.0.0/8]}", [`TW1305 ${at}.except[0]`]],
    ["{cidr: 10.0.0.0/8, except: [0.0.0.0/0]}", [`TW1305 ${at}.except[0]`]],
    ["{cidr: 10.0.0.0/8, except: ['fd00::/16']}", [`TW1305 ${at}.except[0]`]],
    ["{cidrs: [10.0.0.0/8]}", [`TW1204 ${at}.cidrs`]],
  ];
  it.each(cases)("S2.3: %s: %j", (block, problems) =>
    expect(found(`{podSelector: {}, egress: [{to: [{ipBlock: ${block}}]}]}`)).toEqual(problems),
  );
});

describe("ports", () => {
  const at = "spec.ingress[0].ports[0]";
  const cases: Cases = [
    ["{port: 80}", []],
    ["{port: web}", []],
    ["{protocol: UDP}", []],
    ["{}", []],
    ["{port: 80, endPort: 90}", []],
    ["{port: 80, endPort: 80}", []],
    ["{port: 0}", [`TW1205 ${at}.port`]],
    ["{port: 65536}", [`TW1205 ${at}.port`]],
    ["{port: 80.5}", [`TW1201 ${at}.port`]],
    ["{port: '80'}", [`TW1307 ${at}.port`]],
    ["{port: Web_Port}", [`TW1307 ${at}.port`]],
    ["{port: sixteen-letters-}", [`TW1307 ${at}.port`]],
    ["{port: 80, endPort: 79}", [`TW1306 ${at}.endPort`]],
    ["{port: web, endPort: 90}", [`TW1310 ${at}.endPort`]],
    ["{endPort: 90}", [`TW1310 ${at}.endPort`]],
    ["{port: 80, endPort: 70000}", [`TW1205 ${at}.endPort`]],
    ["{port: 80, protocol: tcp}", [`TW1203 ${at}.protocol`]],
    ["{port: 80, protocol: ICMP}", [`TW1203 ${at}.protocol`]],
    ["{portNumber: 80}", [`TW1204 ${at}.portNumber`]],
  ];
  it.each(cases)("S2.4: %s: %j", (port, problems) =>
    expect(found(`{podSelector: {}, ingress: [{ports: [${port}]}]}`)).toEqual(problems),
  );
});

describe("S10.1: places", () => {
  it.each([
    ["an unknown field: its key", "{podSelector: {}, ingres: []}", { line: 4, column: 25, length: 6 }],
    ["a wrong value: the value", "{podSelector: {}, policyTypes: [Out]}", { line: 4, column: 39, length: 3 }],
    ["a missing selector: the spec", "{}", { line: 4, column: 1, length: 4 }],
  ])("S10.1: %s", (_, spec, place) => {
    expect(read(spec).places).toEqual([{ file: "policy.yaml", ...place }]);
  });
});
