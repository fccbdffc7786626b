import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { parseCidr } from "../../net/cidr.js";
import { appPod, networkPolicy, node, pod } from "../../../testing/manifests.js";
import { world } from "../../../testing/world.js";
import { type Answer, ask, overall } from "./ask.js";
import { parseEndpoint, parseTarget } from "../endpoints/endpoint-ref.js";
import type { StateOptions } from "../../state/state.js";

const together = (...documents: readonly string[]) =>
  documents.map((one) => (one.startsWith("---") ? one : `---\n${one}\n`)).join("");
const isolating = (path: string, ingress = "[]") =>
  networkPolicy(path, { policyTypes: "[Ingress]", ingress });

/** `x/b:8080/TCP IPv4 Allow` */
const showAnswer = ({ flow, connection }: Answer) => {
  const port = flow.protocol === "ICMP" ? "ICMP" : `${flow.port}/${flow.protocol}`;
  const family = flow.family === undefined ? "" : ` IPv${flow.family}`;
  return `${formatEndpoint(flow.source)} -> ${formatEndpoint(flow.destination)}:${port}${family} ${connection.verdict}`;
};
function asked(yaml: string, question: string, options: StateOptions = {}) {
  const [from = "", to = ""] = question.split(" -> ");
  const [source, target] = [parseEndpoint(from), parseTarget(to)];
  if (!source.ok || !target.ok) throw new Error("the question is not understood");
  return ask(world(yaml, options).state, {
    from: source.value,
    to: target.value.endpoint,
    port: target.value.port,
  });
}
const answers = (yaml: string, question: string, options: StateOptions = {}) => {
  const result = asked(yaml, question, options);
  if (!result.ok) return [`${result.diagnostic.code} ${result.diagnostic.message}`];
  return [result.value.verdict, ...result.value.answers.map(showAnswer)];
};

describe("the connections that a question means", () => {
  it("one for two pods", () => {
    expect(answers(together(appPod("x/a"), appPod("x/b")), "x/a -> x/b:80/TCP")).toEqual([
      "Allow",
      "x/a -> x/b:80/TCP Allow",
    ]);
  });

  it("one for every pair of pods of two workloads", () => {
    const replica = (name: string, of: string) => pod(`x/${name}`, { of });
    const all = together(replica("a-0", "a"), replica("a-1", "a"), replica("b-0", "b"), replica("b-1", "b"));
    expect(answers(all, "x/a -> x/StatefulSet/b:80/TCP")).toEqual([
      "Allow",
      "x/a-0 -> x/b-0:80/TCP Allow",
      "x/a-0 -> x/b-1:80/TCP Allow",
      "x/a-1 -> x/b-0:80/TCP Allow",
      "x/a-1 -> x/b-1:80/TCP Allow",
    ]);
  });

  it("one for every port that has the name", () => {
    const ports = "{name: dns, containerPort: 53, protocol: UDP}, {name: dns, containerPort: 5353}";
    const yaml = together(appPod("x/a"), appPod("x/b", { ports }));
    expect(answers(yaml, "x/a -> x/b:dns")).toEqual([
      "Allow",
      "x/a -> x/b:53/UDP Allow",
      "x/a -> x/b:5353/TCP Allow",
    ]);
    expect(answers(yaml, "x/a -> x/b:dns/TCP")).toEqual(["Allow", "x/a -> x/b:5353/TCP Allow"]);
  });

  it("ICMP has no port", () => {
    expect(answers(together(appPod("x/a"), appPod("x/b")), "x/a -> x/b:ICMP")).toEqual([
      "Allow",
      "x/a -> x/b:ICMP Allow",
    ]);
  });
});

describe("S1.15: dual stack", () => {
  const ends = (a: readonly string[], b: readonly string[]) =>
    together(appPod("x/a", { ips: a }), appPod("x/b", { ips: b }));
  const only4 = isolating("x/only-4", "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]");

  it("is evaluated per family that both endpoints have", () => {
    expect(answers(ends(["10.0.0.1", "fd00::1"], ["10.0.0.2", "fd00::2"]), "x/a -> x/b:80/TCP")).toEqual([
      "Allow",
      "x/a -> x/b:80/TCP IPv4 Allow",
      "x/a -> x/b:80/TCP IPv6 Allow",
    ]);
    expect(answers(ends(["10.0.0.1", "fd00::1"], ["fd00::2"]), "x/a -> x/b:80/TCP")).toEqual([
      "Allow",
      "x/a -> x/b:80/TCP IPv6 Allow",
    ]);
  });

  it("where the families differ, both verdicts are there, and the whole is mixed", () => {
    const yaml = together(ends(["10.0.0.1", "fd00::1"], ["10.0.0.2", "fd00::2"]), only4);
    expect(answers(yaml, "x/a -> x/b:80/TCP")).toEqual([
      "Mixed",
      "x/a -> x/b:80/TCP IPv4 Allow",
      "x/a -> x/b:80/TCP IPv6 Deny",
    ]);
  });

  it("an address in the question settles the family", () => {
    const yaml = together(ends(["10.0.0.1", "fd00::1"], ["10.0.0.2", "fd00::2"]), only4);
    expect(answers(yaml, "x/a -> 10.0.0.2:80/TCP")).toEqual(["Allow", "x/a -> x/b:80/TCP IPv4 Allow"]);
    expect(answers(yaml, "x/a -> [fd00::2]:80/TCP")).toEqual(["Deny", "x/a -> x/b:80/TCP IPv6 Deny"]);
    expect(answers(yaml, "fd00::1 -> x/b:80/TCP")).toEqual(["Deny", "x/a -> x/b:80/TCP IPv6 Deny"]);
  });

  it("TW1505: endpoints without a common family cannot connect", () => {
    const yaml = ends(["10.0.0.1"], ["fd00::2"]);
    expect(answers(yaml, "x/a -> x/b:80/TCP")).toEqual([expect.stringMatching(/^TW1505 x\/a and x\/b /)]);
    expect(answers(yaml, "2001:db8::1 -> x/a:80/TCP")).toEqual([expect.stringMatching(/^TW1505 /)]);
  });

  it("a pod without an address has the families of --pod-cidr", () => {
    const facts = { podCidrs: [parseCidr("10.0.0.0/8")!, parseCidr("fd00::/8")!], serviceCidrs: [] };
    expect(answers(together(appPod("x/a"), appPod("x/b")), "x/a -> x/b:80/TCP", { facts })).toEqual([
      "Allow",
      "x/a -> x/b:80/TCP IPv4 Allow",
      "x/a -> x/b:80/TCP IPv6 Allow",
    ]);
  });

  it("a host-network pod without an address has those of its node", () => {
    const host = appPod("x/host", { hostNetwork: true, node: "worker" });
    const yaml = together(host, node("worker", "fd01::1"), appPod("x/b", { ips: ["10.0.0.2", "fd00::2"] }));
    expect(answers(yaml, "x/host -> x/b:80/TCP")).toEqual(["Allow", "x/host -> x/b:80/TCP IPv6 Allow"]);
    expect(answers(yaml, "node:worker -> x/b:80/TCP")).toEqual([
      "Allow",
      "node worker -> x/b:80/TCP IPv6 Allow",
    ]);
  });
});

describe("S1.9: through a Service", () => {
  const backend = appPod("x/b", { ips: ["10.0.0.2"], ports: "{name: web, containerPort: 8080}" });
  const service = (spec: string) =>
    `{apiVersion: v1, kind: Service, metadata: {namespace: x, name: s}, spec: {clusterIP: 10.96.0.1, ${spec}}}`;
  const slice = (more: string) =>
    `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: x, name: s-1, labels: {kubernetes.io/service-name: s}}, ${more}}`;
  const selecting = service(
    "selector: {app: b}, ports: [{name: http, port: 80, targetPort: web}, {name: dns, port: 53, protocol: UDP}]",
  );
  const yaml = together(appPod("x/a", { ips: ["10.0.0.1"] }), backend, selecting);

  it("the destination is the endpoint, at the port it listens on", () => {
    for (const target of ["x/Service/s:80/TCP", "10.96.0.1:80/TCP"])
      expect(answers(yaml, `x/a -> ${target}`)).toEqual(["Allow", "x/a -> x/b:8080/TCP IPv4 Allow"]);
  });

  it("its ports have names of their own, and protocols", () => {
    expect(answers(yaml, "x/a -> x/svc/s:http")).toEqual(["Allow", "x/a -> x/b:8080/TCP IPv4 Allow"]);
    expect(answers(yaml, "x/a -> x/svc/s:53/UDP")).toEqual(["Allow", "x/a -> x/b:53/UDP IPv4 Allow"]);
  });

  it("policies see the port behind it", () => {
    const open = (port: number) => isolating("x/open", `[{ports: [{port: ${port}}]}]`);
    expect(answers(together(yaml, open(8080)), "x/a -> x/svc/s:80/TCP")[0]).toBe("Allow");
    expect(answers(together(yaml, open(80)), "x/a -> x/svc/s:80/TCP")[0]).toBe("Deny");
  });

  it("TW1504: a port that it does not have, with those it has", () => {
    expect(answers(yaml, "x/a -> x/svc/s:81/TCP")).toEqual([
      "TW1504 Service x/s has no such port; it has http 80/TCP, dns 53/UDP",
    ]);
    expect(answers(yaml, "x/a -> x/svc/s:53/TCP")[0]).toMatch(/^TW1504 /);
  });

  it("TW1506: endpoints that are not in the input", () => {
    const byHand = together(appPod("x/a"), service("ports: [{port: 80}]"));
    expect(answers(byHand, "x/a -> x/svc/s:80/TCP")[0]).toMatch(/^TW1506 the endpoints of Service x\/s /);
    const empty = together(appPod("x/a"), service("selector: {app: none}, ports: [{port: 80}]"));
    expect(answers(empty, "x/a -> x/svc/s:80/TCP")[0]).toMatch(/^TW1506 /);
  });

  it("endpoints outside the cluster, and nodes, are what they are", () => {
    const worker = node("worker", "192.168.1.1");
    const outside = slice("ports: [{port: 6443}], endpoints: [{addresses: [203.0.113.9, 192.168.1.1]}]");
    const all = together(
      appPod("x/a", { ips: ["10.0.0.1"] }),
      worker,
      service("ports: [{port: 443}]"),
      outside,
    );
    expect(answers(all, "x/a -> 10.96.0.1:443/TCP")).toEqual([
      "Allow",
      "x/a -> 203.0.113.9:6443/TCP IPv4 Allow",
      "x/a -> node worker:6443/TCP IPv4 Allow",
    ]);
  });

  it("a pod that does not have the named target port is not an endpoint for it", () => {
    const without = appPod("x/c", { ips: ["10.0.0.3"] });
    const both = service("selector: {tier: back}, ports: [{port: 80, targetPort: web}]");
    const labelled = (text: string) => text.replace("labels: {", "labels: {tier: back, ");
    const all = together(appPod("x/a", { ips: ["10.0.0.1"] }), labelled(backend), labelled(without), both);
    expect(answers(all, "x/a -> x/svc/s:80/TCP")).toEqual(["Allow", "x/a -> x/b:8080/TCP IPv4 Allow"]);
  });

  it("TW1501: a Service opens no connections", () => {
    expect(answers(yaml, "x/svc/s -> x/b:80/TCP")[0]).toMatch(
      /^TW1501 Service x\/s does not open connections/,
    );
  });

  it("S1.6: to itself directly a pod is always allowed; through a Service the policies apply", () => {
    const all = together(backend, selecting, isolating("x/nothing"));
    expect(answers(all, "x/b -> x/b:8080/TCP")[0]).toBe("Allow");
    expect(answers(all, "x/b -> 10.0.0.2:8080/TCP")[0]).toBe("Allow");
    expect(answers(all, "x/b -> x/svc/s:80/TCP")[0]).toBe("Deny");
  });
});

describe("S1.8: a named port in the question", () => {
  const ports = "{name: web, containerPort: 8080}, {containerPort: 9}";

  it("TW1504: must be one of the destination's, which are listed", () => {
    expect(answers(together(appPod("x/a"), appPod("x/b", { ports })), "x/a -> x/b:http")).toEqual([
      "TW1504 x/b has no port named `http`; it has web (8080/TCP)",
    ]);
    expect(answers(together(appPod("x/a"), appPod("x/b", { ports })), "x/a -> x/b:web/UDP")).toEqual([
      "TW1504 x/b has no port named `web` for UDP; it has web (8080/TCP)",
    ]);
    expect(answers(together(appPod("x/a"), appPod("x/b")), "x/a -> x/b:web")).toEqual([
      "TW1504 x/b has no port named `web`; it declares no named ports",
    ]);
  });

  it("TW1504: destinations that are not pods have none", () => {
    expect(answers(appPod("x/a"), "x/a -> 203.0.113.7:web")[0]).toMatch(
      /^TW1504 203\.0\.113\.7 has no port named/,
    );
  });
});

describe("who is the same", () => {
  it("S1.6: replicas of one template are different pods", () => {
    const deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: x, name: w}}";
    expect(answers(together(deployment, isolating("x/nothing")), "x/w -> x/w:80/TCP")).toEqual([
      "Deny",
      "x/w -> x/w:80/TCP Deny",
    ]);
  });

  it("S5.4: two new pods in namespaces with different labels are in different namespaces", () => {
    const notSelf =
      "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: p}, spec: {priority: 5, subject: {namespaceSelector: {}}, ingress: [{action: Deny, from: [{namespaces: {notSelf: true}}], l4Selector: {allPorts: true}}]}}";
    expect(answers(notSelf, "new:team=a/app=x -> new:team=b/app=y:80/TCP")[0]).toBe("Deny");
  });
});

it("verdicts that do not agree are mixed", () => {
  expect(overall(["Allow", "Allow"])).toBe("Allow");
  expect(overall(["Deny"])).toBe("Deny");
  expect(overall(["Undecided", "Undecided"])).toBe("Undecided");
  expect(overall(["Allow", "Undecided"])).toBe("Mixed");
  expect(overall(["Deny", "Allow"])).toBe("Mixed");
});
