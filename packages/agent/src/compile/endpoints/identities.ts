import { digestOf } from "../content-name.js";
import { grouped } from "../grouped.js";
import type { End } from "./end.js";

/**
 * Numbers for ends, as nft prints values of `meta priority`: `1f:a3c4`. They are derived from the properties of the ends, so that
 * all agents always give the same number to the same end. If two have the same hash, one of them gets another number.
 */
export class Identities {
  private readonly naturals = new WeakMap<End, number>();
  private texts: ReadonlyMap<End, string> = new Map();
  private ends: ReadonlySet<End> = new Set();
  /** Changes when an end gets another identity than before. */
  turn = 0;
  /** The ends whose identity the last call added, changed or removed. */
  changed: ReadonlySet<End> = new Set();

  /** Returns the same map for the same set. */
  of(ends: ReadonlySet<End>): ReadonlyMap<End, string> {
    this.changed = new Set();
    if (ends === this.ends) return this.texts;
    const before = this.texts;
    const texts = settle(grouped([...ends].map((end) => [this.natural(end), end] as const)));
    const differ = (end: End) => before.get(end) !== texts.get(end);
    this.changed = new Set([...before.keys(), ...ends].filter(differ));
    if ([...this.changed].some((end) => before.has(end) && texts.has(end))) this.turn++;
    this.ends = ends;
    this.texts = texts;
    return texts;
  }

  private natural(end: End): number {
    const natural = this.naturals.get(end) ?? numberOf(end.key);
    this.naturals.set(end, natural);
    return natural;
  }
}

export function settle(sharing: ReadonlyMap<number, readonly End[]>): ReadonlyMap<End, string> {
  const texts = new Map<End, string>();
  const taken = new Set(sharing.keys());
  const moving: End[] = [];
  for (const [natural, ends] of sharing) {
    const [first, ...others] = ends.length === 1 ? ends : ends.toSorted(byKey);
    texts.set(first!, formatIdentity(natural));
    moving.push(...others);
  }
  for (const end of moving.toSorted(byKey)) {
    let number = 0;
    for (let turn = 1; number === 0 || taken.has(number); turn++) number = numberOf(`${end.key}\n${turn}`);
    taken.add(number);
    texts.set(end, formatIdentity(number));
  }
  return texts;
}

const byKey = (a: End, b: End): number => (a.key < b.key ? -1 : 1);

/** For pods and nodes that no rule mentions, inside a range that has another identity. */
export const otherIdentity = "0:1";

/** Not zero, which packets without an identity have, and not one; and not beginning with `ffff` (walk-state.ts). */
function numberOf(text: string): number {
  return 2 + (Number.parseInt(digestOf(text).slice(0, 8), 16) % 0xfffe0000);
}

export function formatIdentity(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
