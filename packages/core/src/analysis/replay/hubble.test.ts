import { describe, expect, it } from "vitest";
import { formatAddress } from "../../net/address.js";
import { readHubble } from "./hubble.js";
import type { ObservedEnd, ReadLine } from "./observation.js";

const flow = {
  time: "2026-01-01T00:00:00Z",
  verdict: "FORWARDED",
  IP: { source: "10.0.0.1", destination: "10.0.0.2", ipVersion: "IPv4" },
  l4: { TCP: { source_port: 40000, destination_port: 80, flags: { SYN: true } } },
  source: { namespace: "shop", pod_name: "web-1", labels: ["k8s:app=web"] },
  destination: { namespace: "shop", pod_name: "cart-1" },
  Type: "L3_L4",
  traffic_direction: "EGRESS",
  is_reply: false,
};

/** `shop/web-1 > shop/cart-1 80/TCP, Allow egress`, or what else the line is. */
function summary(line: ReadLine): string {
  if (line.kind !== "observation") return `${line.kind}: ${line.why}`;
  const { from, to, port, seen } = line.observation;
  const asked = port.kind === "number" ? `${port.port}/${port.protocol}` : port.kind;
  return `${end(from)} > ${end(to)} ${asked}${seen === undefined ? "" : `, ${seen.verdict} ${seen.direction ?? ""}`}`;
}

function end(of: ObservedEnd): string {
  switch (of.kind) {
    case "pod":
      return `${of.namespace}/${of.name}${of.workload === undefined ? "" : ` of ${of.workload.kind}/${of.workload.name}`}`;
    case "address":
      return `${of.claimed === undefined ? "" : `${of.claimed} `}${formatAddress(of.address)}`;
    case "written":
      return of.text;
  }
}

const read = (changes: object) => summary(readHubble(JSON.stringify({ flow: { ...flow, ...changes } })));
const l4 = (part: object) => ({ l4: part });
const tcp = (flags: object) => l4({ TCP: { destination_port: 80, flags } });

describe("Hubble's flows", () => {
  it("come in a wrapper, or bare", () => {
    expect(summary(readHubble(JSON.stringify({ flow, node_name: "n" })))).toBe(
      "shop/web-1 > shop/cart-1 80/TCP, Allow egress",
    );
    expect(summary(readHubble(JSON.stringify(flow)))).toBe("shop/web-1 > shop/cart-1 80/TCP, Allow egress");
  });

  it.each([
    ["UDP", l4({ UDP: { destination_port: 53 } }), "shop/web-1 > shop/cart-1 53/UDP, Allow egress"],
    ["SCTP", l4({ SCTP: { destination_port: 99 } }), "shop/web-1 > shop/cart-1 99/SCTP, Allow egress"],
    ["a ping", l4({ ICMPv4: { type: 8 } }), "shop/web-1 > shop/cart-1 icmp, Allow egress"],
    ["a ping over IPv6", l4({ ICMPv6: { type: 128 } }), "shop/web-1 > shop/cart-1 icmp, Allow egress"],
    ["its answer", l4({ ICMPv4: {} }), "skipped: icmp"],
    ["an ICMP error", l4({ ICMPv4: { type: 3 } }), "skipped: icmp"],
    ["ARP, and what else has no ports", { l4: undefined }, "skipped: protocol"],
    ["no port", l4({ UDP: {} }), "broken: its UDP part has no destination_port"],
    [
      "an invalid port",
      l4({ UDP: { destination_port: 70000 } }),
      "broken: its UDP part has no destination_port",
    ],
  ])("protocols: %s", (_, changes, wanted) => expect(read(changes)).toBe(wanted));

  it.each([
    ["S1.5: an answer", { is_reply: true }, "skipped: reply"],
    ["as older versions say it", { is_reply: undefined, reply: true }, "skipped: reply"],
    [
      "a packet on the way there, of an open connection",
      tcp({ ACK: true }),
      "shop/web-1 > shop/cart-1 80/TCP, Allow egress",
    ],
    ["one of unknown direction", { ...tcp({ ACK: true }), is_reply: null }, "skipped: established"],
    ["the second packet of all", { ...tcp({ SYN: true, ACK: true }), is_reply: undefined }, "skipped: reply"],
    [
      "the first",
      { ...tcp({ SYN: true }), is_reply: undefined },
      "shop/web-1 > shop/cart-1 80/TCP, Allow egress",
    ],
    ["a request inside of a connection", { Type: "L7" }, "skipped: request"],
    ["a rewriting by the socket", { Type: "SOCK" }, "skipped: event"],
  ])("what is a new connection: %s", (_, changes, wanted) => expect(read(changes)).toBe(wanted));

  it.each([
    ["forwarded at the destination", { traffic_direction: "INGRESS" }, "Allow ingress"],
    ["sent to a proxy", { verdict: "REDIRECTED" }, "Allow egress"],
    ["denied", { verdict: "DROPPED", drop_reason_desc: "POLICY_DENIED" }, "Deny egress"],
    ["denied by a deny rule", { verdict: "DROPPED", drop_reason_desc: "POLICY_DENY" }, "Deny egress"],
    ["would be denied, were it not for audit mode", { verdict: "AUDIT" }, "Deny egress"],
    ["the endpoint is unknown", { traffic_direction: "TRAFFIC_DIRECTION_UNKNOWN" }, "Allow "],
  ])("what became of it: %s", (_, changes, wanted) =>
    expect(read(changes)).toMatch(new RegExp(`, ${wanted}$`)),
  );

  it("drops for other reasons are not about policies", () =>
    expect(read({ verdict: "DROPPED", drop_reason_desc: "STALE_OR_UNROUTABLE_IP" })).toBe(
      "shop/web-1 > shop/cart-1 80/TCP",
    ));

  it.each([
    [
      "a workload",
      { source: { ...flow.source, workloads: [{ kind: "Deployment", name: "web" }] } },
      "shop/web-1 of Deployment/web > ",
    ],
    ["a name with its namespace", { source: { namespace: "shop", pod_name: "shop/web-1" } }, "shop/web-1 > "],
    ["an address", { source: { labels: ["reserved:world"] } }, "10.0.0.1 > "],
    ["the API server", { source: { labels: ["reserved:kube-apiserver", "reserved:world"] } }, "10.0.0.1 > "],
    ["a range of a rule", { source: { labels: ["cidr:10.0.0.0/8", "reserved:world-ipv4"] } }, "10.0.0.1 > "],
    ["a node", { source: { labels: ["reserved:remote-node"] } }, "node 10.0.0.1 > "],
    ["Cilium's own pods", { source: { labels: ["reserved:health"] } }, "pod 10.0.0.1 > "],
    ["a pod without a name", { source: { labels: ["k8s:app=web"] } }, "pod 10.0.0.1 > "],
  ])("endpoints: %s", (_, changes, wanted) => expect(read(changes)).toContain(wanted));

  it("without any end it is broken", () =>
    expect(read({ IP: {}, destination: {} })).toBe(
      "broken: its destination has neither a pod nor an address",
    ));

  it.each([
    ["{", "broken: it is not JSON"],
    ["[]", "broken: it is not a JSON object"],
    ['{"lost_events": {"num_events_lost": 3}}', "skipped: event"],
    ['{"node_status": {}}', "skipped: event"],
    ['{"from": "a/b"}', "broken: it has no `flow`, as Hubble's records have"],
  ])("%s: %s", (line, wanted) => expect(summary(readHubble(line))).toBe(wanted));
});
