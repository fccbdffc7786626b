/*
 * A packet is judged in two steps, leaving and entering, and a transaction may come between any two lookups of either:
 * chains are those of the moment when a base chain was called, elements of sets those of the moment when they are looked up. What
 * such a mixture says is worth nothing, so every walk ends by asking whether the rules are still those it began with:
 *
 *     leaving ──► entering ──► same rules? ── yes ──► the verdict counts
 *                                  └── no ──► leaving again ──► entering again ──► same rules? ── no ──► drop
 *
 * Which rules these are is in the chains themselves as a constant, and in the map `now`, which every transaction writes anew. How far
 * a packet came is told by its priority:
 *
 *     ffff:n      generation n lets it leave
 *     ffff:0      the rules changed under its feet
 *     all others  who the other end is, during a walk; and what others put there, before and after it
 */

export const nowMap = "now";

/** The rules of this generation let it leave. Numbers come back, but not as long as a packet is on its way. */
export const mayLeave = (generation: number): string =>
  `ffff:${(((generation - 1) % 0xffff) + 1).toString(16)}`;

const outdated = "ffff:0";

/** Not one of those that have to be judged again. */
export const isSettled = `meta priority != ${outdated}`;

/** Neither of those, nor one that was let leave. */
export const isNotOnItsWay = "meta priority & ffff:0 != ffff:0";

/** Until the walk comes to an end it counts for nothing. */
export const unsettle = `meta priority set ${outdated}`;

export const settle = "meta priority set none";

/** In front of every verdict that counts. */
export const unlessSameRules = (generation: number): readonly string[] => [
  `meta priority set meta nfproto map @${nowMap}`,
  `meta priority != ${mayLeave(generation)} goto ${outdatedChain}`,
];

export const outdatedChain = "outdated";
