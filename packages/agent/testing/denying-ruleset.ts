import type { FrameOf } from "../src/kernel/kernel-table.js";
import type { Chain, NamedSet } from "../src/ruleset/ruleset.js";

/**
 * Rules that deny what this namespace sends to some UDP ports: at the output hook, where the sender gets an error. They have
 * the same frame as those of the agent: only a base chain contains the generation.
 */
export function denying(...ports: readonly number[]): FrameOf {
  const counters = new Set(ports.map((port) => `r_${port}`));
  const terminals = ports.map(
    (port) => [`t_${port}`, { rules: [`counter name "r_${port}"`, "drop"] }] as const,
  );
  const sets = new Map<string, NamedSet>([
    [
      "ports",
      {
        kind: "map",
        type: "inet_service : verdict",
        flags: [],
        elements: new Map(ports.map((port) => [`${port}`, `goto t_${port}`])),
      },
    ],
    ["names", { kind: "set", type: "ipv4_addr . ipv4_addr", flags: ["timeout"], elements: "learned" }],
    ["redirects", { kind: "map", type: "ipv4_addr : inet_service", flags: ["timeout"], elements: "learned" }],
  ]);
  return (generation) => ({
    chains: new Map<string, Chain>([
      ...terminals,
      [
        "output",
        {
          hook: "type filter hook output priority -10; policy accept;",
          rules: [`meta mark 0x${generation.toString(16).padStart(8, "0")} accept`, "udp dport vmap @ports"],
        },
      ],
    ]),
    sets,
    counters,
  });
}
