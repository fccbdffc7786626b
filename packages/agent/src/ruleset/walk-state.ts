/*
 * A transaction may come between any two lookups of a packet's walk: chains are those of the moment when the base chain was
 * called, elements of sets those of the moment when they are looked up. What such a mixture says is worth nothing, so every walk
 * ends by asking whether the rules are still those it began with:
 *
 *     walk ──► same rules? ── yes ──► the verdict counts
 *                  └── no ──► walk again, from another base chain ──► same rules? ── no ──► drop
 *
 * Which rules these are is in the chains themselves as a constant, and in the map `now`, which every transaction writes anew. How far
 * a packet came is told by its priority:
 *
 *     ffff:0      nowhere yet, or the rules changed under its feet
 *     ffff:1      its source may send it
 *     ffff:n      what `now` says, at the end
 *     all others  who the other end is, during a walk; and what others put there, before and after it
 */

export const nowMap = "now";

/** What `now` says of a generation. Numbers come back, but not as long as a packet is on its way. */
export const nowIs = (generation: number): string => `ffff:${((generation % 0xfffd) + 2).toString(16)}`;

const [unsettled, left] = ["ffff:0", "ffff:1"] as const;

/** Not one of those that have to be judged again. */
export const isSettled = `meta priority != ${unsettled}`;

/** Until the walk comes to an end it counts for nothing. */
export const unsettle = `meta priority set ${unsettled}`;

export const settle = "meta priority set none";

export const mayLeave = `meta priority set ${left}`;
export const hasLeft = `meta priority ${left}`;
export const hasNotLeft = `meta priority != ${left}`;

/** In front of every verdict that counts. */
export const unlessSameRules = (generation: number): readonly string[] => [
  `meta priority set meta nfproto map @${nowMap}`,
  `meta priority != ${nowIs(generation)} goto ${outdatedChain}`,
];

export const leaveChain = "leave";
export const outdatedChain = "outdated";
