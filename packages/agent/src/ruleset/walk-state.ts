import { hex } from "./connection-mark.js";

/*
 * A transaction can happen between any two lookups of a packet's evaluation (its walk): chains are those at the time when the base
 * chain was called, elements of sets those at the time of the lookup. The verdict of such a mixture is not valid, so every walk ends
 * with a check whether the rules are still those with which it began:
 *
 *     walk ──► same rules? ── yes ──► the verdict counts
 *                  └── no ──► walk again, from another base chain ──► same rules? ── no ──► drop
 *
 * The generation is a constant in the chains, and an element of the set `now`, which every transaction replaces. The priority of a
 * packet contains the progress of its walk:
 *
 *     ffff:0      not judged yet, or the rules changed during the walk; during a walk, the peer has no identity
 *     ffff:1      the source is allowed to send it
 *     all others  the identity of the peer, during a walk; and values of other programs, before and after it
 */

export const nowSet = "now";

/** The element of `now` for a generation. */
export const nowIs = hex;

const [unsettled, left] = ["ffff:0", "ffff:1"] as const;

/** A peer that no rule distinguishes from others. */
export const unidentified = unsettled;

/** True if the packet need not be judged again. */
export const isSettled = `meta priority != ${unsettled}`;

/** At the start of a walk: it counts only when it has ended. */
export const unsettle = `meta priority set ${unsettled}`;

export const markSettled = "meta priority set none";

export const mayLeave = `meta priority set ${left}`;
export const hasLeft = `meta priority ${left}`;
export const hasNotLeft = `meta priority != ${left}`;

/** Before every final verdict. The mark of the packet does not matter: the expression looks up a constant. */
export const unlessSameRules = (generation: number): string =>
  `meta mark & ${nowIs(generation)} | ${nowIs(generation)} != @${nowSet} goto ${outdatedChain}`;

export const leaveChain = "leave";
export const outdatedChain = "outdated";
