// Rulesets that differ in all that the agent's do, and agree on two things: UDP port 7 is denied, UDP port 9 is allowed. As in the
// agent's, every walk ends with a check whether the rules are still those with which it began (packages/agent/src/ruleset/walk-state.ts):
// the identity of the peer and its verdict are two lookups, and a transaction can happen between them.

const [unsettled, settled] = ["meta priority set ffff:0", "meta priority set none"];

/** Of two tables that are loaded at the same time, one finishes with a packet before the other begins. */
const priorities = { first: -10, second: -8 };

/**
 * @param {number} number
 * @param {{ hook: "output" | "forward"; address: string }} packets which ones are judged, and where they go
 * @returns {(generation: number, place: "first" | "second") => import("@tierwall/agent").Ruleset}
 */
export function rulesetOf(number, packets = { hook: "output", address: "127.0.0.1" }) {
  const verdicts = new Map([["1:1", "goto p_deny"]]);
  const identities = new Map();
  const chains = new Map([["p_deny", { rules: ["udp dport 7 goto t_deny", "goto t_allow"] }]]);
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
  const size = { size: number % 7 === 0 ? 4000 : 5000 };
  const hook = (/** @type {number} */ priority) =>
    `type filter hook ${packets.hook} priority ${priority}; policy accept;`;
  return (generation, place) => ({
    chains: new Map([
      ...chains,
      ["t_deny", { rules: ['counter name "r_deny"', unlessSame(generation), "drop"] }],
      ["t_allow", { rules: [unlessSame(generation), `${settled} accept`] }],
      ["outdated", { rules: [unsettled] }],
      [
        "walk",
        {
          rules: [
            `${unsettled} meta priority set ip daddr map @ident4`,
            "meta priority vmap @tier",
            "goto t_allow",
          ],
        },
      ],
      [packets.hook, { hook: hook(priorities[place]), rules: ["goto walk"] }],
      [
        `${packets.hook}_again`,
        {
          hook: hook(priorities[place] + 1),
          rules: ["meta priority != ffff:0 accept", "jump walk", "drop"],
        },
      ],
    ]),
    sets: new Map([
      ["now", { kind: "set", type: "mark", flags: [], size: 4, elements: new Map([[hex(generation), ""]]) }],
      ["ident4", { kind: "map", type: "ipv4_addr : classid", flags: [], ...size, elements: identities }],
      ["tier", { kind: "map", type: "classid : verdict", flags: [], elements: verdicts }],
    ]),
    counters: new Set(["r_deny"]),
  });
}

/** @param {number} generation */
const unlessSame = (generation) =>
  `meta mark & ${hex(generation)} | ${hex(generation)} != @now goto outdated`;

/** @param {number} value */
const hex = (value) => `0x${value.toString(16).padStart(8, "0")}`;
