import { hex } from "./connection-mark.js";

/*
 * A transaction may come between any two lookups of a packet's walk: chains are those of the moment when the base chain was
 * called, elements of sets those of the moment when they are looked up. What such a mixture says is worth nothing, so every walk
 * ends by asking whether the rules are still those it began with:
 *
 *     walk ──► same rules? ── yes ──► the verdict counts
 *                  └── no ──► walk again, from another base chain ──► same rules? ── no ──► drop
 *
 * Which rules these are is in the chains themselves as a constant, and in the set `now`, which every transaction writes anew. How far
 * a packet came is told by its priority:
 *
 *     ffff:0      nowhere yet, or the rules changed under its feet; during a walk, nobody is known to be at the other end
 *     ffff:1      its source may send it
 *     all others  who the other end is, during a walk; and what others put there, before and after it
 */

export const nowSet = "now";

/** What `now` holds, of a generation. */
export const nowIs = hex;

const [unsettled, left] = ["ffff:0", "ffff:1"] as const;

/** Nobody whom any rule tells from others. */
export const unidentified = unsettled;

/** Not one of those that have to be judged again. */
export const isSettled = `meta priority != ${unsettled}`;

/** Until the walk comes to an end it counts for nothing. */
export const unsettle = `meta priority set ${unsettled}`;

export const markSettled = "meta priority set none";

export const mayLeave = `meta priority set ${left}`;
export const hasLeft = `meta priority ${left}`;
export const hasNotLeft = `meta priority != ${left}`;

/** In front of every verdict that counts. The mark of the packet does not matter: it is the way to look up a constant. */
export const unlessSameRules = (generation: number): string =>
  `meta mark & ${nowIs(generation)} | ${nowIs(generation)} != @${nowSet} goto ${outdatedChain}`;

export const leaveChain = "leave";
export const outdatedChain = "outdated";
