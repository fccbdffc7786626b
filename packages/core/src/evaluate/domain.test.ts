import { describe, expect, it } from "vitest";
import type { StateOptions } from "../state/state.js";
import type { DnsRecord } from "../cluster/model.js";
import { parseAddress } from "../net/address.js";
import { problemsIn, world } from "../../testing/world.js";
import { domainMatches } from "./domain.js";

describe("names", () => {
  it.each([
    ["kubernetes.io", "kubernetes.io", true],
    ["kubernetes.io", "www.kubernetes.io", false],
    ["kubernetes.io", "ubernetes.io", false],
    ["kubernetes.io", "Kubernetes.IO", true],
    ["kubernetes.io", "kubernetes.io.", true],
    ["kubernetes.io", "kubernetesxio", false],
  ])("S8.1: `%s` and %s: %s", (text, name, expected) => {
    expect(domainMatches({ kind: "exact", text }, name)).toBe(expected);
  });

  it.each([
    ["blog.kubernetes.io", true],
    ["latest.blog.kubernetes.io", true],
    ["BLOG.kubernetes.io.", true],
    ["kubernetes.io", false],
    [".kubernetes.io", false],
    ["notkubernetes.io", false],
    ["wikipedia.org", false],
    ["kubernetes.io.evil.example", false],
  ])("S8.1: `*.kubernetes.io` and %s: %s", (name, expected) => {
    expect(domainMatches({ kind: "subdomains", text: "kubernetes.io" }, name)).toBe(expected);
  });

  it.each([
    ["*", "anything.example.com", true],
    ["*.example.com", "www.example.com", true],
    ["*.example.com", "a.www.example.com", false],
    ["*.example.com", "example.com", false],
    ["w*w.example.com", "www.example.com", true],
    ["w*w.example.com", "w.w.example.com", false],
    ["**.example.com", "www.example.com", true],
    ["**.example.com", "a.www.example.com", true],
    ["**.example.com", "example.com", false],
    ["www.example.com", "wwwxexample.com", false],
  ])("S7.7: Cilium's pattern `%s` and %s: %s", (text, name, expected) => {
    expect(domainMatches({ kind: "pattern", text }, name)).toBe(expected);
  });

  const withNames = (names: string, action = "Accept") =>
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: names},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: ${action}, to: [{domainNames: [${names}]}]}]}}`;

  it.each([
    "'*.com'",
    "com",
    "'*'",
    "'*.*.example.com'",
    "'www.*.com'",
    "'w*.example.com'",
    "'**.example.com'",
    "'.example.com'",
    "'example..com'",
    "''",
  ])("S8.1: %s is an error", (name) => {
    expect(problemsIn(withNames(name)).map((problem) => problem.slice(0, 6))).toEqual(["TW1308"]);
  });

  it.each(["example.com", "'*.example.com'", "'Example.Com.'", "a.b.c.example.com"])(
    "S8.1: %s is fine",
    (name) => {
      expect(problemsIn(withNames(name))).toEqual([]);
    },
  );

  it.each(["Deny", "Pass"])("S8.2: names in a %s rule are an error in a file", (action) => {
    expect(problemsIn(withNames("example.com", action)).map((problem) => problem.slice(0, 6))).toEqual([
      "TW1404",
    ]);
  });
});

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: coredns}, spec: {nodeName: n1}, status: {podIP: 10.1.0.53}}
`;

const names = (more = "", uid = "", action = "Accept") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: names${uid}},
    spec: {tier: Admin, priority: 1, subject: {namespaces: {}},
           egress: [{action: ${action}, to: [{domainNames: ["*.example.com"]}]}${more}]}}`;
const denyRest = ', {action: Deny, to: [{networks: ["0.0.0.0/0", "::/0"]}]}';
const cilium = `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: a, name: names},
  spec: {endpointSelector: {}, egress: [{toFQDNs: [{matchPattern: "*.example.com"}]}]}}`;

const records = (...entries: readonly (readonly [string, readonly string[]])[]): StateOptions => ({
  facts: {
    dns: entries.map(
      ([name, addresses]): DnsRecord => ({ name, addresses: addresses.map((text) => parseAddress(text)!) }),
    ),
  },
});

const given = (policies: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...policies].join("\n---\n"), options);

describe("what a name opens", () => {
  const everywhere = records(["www.example.com", ["203.0.113.7"]]);

  it("S8.2: never the DNS servers that resolve it", () => {
    const w = given([names(denyRest)], everywhere);
    expect(w.verdict("a/client -> 203.0.113.7:443/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> a/coredns:53/UDP")).toBe("Deny");
    expect(w.verdict("a/client -> 8.8.8.8:53/UDP")).toBe("Deny");
  });

  it("S8.2: nor does it filter DNS: a query for another name is still allowed", () => {
    expect(given([names()], everywhere).ask("a/client -> a/coredns:53/UDP")).toMatchObject({
      verdict: "Allow",
      decidedBy: "default",
    });
  });

  it.each(["Deny", "Pass"])("S8.2: from a cluster, %s with names denies everything", (action) => {
    const w = given([names("", ', uid: "1"', action)], everywhere);
    for (const to of ["203.0.113.7", "198.51.100.1", "a/server", "node:n1"])
      expect(w.ask(`a/client -> ${to}:443/TCP`)).toMatchObject({
        verdict: "Deny",
        egress: "ClusterNetworkPolicy names",
      });
  });
});

describe("S8.3: without DNS knowledge", () => {
  it.each([
    ["domainNames", names(denyRest)],
    ["toFQDNs", cilium],
  ])("S8.3: an external destination under %s is Undecided", (_, policy) => {
    expect(given([policy]).ask("a/client -> 203.0.113.7:443/TCP")).toMatchObject({
      verdict: "Undecided",
      missing: ["whether 203.0.113.7 is an address of *.example.com (set it with --dns)"],
    });
  });

  it("S8.3: unless other rules decide the same either way", () => {
    expect(given([names()]).verdict("a/client -> 203.0.113.7:443/TCP")).toBe("Allow");
  });

  it.each(["a/server", "node:n1", "169.254.169.254", "[::1]", "[64:ff9b::a9fe:a9fe]"])(
    "S8.3: %s never matches, whatever is unknown",
    (to) => {
      expect(given([names(denyRest)]).ask(`a/client -> ${to}:443/TCP`)).toMatchObject({
        verdict: "Deny",
        notes: [],
        missing: [],
      });
    },
  );
});

describe("S8.3: with DNS knowledge", () => {
  const known = records(
    ["www.example.com", ["203.0.113.7", "2001:db8::7"]],
    ["inside.example.com", ["10.1.0.2", "192.168.0.1"]],
    ["bad.example.com", ["169.254.169.254", "127.0.0.1", "fe80::1", "64:ff9b::a9fe:a9fe"]],
    ["example.com", ["203.0.113.9"]],
    ["www.example.org", ["203.0.113.8"]],
  );

  it.each([
    ["an address of a name that fits", "203.0.113.7", "Allow"],
    ["the apex, which does not fit", "203.0.113.9", "Deny"],
    ["an address of another name", "203.0.113.8", "Deny"],
    ["an address of no name", "203.0.113.1", "Deny"],
    ["a pod the name resolves to", "a/server", "Deny"],
    ["a node the name resolves to", "node:n1", "Deny"],
    ["the metadata service it resolves to", "169.254.169.254", "Deny"],
    ["loopback it resolves to", "127.0.0.1", "Deny"],
    ["a link-local address it resolves to", "[fe80::1]", "Deny"],
    ["the metadata service through a translator", "[64:ff9b::a9fe:a9fe]", "Deny"],
    ["another pod", "a/coredns", "Deny"],
  ])("S8.3: domainNames and %s", (_, to, verdict) => {
    expect(given([names(denyRest)], known).ask(`a/client -> ${to}:443/TCP`)).toMatchObject({
      verdict,
      missing: [],
      notes: [],
    });
  });

  it.each([
    ["an external address", "203.0.113.7", "Allow"],
    ["a pod the name resolves to", "a/server", "Deny"],
    ["a node the name resolves to", "node:n1", "Deny"],
  ])("S8.3: toFQDNs and %s", (_, to, verdict) => {
    expect(given([cilium], known).verdict(`a/client -> ${to}:443/TCP`)).toBe(verdict);
  });

  it("S8.4: a name may have more than a hundred addresses, and each of them counts", () => {
    // The rest of S8.4 is about the node agent: whose answers it trusts, and for how long.
    const many = Array.from({ length: 250 }, (_, i) => `203.0.113.${i}`);
    const w = given([names(denyRest)], records(["www.example.com", many]));
    for (const address of ["203.0.113.0", "203.0.113.100", "203.0.113.249"])
      expect(w.verdict(`a/client -> ${address}:443/TCP`)).toBe("Allow");
    expect(w.verdict("a/client -> 203.0.113.250:443/TCP")).toBe("Deny");
  });
});
