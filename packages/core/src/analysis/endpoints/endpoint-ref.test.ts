import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Result } from "../../diagnostics/result.js";
import { formatAddress } from "../../net/address.js";
import { type EndpointRef, formatPortRef, parseEndpoint, parsePort, parseTarget } from "./endpoint-ref.js";

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value;
};
const refusal = (result: Result<unknown>) =>
  result.ok ? "understood" : `${result.diagnostic.code} ${result.diagnostic.message}`;
/** An endpoint in one line, in a different form for each kind. */
function show(ref: EndpointRef): string {
  switch (ref.kind) {
    case "named":
      return `named ${ref.namespace} ${ref.name}`;
    case "workload":
      return `workload ${ref.namespace} ${ref.workload} ${ref.name}`;
    case "node":
      return `node ${ref.name}`;
    case "address":
      return `address ${formatAddress(ref.address)}`;
    case "new":
      return `new ${JSON.stringify(ref.namespaceLabels)} ${JSON.stringify(ref.podLabels)}`;
  }
}

describe("endpoints", () => {
  it.each([
    ["shop/cart", "named shop cart"],
    ["shop/web-5d4f.1", "named shop web-5d4f.1"],
    ["shop/Deployment/cart", "workload shop Deployment cart"],
    ["shop/deploy/cart", "workload shop deploy cart"],
    ["node:worker-1", "node worker-1"],
    ["node:worker-1.example.com", "node worker-1.example.com"],
    ["10.0.0.1", "address 10.0.0.1"],
    ["fd00::1", "address fd00::1"],
    ["[fd00::1]", "address fd00::1"],
    ["::ffff:10.0.0.1", "address 10.0.0.1"],
    // A namespace may be called like that.
    ["node/worker-1", "named node worker-1"],
    ["new/pod", "named new pod"],
    ["new:team=a/app=web", 'new {"team":"a"} {"app":"web"}'],
    ["new:team=a,env=prod/app=web,tier=front", 'new {"team":"a","env":"prod"} {"app":"web","tier":"front"}'],
    ["new:team=a", 'new {"team":"a"} {}'],
    ["new:team=a/", 'new {"team":"a"} {}'],
    ["new:/app=web", 'new {} {"app":"web"}'],
    ["new:", "new {} {}"],
    ["new:/", "new {} {}"],
    ["new:team=/app=", 'new {"team":""} {"app":""}'],
    [
      "new:kubernetes.io/metadata.name=shop/app.kubernetes.io/name=web,x=y",
      'new {"kubernetes.io/metadata.name":"shop"} {"app.kubernetes.io/name":"web","x":"y"}',
    ],
    ["new:/example.com/a=b", 'new {} {"example.com/a":"b"}'],
    ["new:a=1,example.com/b=2/c=3", 'new {"a":"1","example.com/b":"2"} {"c":"3"}'],
  ])("%s: %s", (text, expected) => expect(show(value(parseEndpoint(text)))).toBe(expected));

  it.each([
    ["", "is not an endpoint"],
    ["cart", "is not an endpoint"],
    ["/cart", "is not an endpoint"],
    ["shop/", "is not an endpoint"],
    ["shop//cart", "is not an endpoint"],
    ["shop/Deployment/", "is not an endpoint"],
    ["shop/Deployment/cart/x", "is not an endpoint"],
    ["node:", "is not an endpoint"],
    ["10.0.0.256", "is not a valid IP address: 256 is more than 255"],
    ["10.0.0.01", "is not a valid IP address"],
    ["fd00::1::2", "is not a valid IP address"],
    ["new:team", "is not a new pod"],
    ["new:=a", "is not a new pod"],
    ["new:a=b/c", "is not a new pod"],
    ["new:a=b/c=d/e=f", "is not a new pod"],
  ])("TW1501: `%s` %s, and what to write is said", (text, why) => {
    const said = refusal(parseEndpoint(text));
    expect(said.startsWith(`TW1501 \`${text}\` ${why}; write `)).toBe(true);
  });

  it("any labels of a new pod are read back", () => {
    const key = fc.constantFrom("a", "b.c", "example.com/d", "kubernetes.io/metadata.name");
    const labels = fc.dictionary(key, fc.constantFrom("", "x", "y-1.z_2"), { maxKeys: 3 });
    const written = (given: Record<string, string>) =>
      Object.entries(given)
        .map(([k, v]) => `${k}=${v}`)
        .join(",");
    fc.assert(
      fc.property(labels, labels, (namespaceLabels, podLabels) => {
        const text = `new:${written(namespaceLabels)}/${written(podLabels)}`;
        expect(value(parseEndpoint(text))).toEqual({ kind: "new", namespaceLabels, podLabels });
      }),
    );
  });
});

describe("ports", () => {
  it.each([
    ["80", ":80/TCP"],
    ["80/TCP", ":80/TCP"],
    ["80/udp", ":80/UDP"],
    ["1/SCTP", ":1/SCTP"],
    ["65535", ":65535/TCP"],
    ["web", ":web"],
    ["http-metrics/UDP", ":http-metrics/UDP"],
    ["80p", ":80p"],
    ["ICMP", " ICMP"],
    ["icmp", " ICMP"],
  ])("%s is%s", (text, expected) => expect(formatPortRef(value(parsePort(text)))).toBe(expected));

  it.each([
    ["", "is not a port"],
    ["/TCP", "is not a port"],
    ["80/TCP/x", "is not a port"],
    ["8 0", "is not a port"],
    ["0", "is out of range"],
    ["65536", "is out of range"],
    ["99999999999999999999", "is out of range"],
    ["80/ICMP", "has the unknown protocol `ICMP`"],
    ["web/http", "has the unknown protocol `http`"],
  ])("TW1503: `%s` %s", (text, why) =>
    expect(refusal(parsePort(text)).startsWith(`TW1503 \`${text}\` ${why}`)).toBe(true),
  );

  it("all of them, or all of one protocol, in words", () => {
    expect(formatPortRef({ kind: "all" })).toBe(" on every port");
    expect(formatPortRef({ kind: "all", protocol: "UDP" })).toBe(" on every UDP port");
  });
});

describe("targets: an endpoint with a port", () => {
  const both = (text: string) => {
    const { endpoint, port } = value(parseTarget(text));
    return `${show(endpoint)}${formatPortRef(port)}`;
  };

  it.each([
    ["x/server:80/TCP", "named x server:80/TCP"],
    ["x/server:80", "named x server:80/TCP"],
    ["x/server:web", "named x server:web"],
    ["x/server:dns/UDP", "named x server:dns/UDP"],
    ["x/server:ICMP", "named x server ICMP"],
    ["x/Deployment/server:80/TCP", "workload x Deployment server:80/TCP"],
    ["node:worker-1:22/TCP", "node worker-1:22/TCP"],
    ["node:worker-1:ICMP", "node worker-1 ICMP"],
    ["10.0.0.1:443/TCP", "address 10.0.0.1:443/TCP"],
    ["[fd00::1]:443/TCP", "address fd00::1:443/TCP"],
    ["[fd00::1]:ICMP", "address fd00::1 ICMP"],
    ["new:team=a/app=web:80/TCP", 'new {"team":"a"} {"app":"web"}:80/TCP'],
    ["new:/example.com/app=web:http", 'new {} {"example.com/app":"web"}:http'],
  ])("%s: %s", (text, expected) => expect(both(text)).toBe(expected));

  it.each([
    "x/server",
    "x/server:",
    "x/Deployment/server",
    "node:worker-1",
    "new:team=a/app=web",
    "10.0.0.1",
    "10.0.0.1:",
    "fd00::1",
    "[fd00::1]",
    "[fd00::1]:",
  ])("TW1503: `%s` has no port", (text) =>
    expect(
      refusal(parseTarget(text)).startsWith(`TW1503 \`${text}\` has no port; add \`:PORT/PROTOCOL\``),
    ).toBe(true),
  );

  it("an IPv6 address without a port gets a hint about brackets", () => {
    expect(refusal(parseTarget("fd00::1:443"))).toMatch(/brackets/);
  });

  it.each([
    ["x/server:0/TCP", "TW1503"],
    ["x/server:80/HTTP", "TW1503"],
    ["server:80/TCP", "TW1501"],
    ["10.0.0.256:80", "TW1501"],
    ["[10.0.0.256]:80", "TW1501"],
  ])("%s is refused with %s", (text, code) => expect(refusal(parseTarget(text)).slice(0, 6)).toBe(code));
});
