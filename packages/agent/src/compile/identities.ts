import { digestOf } from "./content-name.js";
import type { End } from "./ends.js";

/**
 * Numbers for ends, as nft writes those that fit into `meta priority`: `1f:a3c4`. They come from what the ends are, so
 * that all agents, at all times, give the same number to the same end; of two with the same hash one moves aside.
 */
export class Identities {
  private naturals = new Map<End, number>();
  private texts: ReadonlyMap<End, string> = new Map();
  private ends: ReadonlySet<End> = new Set();
  private isClear = true;
  /** Another number as soon as an end may have another identity than before. */
  turn = 0;

  /** The same map as long as it is asked for the same set. */
  of(ends: ReadonlySet<End>): ReadonlyMap<End, string> {
    if (ends === this.ends) return this.texts;
    this.ends = ends;
    const naturals: typeof this.naturals = new Map();
    const sharing = new Map<number, End[]>();
    for (const end of ends) {
      const natural = this.naturals.get(end) ?? numberOf(end.key);
      naturals.set(end, natural);
      const others = sharing.get(natural);
      if (others === undefined) sharing.set(natural, [end]);
      else others.push(end);
    }
    this.naturals = naturals;
    const isClear = sharing.size === ends.size;
    if (!isClear || !this.isClear) this.turn++;
    this.isClear = isClear;
    this.texts = settle(sharing);
    return this.texts;
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

/** Of pods and nodes that no rule speaks of, where a range around them would claim them otherwise. */
export const somebody = "0:1";

/** Never zero, which is nobody, nor one, nor all ones, which nft calls `root`. */
function numberOf(text: string): number {
  const number = Number.parseInt(digestOf(text).slice(0, 8), 16);
  return number <= 1 || number === 0xffffffff ? 2 : number;
}

export function formatIdentity(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
