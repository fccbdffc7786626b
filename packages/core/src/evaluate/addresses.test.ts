import { describe, expect, it } from "vitest";
import { ask } from "../analysis/explain/ask.js";
import { readConnectivityTests } from "../analysis/connectivity-test/connectivity-test.js";
import { runConnectivityTest } from "../analysis/connectivity-test/run-test.js";
import { parseEndpoint, parseTarget } from "../analysis/endpoints/endpoint-ref.js";
import type { State, StateOptions } from "../state/state.js";
import { type Cidr, parseCidr } from "../net/cidr.js";
import { problemsIn, world } from "../../testing/world.js";

const given = (objects: readonly string[], options: StateOptions = {}) =>
  world(objects.join("\n---\n"), options);

const cidrs = (...texts: readonly string[]): readonly Cidr[] => texts.map((text) => parseCidr(text)!);

const pod = (name: string, ips: string, more = "") =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, labels: {app: ${name}}},
    spec: {nodeName: n1, containers: [{name: c, ports: [{name: web, containerPort: 8080}]}], ${more}}, status: {podIPs: [${ips}]}}`;

const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";
const node = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {role: worker}},
  status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}`;

const service = (spec: string, more = "") =>
  `{apiVersion: v1, kind: Service, metadata: {namespace: a, name: s}, spec: {clusterIP: 10.96.0.10, ${spec}}${more}}`;

const slice = (endpoints: string, ports: string, name = "s-1") =>
  `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: a, name: ${name}, labels: {kubernetes.io/service-name: s}},
    addressType: IPv4, endpoints: [${endpoints}], ports: [${ports}]}`;

const egressTo = (peer: string, ports = "") =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: out},
    spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress], egress: [{to: [${peer}]${ports}}]}}`;

const block = (cidr: string, ...except: readonly string[]) =>
  `{ipBlock: {cidr: "${cidr}", except: [${except.map((text) => `"${text}"`).join(", ")}]}}`;

describe("S1.9: Services", () => {
  const client = pod("client", "{ip: 10.1.0.1}");
  const server = pod("server", "{ip: 10.1.0.2}");
  const toServer = service(
    "externalIPs: [198.51.100.1], selector: {app: server}, ports: [{port: 80, targetPort: web}]",
    ", status: {loadBalancer: {ingress: [{ip: 198.51.100.2}]}}",
  );
  const base = [namespace, node, client, server, toServer];

  it.each([
    ["its name", "a/svc/s"],
    ["its cluster IP", "10.96.0.10"],
    ["its external IP", "198.51.100.1"],
    ["its load balancer's IP", "198.51.100.2"],
  ])("S1.9: by %s, the endpoint and its port are evaluated", (_, to) => {
    const question = `a/client -> ${to}:80/TCP`;
    const selects = "{podSelector: {matchLabels: {app: server}}}";
    expect(given([...base, egressTo(selects, ", ports: [{port: 8080}]")]).verdict(question)).toBe("Allow");
    expect(given([...base, egressTo(selects, ", ports: [{port: 80}]")]).verdict(question)).toBe("Deny");
    expect(given([...base, egressTo(block("10.1.0.2/32"))]).verdict(question)).toBe("Allow");
  });

  it.each(["10.96.0.0/16", "10.96.0.10/32", "198.51.100.0/24"])(
    "S1.9: a CIDR of Service addresses (%s) matches nothing",
    (cidr) => {
      for (const to of ["a/svc/s", "10.96.0.10", "198.51.100.1", "198.51.100.2"])
        expect(given([...base, egressTo(block(cidr))]).verdict(`a/client -> ${to}:80/TCP`)).toBe("Deny");
    },
  );

  it("S1.9: such a CIDR gets a warning", () => {
    const policy = egressTo(block("10.96.0.0/24"));
    expect(problemsIn([...base, policy].join("\n---\n"))).toEqual([]);
    const known = { facts: { serviceCidrs: cidrs("10.96.0.0/16") } };
    expect(problemsIn([...base, policy].join("\n---\n"), known)).toEqual([expect.stringContaining("TW2002")]);
  });

  it("S1.9: an address that is a pod's is that pod", () => {
    const closed =
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: in}, spec: {podSelector: {matchLabels: {app: server}}}}";
    expect(given([...base, closed]).ask("a/client -> 10.1.0.2:80/TCP").ingress).toBe(
      "isolation by NetworkPolicy a/in",
    );
    expect(given([...base, egressTo("{podSelector: {}}")]).verdict("10.1.0.1 -> 203.0.113.7:80/TCP")).toBe(
      "Deny",
    );
  });

  it("S1.9: an address that is a node's is that node", () => {
    const toNodes = `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: nodes},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{nodes: {matchLabels: {role: worker}}}]}]}}`;
    expect(given([...base, toNodes]).verdict("a/client -> 192.168.0.1:80/TCP")).toBe("Deny");
    expect(given([...base, toNodes]).verdict("a/client -> 192.168.0.9:80/TCP")).toBe("Allow");
  });

  it("S1.9: EndpointSlices list the endpoints and the ports, whatever the selector", () => {
    const manual = [
      namespace,
      node,
      client,
      server,
      service("ports: [{name: http, port: 80}]"),
      slice(
        "{addresses: [203.0.113.7]}, {addresses: [203.0.113.8], conditions: {ready: false}}",
        "{name: http, port: 8443}",
      ),
    ];
    const allow = (cidr: string, port: number) => egressTo(block(cidr), `, ports: [{port: ${port}}]`);
    const question = "a/client -> a/svc/s:http";
    expect(given([...manual, allow("203.0.113.7/32", 8443)]).verdict(question)).toBe("Allow");
    expect(given([...manual, allow("203.0.113.7/32", 80)]).verdict(question)).toBe("Deny");
    expect(given([...manual, allow("203.0.113.8/32", 8443)]).verdict(question)).toBe("Deny");
  });

  it("S1.9: an endpoint that is a host-network pod's address is in the cluster, with or without its Node", () => {
    const agent = pod("agent", "{ip: 192.168.0.7}", "hostNetwork: true");
    const objects = [
      namespace,
      client,
      agent,
      service("ports: [{port: 80}]"),
      slice("{addresses: [192.168.0.7]}", "{port: 80}"),
      `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: a, name: out},
        spec: {endpointSelector: {matchLabels: {app: client}}, egressDeny: [{toEntities: [world]}], enableDefaultDeny: {egress: false}}}`,
    ];
    for (const to of ["a/agent", "192.168.0.7", "a/svc/s"])
      expect(given(objects).verdict(`a/client -> ${to}:80/TCP`)).toBe("Allow");
  });

  it("S1.9: a pod that does not have the port a Service points to by name is not an endpoint of it", () => {
    const bare = "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: bare, labels: {app: bare}}}";
    const named = service("selector: {app: bare}, ports: [{port: 80, targetPort: web}]");
    expect(() => given([namespace, client, bare, named]).ask("a/client -> a/svc/s:80/TCP")).toThrow("TW1506");
  });

  it("S1.9: endpoints that are treated differently: both verdicts", () => {
    const two = [
      ...base,
      pod("second", "{ip: 10.1.0.3}"),
      slice("{addresses: [10.1.0.2, 10.1.0.3]}", "{port: 8080}"),
    ];
    expect(given(two).verdict("a/client -> a/svc/s:80/TCP")).toBe("Allow");
    expect(given([...two, egressTo(block("10.1.0.2/32"))]).verdict("a/client -> a/svc/s:80/TCP")).toBe(
      "Mixed",
    );
  });

  it("S1.9: a Service whose endpoints are not in the input gives no answer, and cannot open connections", () => {
    const objects = [namespace, client, service("ports: [{port: 80}]")];
    expect(() => given(objects).ask("a/client -> a/svc/s:80/TCP")).toThrow("TW1506");
    expect(() => given(objects).ask("a/svc/s -> a/client:80/TCP")).toThrow("TW1501");
    const range = { facts: { serviceCidrs: cidrs("10.96.0.0/16") } };
    expect(() => given(objects, range).ask("a/client -> 10.96.7.7:80/TCP")).toThrow("TW1506");
  });
});

describe("S1.14: a pod without an address", () => {
  const deployment =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: a, name: web}, spec: {template: {metadata: {labels: {app: web}}}}}";
  const pending =
    "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: starting, labels: {app: web}}, spec: {nodeName: n1}}";
  const client =
    "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}}";
  const base = [namespace, node, client, deployment, pending];
  const answer = (peer: string, podCidrs: readonly string[], to: string) =>
    given([...base, egressTo(peer)], { facts: { podCidrs: cidrs(...podCidrs) } }).ask(
      `a/client -> ${to}:80/TCP`,
    );

  describe.each(["a/web", "a/starting"])("%s", (to) => {
    it("S1.14: is evaluated by its labels", () => {
      expect(answer("{podSelector: {matchLabels: {app: web}}}", [], to)).toMatchObject({
        verdict: "Allow",
        notes: [],
      });
      expect(answer("{podSelector: {matchLabels: {app: api}}}", [], to).verdict).toBe("Deny");
    });

    it.each([
      ["all of IPv4", block("0.0.0.0/0"), "Allow", []],
      ["all of IPv6", block("::/0"), "Allow", []],
      ["a narrower CIDR", block("10.1.0.0/16"), "Deny", ["10.1.0.0/16"]],
      ["even one that is half of all", block("0.0.0.0/1"), "Deny", ["0.0.0.0/1"]],
      [
        "a narrow exception is assumed not to contain it",
        block("0.0.0.0/0", "10.0.0.0/8"),
        "Allow",
        ["10.0.0.0/8"],
      ],
    ])("S1.14: nothing known, %s", (_, peer, verdict, noted) => {
      expect(answer(peer, [], to)).toMatchObject({
        verdict,
        notes: noted.map(
          (cidr) => `${to} has no address yet; it is assumed not to be in ${cidr} (set it with --pod-cidr)`,
        ),
        missing: [],
      });
    });

    it.each([
      ["a CIDR that covers the range", block("10.0.0.0/8"), "Allow"],
      ["the range itself", block("10.1.0.0/16"), "Allow"],
      ["a CIDR disjoint from it", block("10.2.0.0/16"), "Deny"],
      ["a CIDR that holds a part of it", block("10.1.0.0/24"), "Undecided"],
      ["everything", block("0.0.0.0/0"), "Allow"],
      ["an exception that covers the range", block("0.0.0.0/0", "10.0.0.0/8"), "Deny"],
      ["an exception disjoint from it", block("0.0.0.0/0", "10.2.0.0/16"), "Allow"],
      ["an exception that holds a part of it", block("0.0.0.0/0", "10.1.0.0/24"), "Undecided"],
      ["two halves that together cover it", `${block("10.1.0.0/17")}, ${block("10.1.128.0/17")}`, "Allow"],
    ])("S1.14: with --pod-cidr 10.1.0.0/16, %s", (_, peer, verdict) => {
      expect(answer(peer, ["10.1.0.0/16"], to)).toMatchObject({ verdict, notes: [] });
    });

    it("S1.14: with several ranges, all of them must be covered", () => {
      expect(answer(block("10.1.0.0/16"), ["10.1.0.0/16", "10.2.0.0/16"], to).verdict).toBe("Undecided");
      expect(answer(block("10.0.0.0/8"), ["10.1.0.0/16", "10.2.0.0/16"], to).verdict).toBe("Allow");
    });
  });

  it("S1.14: Undecided names the address that is missing", () => {
    expect(answer(block("10.1.0.0/24"), ["10.1.0.0/16"], "a/web").missing).toEqual([
      "whether a/web has an address in 10.1.0.0/24",
    ]);
  });

  it("S1.14: the same for a source", () => {
    const closed = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: in},
      spec: {podSelector: {matchLabels: {app: client}}, ingress: [{from: [${block("10.1.0.0/24")}]}]}}`;
    expect(given([...base, closed]).ask("a/web -> a/client:80/TCP")).toMatchObject({
      verdict: "Deny",
      notes: ["a/web has no address yet; it is assumed not to be in 10.1.0.0/24 (set it with --pod-cidr)"],
    });
    const known = { facts: { podCidrs: cidrs("10.1.0.0/16") } };
    expect(given([...base, closed], known).verdict("a/web -> a/client:80/TCP")).toBe("Undecided");
  });

  it("S1.14: a pod that does not exist yet is evaluated the same way", () => {
    expect(answer(block("0.0.0.0/0"), [], "new:x=y/app=web").verdict).toBe("Allow");
    expect(answer(block("10.1.0.0/24"), ["10.1.0.0/16"], "new:x=y/app=web").verdict).toBe("Undecided");
  });
});

describe("S1.15: two families", () => {
  const both = '{ip: 10.1.0.1}, {ip: "fd00::1"}';
  const client = pod("client", both);
  const server = pod("server", '{ip: 10.1.0.2}, {ip: "fd00::2"}');
  const v4 = pod("four", "{ip: 10.1.0.3}");
  const v6 = pod("six", '{ip: "fd00::3"}');
  const onlyIPv4 = egressTo(block("0.0.0.0/0"));
  const base = [namespace, node, client, server, v4, v6];

  it.each([
    ["a/client", "a/server", "Mixed"],
    ["a/client", "10.1.0.2", "Allow"],
    ["a/client", "[fd00::2]", "Deny"],
    ["a/client", "a/four", "Allow"],
    ["a/client", "a/six", "Deny"],
    ["10.1.0.1", "a/server", "Allow"],
    ["fd00::1", "a/server", "Deny"],
    ["a/client", "203.0.113.7", "Allow"],
    ["a/client", "[2001:db8::7]", "Deny"],
  ])("S1.15: under a rule for 0.0.0.0/0 alone, %s to %s: %s", (from, to, verdict) => {
    expect(given([...base, onlyIPv4]).verdict(`${from} -> ${to}:80/TCP`)).toBe(verdict);
  });

  const answers = (state: State, from: string, to: string) => {
    const [source, target] = [parseEndpoint(from), parseTarget(to)];
    if (!source.ok || !target.ok) throw new Error("bad question");
    const asked = ask(state, { from: source.value, to: target.value.endpoint, port: target.value.port });
    if (!asked.ok) return asked.diagnostic.code;
    return asked.value.answers.map(({ flow, connection }) => [flow.family, connection.verdict]);
  };

  it("S1.15: the verdict of each family that both endpoints have", () => {
    const { state } = given([...base, onlyIPv4]);
    expect(answers(state, "a/client", "a/server:80/TCP")).toEqual([
      [4, "Allow"],
      [6, "Deny"],
    ]);
    expect(answers(state, "a/four", "a/server:80/TCP")).toEqual([[4, "Allow"]]);
  });

  it("S1.15: endpoints without a common family cannot connect", () => {
    const { state } = given(base);
    expect(answers(state, "a/four", "a/six:80/TCP")).toBe("TW1505");
    expect(answers(state, "a/four", "[2001:db8::7]:80/TCP")).toBe("TW1505");
  });

  it("S1.15: nor can a Service be reached at an address of a family that no endpoint of it has", () => {
    const dual = `{apiVersion: v1, kind: Service, metadata: {namespace: a, name: s},
      spec: {clusterIPs: [10.96.0.10, "fd96::10"], selector: {app: four}, ports: [{port: 80}]}}`;
    const onlyIPv6 = egressTo(block("::/0"));
    expect(given([...base, dual, onlyIPv6]).verdict("a/client -> 10.96.0.10:80/TCP")).toBe("Deny");
    expect(() => given([...base, dual, onlyIPv6]).ask("a/client -> [fd96::10]:80/TCP")).toThrow(/TW150[56]/);
  });

  it("S1.15: where the families agree there is one verdict", () => {
    expect(given(base).verdict("a/client -> a/server:80/TCP")).toBe("Allow");
    expect(
      given([...base, egressTo(`${block("0.0.0.0/0")}, ${block("::/0")}`)]).verdict(
        "a/client -> a/server:80/TCP",
      ),
    ).toBe("Allow");
  });

  it.each(["Allow", "Deny", "Undecided"])(
    "S1.15: an assertion that names only the pod and wants %s fails; one for each address holds",
    (verdict) => {
      const { state } = given([...base, onlyIPv4]);
      const { tests } = readConnectivityTests(
        `apiVersion: tierwall.dev/v1
kind: ConnectivityTest
metadata: {name: t}
spec:
  expect:
    - {from: a/client, to: "a/server:80/TCP", verdict: ${verdict}}
    - {from: a/client, to: "10.1.0.2:80/TCP", verdict: Allow}
    - {from: a/client, to: "[fd00::2]:80/TCP", verdict: Deny}
`,
        "t.yaml",
      );
      const [result] = tests.map((test) => runConnectivityTest(state, test));
      expect(result?.passed).toBe(2);
      expect(result?.mismatches.map((m) => [m.assertion.to, m.verdict])).toEqual([
        ["a/server:80/TCP", "Mixed"],
      ]);
    },
  );
});
