import { describe, expect, it } from "vitest";
import { readConnectivityTests } from "../analysis/connectivity-test/connectivity-test.js";
import { runConnectivityTest } from "../analysis/connectivity-test/run-test.js";
import type { StateOptions } from "../state/state.js";
import { parseAddress } from "../net/address.js";
import { parseCidr } from "../net/cidr.js";
import { world } from "../../testing/world.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: starting, labels: {app: starting}}, spec: {nodeName: n1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: agent}, spec: {nodeName: n9, hostNetwork: true}, status: {podIP: 192.168.0.9}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: a, name: starting}, spec: {clusterIP: 10.96.0.1, selector: {app: starting}, ports: [{port: 80}]}}
`;

const given = (policies: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...policies].join("\n---\n"), options);

const policy = (name: string, priority: number, rules: string, tier = "Admin") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}},
    spec: {tier: ${tier}, priority: ${priority}, subject: {namespaces: {}}, ${rules}}}`;
const to = (action: string, peer: string) => `{action: ${action}, to: [{${peer}}]}`;
const example = "domainNames: [www.example.com]";
const everywhere = 'networks: ["0.0.0.0/0"]';
const question = "a/client -> 203.0.113.7:443/TCP";

const podRange = { facts: { podCidrs: [parseCidr("10.1.0.0/16")!] } };

describe("S9.1: a verdict is Allow, Deny or Undecided", () => {
  it("S9.1: Undecided says which facts are missing", () => {
    const rules = `egress: [${to("Accept", example)}, ${to("Deny", everywhere)}]`;
    expect(given([policy("names", 1, rules)]).ask(question)).toMatchObject({
      verdict: "Undecided",
      missing: ["whether 203.0.113.7 is an address of www.example.com (set it with --dns)"],
    });
  });

  it("S9.1: with the fact, it is decided either way", () => {
    const rules = `egress: [${to("Accept", example)}, ${to("Deny", everywhere)}]`;
    const resolvedTo = (address: string) => ({
      facts: { dns: [{ name: "www.example.com", addresses: [parseAddress(address)!] }] },
    });
    expect(given([policy("names", 1, rules)], resolvedTo("203.0.113.7")).verdict(question)).toBe("Allow");
    expect(given([policy("names", 1, rules)], resolvedTo("203.0.113.8")).verdict(question)).toBe("Deny");
  });

  it.each([
    ["a later rule allows the same", [to("Accept", example), to("Accept", everywhere)], "Allow"],
    ["the default allows the same", [to("Accept", example)], "Allow"],
    ["an earlier rule has decided", [to("Deny", everywhere), to("Accept", example)], "Deny"],
    ["an earlier rule has passed", [to("Pass", everywhere), to("Accept", example)], "Allow"],
  ])("S9.1: never where it does not matter: %s", (_, rules, verdict) => {
    expect(given([policy("names", 1, `egress: [${rules.join(", ")}]`)]).ask(question)).toMatchObject({
      verdict,
      missing: [],
    });
  });

  it("S9.1: not even where the fact decides who decides", () => {
    const names = policy("names", 1, `egress: [${to("Accept", example)}]`);
    const later = policy("later", 2, `egress: [${to("Accept", everywhere)}]`, "Baseline");
    expect(given([names, later]).verdict(question)).toBe("Allow");
  });

  it("S9.1: only facts that matter are named", () => {
    const rules = `egress: [${to("Accept", "domainNames: [a.example.com]")}, ${to("Deny", everywhere)}, ${to("Accept", "domainNames: [b.example.com]")}]`;
    expect(given([policy("names", 1, rules)]).ask(question).missing).toEqual([
      "whether 203.0.113.7 is an address of a.example.com (set it with --dns)",
    ]);
  });

  it("S9.1: a fact that was asked for and changes nothing is not named", () => {
    const skip = policy("skip", 1, `egress: [${to("Pass", "nodes: {matchLabels: {zone: x}}")}]`);
    const deny = policy(
      "deny",
      1,
      `egress: [${to("Deny", "nodes: {matchLabels: {role: worker}}")}]`,
      "Baseline",
    );
    expect(given([skip, deny]).ask("a/client -> a/agent:80/TCP")).toMatchObject({
      verdict: "Undecided",
      missing: ["whether node n9 has role=worker"],
    });
  });

  it("S9.1: every fact that could change it is named", () => {
    const names = ["a.example.com", "b.example.com", "c.example.com"];
    const rules = names.map((name) => to("Accept", `domainNames: [${name}]`));
    const found = given([policy("names", 1, `egress: [${rules.join(", ")}, ${to("Deny", everywhere)}]`)]).ask(
      question,
    );
    expect(found.missing).toEqual(
      expect.arrayContaining(
        names.map((name) => `whether 203.0.113.7 is an address of ${name} (set it with --dns)`),
      ),
    );
    expect(found.missing).toHaveLength(3);
  });

  it("S9.1: a Deny in one direction is a Deny, whatever is unknown in the other", () => {
    const out = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: out},
      spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.1.0.0/24}}]}]}}`;
    const into = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: in},
      spec: {podSelector: {matchLabels: {app: starting}}}}`;
    expect(given([out], podRange).verdict("a/client -> a/starting:80/TCP")).toBe("Undecided");
    expect(given([out, into], podRange).ask("a/client -> a/starting:80/TCP")).toMatchObject({
      verdict: "Deny",
      ingress: "isolation by NetworkPolicy a/in",
    });
  });

  it("S9.1: an Allow in one direction leaves the other open", () => {
    const rules = `egress: [${to("Accept", example)}, ${to("Deny", everywhere)}], ingress: [{action: Accept, from: [{namespaces: {}}]}]`;
    expect(given([policy("names", 1, rules)]).verdict(question)).toBe("Undecided");
  });
});

describe("S9.1: related facts", () => {
  const between = (...rules: readonly string[]) =>
    given([policy("p", 1, `egress: [${rules.join(", ")}]`)], podRange).ask("a/client -> a/starting:80/TCP");

  it("S9.1: an address is in one of two halves, although it is unknown in which", () => {
    expect(
      between(to("Deny", "networks: [10.1.0.0/17]"), to("Deny", "networks: [10.1.128.0/17]")),
    ).toMatchObject({ verdict: "Deny", missing: [] });
  });

  it("S9.1: an address that is in a block is also in the block around it", () => {
    // Where the first rule does not match, the address is outside of 10.1.0.0/17, and so of 10.1.0.0/24.
    expect(
      between(
        to("Accept", "networks: [10.1.0.0/17]"),
        to("Deny", "networks: [10.1.0.0/24]"),
        to("Accept", everywhere),
      ),
    ).toMatchObject({ verdict: "Allow", missing: [] });
  });

  it("S9.1: the same fact has the same answer wherever it is asked for", () => {
    // Where the first rule does not match, neither does the second, and the third denies as well.
    const rules = [
      to("Deny", "nodes: {matchLabels: {role: worker}}"),
      to("Accept", "nodes: {matchLabels: {role: worker}}"),
      to("Deny", everywhere),
    ];
    expect(
      given([policy("p", 1, `egress: [${rules.join(", ")}]`)]).ask("a/client -> a/agent:80/TCP"),
    ).toMatchObject({ verdict: "Deny", missing: [] });
  });

  it("S9.1: one fact in both directions of one pod: whichever half its address is in, it is denied", () => {
    const halves = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: halves},
      spec: {podSelector: {matchLabels: {app: starting}}, policyTypes: [Ingress, Egress],
             egress: [{to: [{ipBlock: {cidr: 10.1.0.0/17}}]}], ingress: [{from: [{ipBlock: {cidr: 10.1.128.0/17}}]}]}}`;
    expect(given([halves], podRange).verdict("a/starting -> a/svc/starting:80/TCP")).toBe("Deny");
  });
});

describe("S9.1: what may not be known", () => {
  it("S9.1: the labels of a node that is not in the input", () => {
    const rules = (selector: string) => `egress: [${to("Deny", `nodes: ${selector}`)}]`;
    expect(
      given([policy("p", 1, rules("{matchLabels: {role: worker}}"))]).ask("a/client -> a/agent:80/TCP"),
    ).toMatchObject({
      verdict: "Undecided",
      missing: ["whether node n9 has role=worker"],
    });
    expect(given([policy("p", 1, rules("{}"))]).verdict("a/client -> a/agent:80/TCP")).toBe("Deny");
  });

  it("S9.1: which of a node's addresses is used", () => {
    const node =
      "{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}, {type: ExternalIP, address: 203.0.113.2}]}}";
    const p = policy("p", 1, `egress: [${to("Deny", "networks: [192.168.0.0/16]")}]`);
    expect(given([node, p]).ask("a/client -> node:n2:80/TCP")).toMatchObject({
      verdict: "Undecided",
      missing: ["whether node n2 has an address in 192.168.0.0/16"],
    });
    expect(given([node, p]).verdict("a/client -> 192.168.0.2:80/TCP")).toBe("Deny");
    expect(given([node, p]).verdict("a/client -> 203.0.113.2:80/TCP")).toBe("Allow");
  });

  it("S8.3, S9.1: which of a node's addresses is used makes no difference to names", () => {
    const node =
      "{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}, {type: ExternalIP, address: 203.0.113.2}]}}";
    const p = policy("p", 1, `egress: [${to("Accept", example)}, ${to("Deny", everywhere)}]`);
    const dns = { facts: { dns: [{ name: "www.example.com", addresses: [parseAddress("203.0.113.2")!] }] } };
    expect(given([node, p], dns).verdict("a/client -> 203.0.113.2:80/TCP")).toBe("Deny");
    expect(given([node, p], dns).verdict("a/client -> 192.168.0.2:80/TCP")).toBe("Deny");
    expect(given([node, p], dns).verdict("a/client -> node:n2:80/TCP")).toBe("Deny");
  });
});

describe("S9.2: assertions", () => {
  const rules = `egress: [${to("Accept", example)}, ${to("Deny", everywhere)}]`;

  it.each([
    ["Allow", 0],
    ["Deny", 0],
    ["Undecided", 1],
  ])("S9.2: that the verdict is %s, of something undecided: %i hold", (verdict, holding) => {
    const { tests } = readConnectivityTests(
      `{apiVersion: tierwall.dev/v1, kind: ConnectivityTest, metadata: {name: t},
        spec: {expect: [{from: a/client, to: "203.0.113.7:443/TCP", verdict: ${verdict}}]}}`,
      "t.yaml",
    );
    const { state } = given([policy("names", 1, rules)]);
    const [result] = tests.map((test) => runConnectivityTest(state, test));
    expect(result?.passed).toBe(holding);
    expect(result?.mismatches.map((mismatch) => mismatch.verdict)).toEqual(
      holding === 1 ? [] : ["Undecided"],
    );
  });
});
