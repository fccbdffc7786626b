import { expect, it } from "vitest";
import { type AgentStatus, statusText } from "./status.js";

const at = "2026-01-01T05:00:00.000Z";
const quiet: AgentStatus = {
  version: 1,
  at,
  node: "n1",
  since: "2026-01-01T00:00:00.000Z",
  table: "tierwall",
  generation: 17,
  shadow: false,
  pods: { programmed: 110, waiting: 0 },
  policies: 1000,
  rules: 432,
  lastApply: { at: "2026-01-01T04:59:20.000Z", wrote: "difference", milliseconds: 12.4 },
  driftRepairs: 0,
  source: [{ what: "/etc/tierwall", ok: true, state: "3 files", lastChange: "2026-01-01T04:59:20.000Z" }],
  cutConnections: 2,
  memory: 123_456_789,
};

it("an agent without problems", () => {
  expect(statusText(quiet)).toBe(
    `
agent of node n1, up 5h
  enforcing   yes
  table       inet tierwall, generation 17
  pods        110 programmed
  policies    1000 in the cluster, 432 rules apply to pods of this node
  last apply  40s ago: difference in 12 ms
  drift       none: no other process changed the table
  cut         2 established connections
  source      /etc/tierwall: 3 files, changed 40s ago
  audit log   off
  memory      123 MB
`.trim(),
  );
});

it("an agent that cut connections says which", () => {
  const source = { address: "10.9.0.11", port: 44_000, kind: "pod", pod: "shop/cart", node: "n1" } as const;
  const text = statusText({
    ...quiet,
    lastCut: [
      {
        at: "2026-01-01T04:59:57.000Z",
        protocol: "TCP",
        source,
        destination: { address: "fd00::7", port: 8080, kind: "external" },
      },
      {
        at: "2026-01-01T04:50:00.000Z",
        protocol: "ICMP",
        source: { address: "10.9.0.11", kind: "pod", pod: "shop/cart" },
        destination: { address: "192.168.0.1", kind: "node", node: "n2" },
      },
    ],
  });
  expect(text).toContain(`
  cut         2 established connections
              3s ago: shop/cart (10.9.0.11:44000) → [fd00::7]:8080 TCP
              10m ago: shop/cart (10.9.0.11) → node n2 (192.168.0.1) ICMP
`);
});

it("an agent with every kind of problem", () => {
  const troubled: AgentStatus = {
    ...quiet,
    shadow: true,
    failing: "nft refused the change: out of memory",
    pods: { programmed: 108, waiting: 2 },
    driftRepairs: 3,
    trial: { until: "2026-01-01T05:00:45.000Z" },
    source: [{ what: "networkpolicies", ok: false, state: "forbidden" }],
    audit: { running: false, lines: 12_000, suppressed: 7 },
    dns: { names: 2, queries: 1500, addresses: 40 },
  };
  const text = statusText(troubled);
  for (const line of [
    "  enforcing   no: shadow mode, denials are only counted and logged",
    "  failing     nft refused the change: out of memory",
    "  on trial    confirm within 45s, or the previous rules are restored",
    "  pods        108 programmed, 2 waiting",
    "  drift       repaired 3 times",
    "  source      networkpolicies: forbidden",
    "  audit log   not running; 12k lines, 7 suppressed",
    "  names       2 sets, 1.5k queries, 40 addresses learned",
  ])
    expect(text.split("\n")).toContain(line);
});
