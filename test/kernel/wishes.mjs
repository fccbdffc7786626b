// Rulesets that differ in all that the agent's do, and agree on two things: UDP port 7 is denied, UDP port 9 is allowed.

/**
 * @param {number} number
 * @param {{ hook: "output" | "forward"; address: string }} packets which ones are judged, and where they go
 * @returns {(generation: number) => import("@tierwall/agent").Ruleset}
 */
export function wish(number, packets = { hook: "output", address: "127.0.0.1" }) {
  const verdicts = new Map([["1:1", "goto p_deny"]]);
  const identities = new Map();
  const chains = new Map([["p_deny", { rules: ["udp dport 7 goto t_deny"] }]]);
  for (let at = 1; at < 1500; at++) {
    identities.set(`10.${at >> 8}.${at & 255}.1`, `2:${(((at * (number + 1)) % 4000) + 1).toString(16)}`);
  }
  for (let at = 1; at < 100; at++) {
    const chain = `p_${at}_${number % (at + 1)}`;
    chains.set(chain, { rules: [`udp dport ${at + 100} counter name "r_deny"`, "goto p_deny"] });
    verdicts.set(`2:${at.toString(16)}`, `goto ${chain}`);
  }
  // The identity of the address that packets go to is another in each.
  const mine = `3:${(number + 1).toString(16)}`;
  identities.set(packets.address, mine);
  verdicts.set(mine, "goto p_deny");
  chains.set("t_deny", { rules: ['counter name "r_deny"', "drop"] });
  const size = { size: number % 7 === 0 ? 4000 : 5000 };
  return (generation) => ({
    chains: new Map([
      ...chains,
      [
        "judge",
        {
          hook: `type filter hook ${packets.hook} priority -10; policy accept;`,
          rules: [
            `meta mark 0x${generation.toString(16).padStart(8, "0")} accept`,
            "meta priority set ip daddr map @ident4",
            "meta priority vmap @tier",
          ],
        },
      ],
    ]),
    sets: new Map([
      ["ident4", { kind: "map", type: "ipv4_addr : classid", flags: [], ...size, elements: identities }],
      ["tier", { kind: "map", type: "classid : verdict", flags: [], elements: verdicts }],
    ]),
    counters: new Set(["r_deny"]),
  });
}
