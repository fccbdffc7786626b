import { readState, type State } from "@tierwall/core/state";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { parseAddress } from "../../packages/core/src/net/address.js";
import { parseCidr } from "../../packages/core/src/net/cidr.js";
import { program } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import { gatewayLink } from "./lab/plan.js";
import type { Packet } from "./lab/prober.js";
import { describeOnBothWirings, labTimeout } from "./lab/requirements.js";

/* What verdicts do not cover, and must still be right on a node. */

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}, {type: InternalIP, address: "fd01::1"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}, {type: InternalIP, address: "fd01::2"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.0.1.1}, {ip: "fd00:1::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: near}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.0.1.2}, {ip: "fd00:1::2"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: far}, spec: {nodeName: n2}, status: {podIPs: [{ip: 10.0.2.1}, {ip: "fd00:2::1"}]}}
`;

/** Every pod is isolated in both directions, except for one port. */
const onlyPort = (port: number, protocol: string) => `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: one-port},
 spec: {podSelector: {}, policyTypes: [Ingress, Egress],
        ingress: [{ports: [{port: ${port}, protocol: ${protocol}}]}], egress: [{ports: [{port: ${port}, protocol: ${protocol}}]}]}}
`;

const onlyNames = `
{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: only-names},
 spec: {tier: Admin, priority: 1, subject: {namespaces: {}},
        egress: [{action: Accept, to: [{domainNames: ["*.example.com"]}]}, {action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}]}}
`;

const stateOf = (...documents: readonly string[]): State => {
  const state = readState([{ file: "state.yaml", text: documents.join("---") }]);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
};

const addresses: Readonly<Record<string, Readonly<Record<4 | 6, string>>>> = {
  "a/client": { 4: "10.0.1.1", 6: "fd00:1::1" },
  "a/near": { 4: "10.0.1.2", 6: "fd00:1::2" },
  "a/far": { 4: "10.0.2.1", 6: "fd00:2::1" },
  n1: { 4: "192.168.0.1", 6: "fd01::1" },
  n2: { 4: "192.168.0.2", 6: "fd01::2" },
};

vi.setConfig({ testTimeout: labTimeout });

describeOnBothWirings("on the wire", (wiring) => {
  const whole = stateOf(cluster);
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.build(whole.cluster, wiring);
  });
  beforeEach(() => lab.forgetConnections());
  afterAll(() => lab?.remove());

  const spaceOf = (name: string): string =>
    lab.plan.pods.find(({ key }) => key === name)?.space ?? lab.spaceOf(name);
  const packet = (from: string, to: string, port: number, more: Partial<Packet> = {}): Packet => ({
    from: spaceOf(from),
    to: spaceOf(to),
    source: addresses[from]![4],
    target: addresses[to]![4],
    protocol: "TCP",
    port,
    servedPort: port,
    tos: 0,
    ...more,
  });
  const inBoth = (packet: Packet): readonly Packet[] => {
    const other = (address: string) => Object.values(addresses).find((known) => known[4] === address)![6];
    return [packet, { ...packet, source: other(packet.source), target: other(packet.target) }];
  };
  const outcomes = (...packets: readonly Packet[]) => lab.prober.probe(packets.flatMap(inBoth));

  it("S1.5: errors about an allowed connection come back", async () => {
    await program(lab, stateOf(cluster, onlyPort(9, "UDP")));
    const notServed = { protocol: "UDP", servedPort: undefined } as const;
    const sent = ["a/near", "a/far", "n1"].map((to) => packet("a/client", to, 9, notServed));
    expect(await outcomes(...sent)).toEqual(Array(6).fill("refused"));
    expect(await outcomes(packet("a/client", "a/near", 10, notServed))).toEqual(["lost", "lost"]);
  });

  it("fragments are judged by the port that only the first of them has", async () => {
    await program(lab, stateOf(cluster, onlyPort(9, "UDP")));
    const long = { protocol: "UDP", padding: 4000 } as const;
    const sent = (port: number) => ["a/near", "a/far"].map((to) => packet("a/client", to, port, long));
    expect(await outcomes(...sent(9))).toEqual(Array(4).fill("arrived"));
    expect(await outcomes(...sent(10))).toEqual(Array(4).fill("lost"));
  });

  it("what others exempt from tracking is judged packet by packet, replies too", async () => {
    await program(lab, stateOf(cluster, onlyPort(9, "UDP")));
    const rule = "type filter hook prerouting priority -300; meta l4proto 17 notrack";
    await lab.load("n1", `table inet other {\nchain early {\n${rule}\n}\n}\n`);
    try {
      const sent = [9, 10].map((port) => packet("a/client", "a/near", port, { protocol: "UDP" }));
      expect(await outcomes(...sent)).toEqual(["one-way", "one-way", "lost", "lost"]);
    } finally {
      await lab.load("n1", "delete table inet other\n");
    }
  });

  it("neighbours are still found if pods are isolated completely", async () => {
    await program(lab, stateOf(cluster, onlyPort(80, "TCP")));
    await lab.forgetNeighbours();
    const sent = ["a/near", "a/far", "n1", "n2"].map((to) => packet("a/client", to, 80));
    expect(await outcomes(...sent)).toEqual(Array(8).fill("arrived"));
  });

  it("a pod that is not known yet is cut off, except from its node", async () => {
    const known = stateOf(
      cluster
        .split("---")
        .filter((text) => !text.includes("name: near"))
        .join("---"),
    );
    const ranges = ["10.0.1.0/24", "fd00:1::/64"].map((text) => parseCidr(text)!);
    const of = (node: string) => ({ localRanges: node === "n1" ? ranges : [] });
    await program(lab, known, { options: of });
    const cut = [
      packet("a/client", "a/near", 80),
      packet("a/far", "a/near", 80),
      packet("a/near", "a/far", 80),
      packet("a/near", "n1", 80),
    ];
    expect(await outcomes(...cut)).toEqual(Array(8).fill("lost"));
    expect(await outcomes(packet("n1", "a/near", 80), packet("a/client", "a/far", 80))).toEqual(
      Array(4).fill("arrived"),
    );
    await program(lab, known, { options: (node) => ({ ...of(node), unknownPods: "allow" }) });
    expect(await outcomes(...cut)).toEqual(Array(8).fill("arrived"));
  });

  it("pods do not get around policies by addresses of their link, which no policy can name", async () => {
    const localRanges = [parseCidr("10.0.1.0/24")!];
    await program(lab, stateOf(cluster, onlyPort(80, "TCP")), { options: () => ({ localRanges }) });
    const linkOf = (name: string) => `${lab.plan.pods.find(({ key }) => key === name)!.link}%eth0`;
    const [own, other] = [{ source: linkOf("a/client") }, { target: linkOf("a/near") }];
    const { 6: source } = addresses["a/client"]!;
    const { 6: target } = addresses["a/near"]!;
    const sent = [
      { ...own, ...other },
      { ...own, target },
      { source, ...other },
    ].map((ends) => packet("a/client", "a/near", 80, ends));
    const ownNode = packet("a/client", "n1", 80, { ...own, target: `${gatewayLink}%eth0` });
    expect(await lab.prober.probe([...sent, ownNode])).toEqual(Array(4).fill("lost"));
    expect(await outcomes(packet("a/client", "a/near", 80))).toEqual(["arrived", "arrived"]);
  });

  describe("from addresses that are not its own", () => {
    const ranges = ["10.0.1.0/24", "fd00:1::/64"].map((text) => parseCidr(text)!);
    const options = (node: string) => ({ localRanges: node === "n1" ? ranges : [] });
    const allowingOnePort = stateOf(cluster, onlyPort(80, "UDP"));
    const udp = (from: string, to: string, more: Partial<Packet> = {}) =>
      packet(from, to, 80, { protocol: "UDP", ...more });
    const held = () => lab.counted("n1", "unknown_egress");
    const foreign = [
      ["203.0.113.9", "2001:db8::9"],
      ["192.168.0.2", "fd01::2"],
    ] as const;
    const from = (sources: readonly [string, string], one: Packet) =>
      inBoth(one).map((packet, i): Packet => ({ ...packet, source: sources[i]! }));

    it("a pod reaches nothing; the owner of these addresses does, through a device of the same kind", async () => {
      await program(lab, allowingOnePort, { options });
      const forged = foreign.flatMap((sources) =>
        ["a/near", "a/far", "n1"].flatMap((to) => from(sources, udp("a/client", to))),
      );
      const before = await held();
      await lab.lend("a/client", foreign.flat(), async () => {
        expect(await lab.prober.probe(forged)).toEqual(Array(forged.length).fill("lost"));
      });
      const after = await held();
      expect(after - before).toBeGreaterThanOrEqual(forged.length);
      const outside = { from: lab.plan.outside.space };
      const honest = ["a/near", "n1"].flatMap((to) => from(foreign[0], udp("a/client", to, outside)));
      expect(await lab.prober.probe(honest)).toEqual(Array(4).fill("arrived"));
      const others = [udp("a/far", "a/near"), udp("n2", "a/near"), udp("a/near", "a/far")];
      expect(await outcomes(...others)).toEqual(Array(6).fill("arrived"));
      expect(await held()).toBe(after);
    });

    it("it arrives if the kernel cannot detect it", async () => {
      const blind = (node: string) => ({ ...options(node), forgedSources: "pass" }) as const;
      await program(lab, allowingOnePort, { options: blind });
      await lab.lend("a/client", foreign[0], async () => {
        const forged = from(foreign[0], udp("a/client", "a/near"));
        expect(await lab.prober.probe(forged)).toEqual(["one-way", "one-way"]);
      });
    });

    it("pods have a network of their own, if they are on a bridge", async () => {
      await program(lab, allowingOnePort, { options });
      const [own, other] = [
        ["172.30.0.1", "fd30::1"],
        ["172.30.0.2", "fd30::2"],
      ] as const;
      const wide = ([four, six]: readonly [string, string]) => [`${four}/24`, `${six}/64`];
      await lab.lend("a/client", wide(own), () =>
        lab.lend("a/near", wide(other), async () => {
          const sent = from(own, udp("a/client", "a/near")).map((one, i) => ({
            ...one,
            target: other[i]!,
          }));
          const outcome = { bridged: "arrived", routed: "lost" }[wiring];
          expect(await lab.prober.probe(sent)).toEqual([outcome, outcome]);
        }),
      );
    });
  });

  it("with `reject`, a denied client gets an error", async () => {
    await program(lab, stateOf(cluster, onlyPort(80, "TCP")), { options: () => ({ deny: "reject" }) });
    const denied = [
      packet("a/client", "a/near", 81),
      packet("a/client", "a/far", 81),
      packet("a/client", "n1", 53, { protocol: "UDP" }),
    ];
    expect(await outcomes(...denied)).toEqual(Array(6).fill("refused"));
    expect(await outcomes(packet("a/client", "a/near", 80))).toEqual(["arrived", "arrived"]);
  });

  it("with `shadow`, nothing is dropped", async () => {
    await program(lab, stateOf(cluster, onlyPort(80, "TCP")), { options: () => ({ shadow: true }) });
    const all = ["a/near", "a/far", "n1"].map((to) => packet("a/client", to, 81));
    expect(await outcomes(...all)).toEqual(Array(6).fill("arrived"));
  });

  it("S8.3: addresses of a name are allowed to the subjects of the rule, and no other external addresses", async () => {
    const state = stateOf(cluster, onlyNames);
    const dns = [
      { name: "www.example.com", addresses: ["203.0.113.7", "2001:db8::7"].map((ip) => parseAddress(ip)!) },
    ];
    const named = { ...state, cluster: { ...state.cluster, facts: { ...state.cluster.facts, dns } } };
    await program(lab, named);
    const outside = (ip: string): Packet =>
      packet("a/client", "a/near", 443, { target: ip, to: lab.plan.outside.space });
    const six = { source: addresses["a/client"]![6] };
    const sent = [
      outside("203.0.113.7"),
      { ...outside("2001:db8::7"), ...six },
      outside("203.0.113.8"),
      { ...outside("2001:db8::8"), ...six },
    ];
    expect(await lab.prober.probe(sent)).toEqual(["arrived", "arrived", "lost", "lost"]);
  });

  it("without policies everything arrives", async () => {
    await program(lab, whole);
    const all = Object.keys(addresses).flatMap((from) =>
      Object.keys(addresses).map((to) => packet(from, to, 81)),
    );
    expect(new Set(await outcomes(...all))).toEqual(new Set(["arrived"]));
  });
});
