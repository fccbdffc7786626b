import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../evaluate/flow.js";
import { formatAddress } from "../../net/address.js";
import { formatRule } from "../../policy/describe.js";
import { world } from "../../../testing/world.js";
import { formatParty, partyOf } from "../endpoints/party.js";
import { type FlowGroup, FlowGroups } from "./flow-groups.js";
import { formatOf, readerOf } from "./format.js";
import { FlowEvaluator, Replay, type Replayed } from "./replay.js";

const pod = (name: string, address: string, more = "") =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: ${name}, labels: {app: ${name}}${more}}, status: {podIP: ${address}}}`;
const cluster = [
  "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
  pod("web", "10.0.0.1"),
  pod("cart", "10.0.0.2"),
  pod("db-0", "10.0.0.3", ", ownerReferences: [{kind: StatefulSet, name: db, controller: true}]"),
  pod("db-1", "10.0.0.4", ", ownerReferences: [{kind: StatefulSet, name: db, controller: true}]"),
  "{apiVersion: v1, kind: Node, metadata: {name: worker}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}",
  "{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: front}, spec: {clusterIP: 10.96.0.1, selector: {app: cart}, ports: [{port: 80, targetPort: 8080}]}}",
].join("\n---\n");

const allow = (name: string, subject: string, from: string, port: number) =>
  `\n---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: shop, name: ${name}}, spec: {podSelector: {matchLabels: {app: ${subject}}}, policyTypes: [Ingress], ingress: [{from: [${from}], ports: [{port: ${port}}]}]}}`;
const cartFromWeb = allow("cart-from-web", "cart", "{podSelector: {matchLabels: {app: web}}}", 8080);
const noWorld = `\n---\n{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: guard}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: ["203.0.113.0/24"]}]}]}}`;

function replayed(policies: string, lines: readonly string[], applied?: string): Replayed {
  const options = { facts: { podCidrs: [{ family: 4, first: 0x0a000000n, prefix: 16 }] } } as const;
  const stateOf = (text: string) => world(cluster + text, options).state;
  const replay = new Replay(stateOf(policies), applied === undefined ? undefined : stateOf(applied));
  const read = readerOf(formatOf(lines[0]!)!, lines[0]!)!;
  for (const line of lines) {
    const found = read(line);
    if (found !== undefined) replay.add(found);
  }
  return replay.result();
}

/** `7× shop/web > shop/cart 8080/TCP`. */
function summary({ flow, count, severalAddresses }: FlowGroup): string {
  const end = (of: Endpoint) =>
    of.kind === "external"
      ? `${formatAddress(of.address)}${severalAddresses ? "…" : ""}`
      : formatParty(partyOf(of, "workload"));
  const port = flow.protocol === "ICMP" ? "ICMP" : `${flow.port}/${flow.protocol}`;
  return `${count}× ${end(flow.source)} > ${end(flow.destination)} ${port}`;
}

const header = "from,to,port,protocol,count,verdict";

describe("what would be dropped", () => {
  it("with deciders and counts; the most frequent first", () => {
    const { evaluated, verdicts, dropped } = replayed(cartFromWeb + noWorld, [
      header,
      "shop/web,shop/cart,8080,TCP,5",
      "shop/web,shop/cart,9090,TCP,2",
      "10.0.0.1,10.0.0.2,9090,TCP,1",
      "shop/web,203.0.113.7,443,TCP,9",
    ]);
    expect([evaluated, verdicts]).toEqual([17, { Allow: 5, Deny: 12, Undecided: 0 }]);
    expect(dropped.map(summary)).toEqual([
      "9× shop/web > 203.0.113.7 443/TCP",
      "3× shop/web > shop/cart 9090/TCP",
    ]);
    const [first, second] = dropped;
    const [by] = first!.after.egress.deciders;
    expect(by?.kind === "rule" && formatRule(by.rule.origin)).toBe("ClusterNetworkPolicy guard rule 1");
    expect(second!.after.ingress.deciders).toMatchObject([{ kind: "isolation" }]);
  });

  it("pods of one workload are grouped, and addresses that no rule distinguishes", () => {
    const { dropped } = replayed(cartFromWeb + noWorld, [
      header,
      "shop/db-0,shop/cart,8080",
      "shop/db-1,shop/cart,8080",
      "shop/db-0,203.0.113.7,443",
      "shop/db-1,203.0.113.8,443",
    ]);
    expect(dropped.map(summary)).toEqual([
      "2× shop/db > shop/cart 8080/TCP",
      "2× shop/db > 203.0.113.7… 443/TCP",
    ]);
  });

  it("S1.9: a connection to a Service is one to its endpoints", () => {
    const { dropped } = replayed(cartFromWeb, [
      header,
      "shop/web,10.96.0.1,80",
      "shop/db,10.96.0.1,80",
      "shop/db,shop/svc/front,80",
    ]);
    expect(dropped.map(summary)).toEqual(["2× shop/db > shop/cart 8080/TCP"]);
  });

  it("a node by each of its addresses", () => {
    const node =
      "\n---\n{apiVersion: v1, kind: Node, metadata: {name: edge}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}, {type: ExternalIP, address: 203.0.113.2}]}}";
    const { dropped } = replayed(noWorld + node, [
      header,
      "10.0.0.1,192.168.0.2,22",
      "10.0.0.1,203.0.113.2,22,TCP,3",
    ]);
    expect(dropped.map(summary)).toEqual(["3× shop/web > node edge 22/TCP"]);
  });

  it("S1.6: a pod reaches its own address, but not always through a Service", () => {
    const conntrack = (dst: string, port: number) =>
      `tcp 6 1 ESTABLISHED src=10.0.0.2 dst=${dst} sport=1 dport=${port} src=10.0.0.2 dst=10.0.0.2 sport=8080 dport=1`;
    expect(replayed(cartFromWeb, [conntrack("10.0.0.2", 8080)]).dropped).toEqual([]);
    expect(replayed(cartFromWeb, [conntrack("10.96.0.1", 80)]).dropped).toHaveLength(1);
  });
});

describe("flows that cannot be evaluated are counted", () => {
  it("with the unknown endpoints", () => {
    const { evaluated, unknown, broken } = replayed("", [
      header,
      "shop/gone,shop/cart,80,TCP,2",
      "10.0.200.1,shop/cart,80,TCP,3",
      "192.168.0.1,shop/cart,80",
      "shop/web,shop/cart,x y",
    ]);
    expect([evaluated, broken]).toEqual([1, 1]);
    expect(unknown).toEqual([
      { who: "10.0.200.1", why: "pod", count: 3 },
      { who: "shop/gone → shop/cart", why: "other", count: 2 },
    ]);
  });

  const flow = (source: object, more: object = {}) =>
    JSON.stringify({
      flow: {
        IP: { source: "10.0.0.9", destination: "10.0.0.2" },
        l4: { TCP: { destination_port: 9090, flags: { SYN: true } } },
        source,
        destination: { namespace: "shop", pod_name: "cart" },
        verdict: "FORWARDED",
        traffic_direction: "INGRESS",
        ...more,
      },
    });

  it("a deleted pod is represented by another of its workload", () => {
    const gone = { namespace: "shop", pod_name: "db-7", workloads: [{ kind: "StatefulSet", name: "db" }] };
    expect(replayed(cartFromWeb, [flow(gone)]).dropped.map(summary)).toEqual([
      "1× shop/db > shop/cart 9090/TCP",
    ]);
    const lost = { namespace: "shop", pod_name: "x-1", workloads: [{ kind: "Deployment", name: "x" }] };
    expect(replayed(cartFromWeb, [flow(lost), flow(lost)]).unknown).toEqual([
      { who: "shop/x", why: "pod", count: 2 },
    ]);
  });

  it("replies are skipped", () => {
    const { evaluated, skipped } = replayed(cartFromWeb, [flow({}, { is_reply: true })]);
    expect([evaluated, [...skipped]]).toEqual([0, [["reply", 1]]]);
  });

  it("a node that does not exist is not an external address", () =>
    expect(
      replayed("", [
        flow({ labels: ["reserved:host"] }, { IP: { source: "192.168.9.9", destination: "10.0.0.2" } }),
      ]).unknown,
    ).toEqual([{ who: "192.168.9.9", why: "node", count: 1 }]));
});

describe("what was observed, and what policies say", () => {
  const seen = (verdict: string, direction: string, port: number) =>
    JSON.stringify({
      flow: {
        IP: { source: "10.0.0.1", destination: "10.0.0.2" },
        l4: { TCP: { destination_port: port, flags: { SYN: true } } },
        verdict,
        traffic_direction: direction,
      },
    });

  it.each([
    ["forwarded as expected", seen("FORWARDED", "INGRESS", 8080), 0],
    ["denied as it should be", seen("DROPPED", "INGRESS", 9090), 0],
    ["forwarded although it is denied there", seen("FORWARDED", "INGRESS", 9090), 1],
    ["let out, to be denied at the other end", seen("FORWARDED", "EGRESS", 9090), 0],
    ["denied although nothing denies it", seen("DROPPED", "EGRESS", 9090), 1],
  ])("%s", (_, line, count) => expect(replayed(cartFromWeb, [line]).disagreements).toHaveLength(count));

  it("without a direction, both count together", () =>
    expect(
      replayed(cartFromWeb, [
        header,
        "shop/web,shop/cart,9090,TCP,1,allowed",
        "shop/web,shop/cart,9090,TCP,4,denied",
      ]).disagreements.map(summary),
    ).toEqual(["1× shop/web > shop/cart 9090/TCP"]));
});

describe("before and after a change", () => {
  it("only changed verdicts are listed", () => {
    const lines = [
      header,
      "shop/web,shop/cart,8080,TCP,5",
      "shop/db,shop/cart,8080,TCP,2",
      "shop/web,shop/db,1",
    ];
    const after = allow("cart-from-web", "cart", "{podSelector: {matchLabels: {app: db-0}}}", 8080);
    const { changed, verdicts } = replayed(cartFromWeb, lines, after);
    expect(changed!.map((group) => [summary(group), group.before.verdict, group.after.verdict])).toEqual([
      ["5× shop/web > shop/cart 8080/TCP", "Allow", "Deny"],
    ]);
    // Of two pods that a name may mean, one is still denied.
    expect(verdicts).toEqual({ Allow: 1, Deny: 7, Undecided: 0 });
    expect(replayed(cartFromWeb, lines, cartFromWeb).changed).toEqual([]);
    expect(replayed(cartFromWeb, lines).changed).toBeUndefined();
  });
});

describe("traffic without end", () => {
  it("beyond so many groups, the rest is counted by who denies it", () => {
    const evaluator = new FlowEvaluator(world(cluster + cartFromWeb).state);
    const groups = new FlowGroups((end) => evaluator.nameOf(end), 2);
    const read = readerOf("csv", header)!;
    read(header);
    for (const port of [1, 2, 3, 4, 1]) {
      const line = read(`10.0.0.1,10.0.0.2,${port}`);
      const evaluated = line?.kind === "observation" ? evaluator.evaluate(line.observation) : undefined;
      if (evaluated?.kind === "said")
        groups.add({ flow: evaluated.flow, before: evaluated.said, after: evaluated.said }, 1);
    }
    expect(groups.all().map(({ count, isRest, flow }) => [count, isRest ? "rest" : flow.port])).toEqual([
      [2, 1],
      [1, 2],
      [2, "rest"],
    ]);
  });
});
