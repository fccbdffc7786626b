import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { Nft } from "../kernel/nft.js";
import { done, failed } from "../kernel/outcome.js";
import type { AgentStatus } from "../observe/status.js";
import { podRange, runningAgent, synchronisation } from "./agent-checks.js";
import { checkupText, examineNode, hasFailures } from "./doctor.js";
import type { Found } from "./finding.js";
import { conntrackTable, forwarding, nftablesFeatures } from "./kernel-checks.js";
import { bridges, flowtables, kubeProxy, networkPlugin, otherHooks } from "./network-checks.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tierwall-doctor-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const brief = ({ severity, message }: Found): string => `${severity}: ${message}`;

const conntrack = (count: string, most: string) => ({
  "proc/sys/net/netfilter/nf_conntrack_count": count,
  "proc/sys/net/netfilter/nf_conntrack_max": most,
});
const cni = (config: object) => ({ "etc/cni/net.d/10-net.conflist": JSON.stringify(config) });
const bridge = (ipv4: string, ipv6: string) => ({
  "sys/class/net/cni0/bridge/forward_delay": "0\n",
  "sys/class/net/eth0/mtu": "1500\n",
  "proc/sys/net/bridge/bridge-nf-call-iptables": ipv4,
  "proc/sys/net/bridge/bridge-nf-call-ip6tables": ipv6,
});

describe("files of the node", () => {
  it.each<readonly [string, (root: string) => Found, Readonly<Record<string, string>>, RegExp]>([
    ["half of the connections", conntrackTable, conntrack("500\n", "1000\n"), /^ok: 500 of 1,000/],
    ["most of the connections", conntrackTable, conntrack("800\n", "1000\n"), /^warning: .*nearly full/],
    ["all connections", conntrackTable, conntrack("1000\n", "1000\n"), /^failure: .*is full/],
    ["no connection tracking", conntrackTable, {}, /^unknown: .*nf_conntrack/],
    ["no number of connections", conntrackTable, conntrack("many", "1000"), /^unknown/],
    [
      "forwarding off",
      forwarding,
      { "proc/sys/net/ipv4/ip_forward": "0\n" },
      /^warning: net\.ipv4\.ip_forward/,
    ],
    ["forwarding on", forwarding, { "proc/sys/net/ipv4/ip_forward": "1\n" }, /^ok/],
    ["no bridges", bridges, { "sys/class/net/eth0/mtu": "1500" }, /^ok: no bridges/],
    ["bridges that pass the rules", bridges, bridge("1\n", "1\n"), /^ok: .*\(cni0\)/],
    [
      "bridges that bypass the rules",
      bridges,
      bridge("1\n", "0\n"),
      /^warning: .*bridge-nf-call-ip6tables is not 1/,
    ],
    ["no CNI folder", networkPlugin, {}, /^unknown/],
    ["an empty CNI folder", networkPlugin, { "etc/cni/net.d/README": "" }, /^failure: no network plugin/],
    [
      "a plain plugin",
      networkPlugin,
      cni({ plugins: [{ type: "ptp" }, { type: "portmap" }] }),
      /^ok: ptp, portmap/,
    ],
    ["Calico", networkPlugin, cni({ plugins: [{ type: "calico" }] }), /^warning: .*calico.*allowed by both/],
    ["Cilium", networkPlugin, cni({ type: "cilium-cni" }), /^failure: .*nftables does not see/],
    ["a broken CNI file", networkPlugin, { "etc/cni/net.d/1.conf": "{" }, /^warning: 1\.conf is not/],
    ["a CNI file of another shape", networkPlugin, cni({ plugins: [7, { type: {} }] }), /^warning/],
  ])("%s", (_, check, files, expected) => {
    write(files);
    expect(brief(check(root))).toMatch(expected);
  });
});

const status: AgentStatus = {
  version: 1,
  at: "2026-01-01T00:10:00Z",
  node: "n1",
  since: "2026-01-01T00:00:00Z",
  table: "tierwall",
  generation: 7,
  shadow: false,
  pods: { programmed: 3, waiting: 0 },
  policies: 2,
  rules: 5,
  lastApply: { at: "2026-01-01T00:09:00Z", wrote: "difference", milliseconds: 9 },
  driftRepairs: 0,
  source: [{ what: "Pod", ok: true, state: "synced", lastChange: "2026-01-01T00:09:30Z" }],
  cutConnections: 0,
  memory: 1,
};
const forbidden = { what: "NetworkPolicy", ok: false, state: "forbidden" };
const outside = { kind: "pod-range", message: "pods contradict the pod range", since: status.since } as const;

describe("what the agent says", () => {
  it.each<readonly [string, Found, RegExp]>([
    ["it works", runningAgent(done(status)), /^ok: up 10m, 5 rules for 3 pods, last written 60s ago/],
    ["it does not run", runningAgent(failed("no agent listens")), /^failure: no agent listens/],
    [
      "the kernel refuses rules",
      runningAgent(done({ ...status, failing: "nft refused" })),
      /^failure: .*nft refused/,
    ],
    ["it has just started", runningAgent(done({ ...status, lastApply: undefined! })), /^failure: no rules/],
    ["shadow mode", runningAgent(done({ ...status, shadow: true })), /^warning: shadow mode/],
    [
      "a pod waits",
      runningAgent(done({ ...status, pods: { programmed: 3, waiting: 1 } })),
      /^warning: 1 of 4 pods/,
    ],
    ["in sync", synchronisation(done(status)), /^ok: synced, last change 30s ago/],
    [
      "a kind it may not read",
      synchronisation(done({ ...status, source: [forbidden] })),
      /^failure: .*forbidden/,
    ],
    ["no agent to ask", synchronisation(failed("gone")), /^unknown/],
    ["pods in the range", podRange(done(status)), /^ok/],
    [
      "pods outside of the range",
      podRange(done({ ...status, problems: [outside] })),
      /^warning: pods contradict/,
    ],
  ])("%s", (_, found, expected) => {
    expect(brief(found)).toMatch(expected);
  });
});

describe.skipIf(whyNoNamespaces() !== undefined)("tables of a network namespace", () => {
  it.each<readonly [string, string, (nft: Nft) => Promise<Found>, RegExp]>([
    ["this kernel has what the agent needs", "", nftablesFeatures, /^(ok|warning): /],
    [
      "kube-proxy in nftables mode",
      "table ip kube-proxy { chain services { }; }",
      kubeProxy,
      /^ok: mode nftables/,
    ],
    [
      "kube-proxy in iptables mode",
      "table ip nat { chain KUBE-SERVICES { }; }",
      kubeProxy,
      /^ok: mode iptables/,
    ],
    ["no kube-proxy", "", kubeProxy, /^unknown/],
    [
      "a firewall that drops",
      "table inet fw { chain f { type filter hook forward priority 0; policy drop; }; }",
      otherHooks,
      /^warning: .*inet fw f/,
    ],
    [
      "a firewall that accepts",
      "table inet fw { chain f { type filter hook forward priority 0; }; }",
      otherHooks,
      /^ok: .*inet fw f/,
    ],
    [
      "the table of the agent",
      "table inet tierwall { chain f { type filter hook forward priority 0; policy drop; }; }",
      otherHooks,
      /^ok: no chains/,
    ],
    ["no flowtables", "", flowtables, /^(ok: no flowtables|unknown)/],
  ])("%s", async (_, table, check, expected) => {
    const node = new NetworkNamespace("doctor");
    try {
      if (table !== "") node.load(table);
      expect(brief(await check(new Nft([...node.enter, "nft"])))).toMatch(expected);
    } finally {
      node.remove();
    }
  });

  it("a checkup without an agent and without nft names both, and writes nothing", async () => {
    const checkup = await examineNode("n1", join(root, "no.sock"), new Nft([join(root, "no-nft")]));
    const of = (name: string) => checkup.findings.find(({ check }) => check === name)?.severity;
    expect([of("nftables"), of("agent"), of("kube-proxy"), of("pod range")]).toEqual([
      "failure",
      "failure",
      "unknown",
      "unknown",
    ]);
    expect(hasFailures(checkup)).toBe(true);
    expect(checkupText(checkup)).toMatch(
      /✗ nftables: nft is not installed.*\n {2}→ install the package `nftables`/,
    );
  });
});
