import { digestOf } from "../content-name.js";
import { grouped } from "../grouped.js";
import type { End } from "./end.js";

/**
 * Numbers for ends, as nft writes those that fit into `meta priority`: `1f:a3c4`. They come from what the ends are, so
 * that all agents, at all times, give the same number to the same end; of two with the same hash one moves aside.
 */
export class Identities {
  private readonly naturals = new Map<End, number>();
  /** Who has which number by nature; of several one. */
  private owners = new Map<number, End>();
  private texts: ReadonlyMap<End, string> = new Map();
  private ends: ReadonlySet<End> = new Set();
  private isClear = true;
  /** Another number as soon as an end may have another identity than before. */
  turn = 0;
  /** Those to whom the last call gave an identity, or another one, or took it. */
  changed: ReadonlySet<End> = new Set();

  /** The same map as long as it is asked for the same set. */
  of(ends: ReadonlySet<End>): ReadonlyMap<End, string> {
    const gone = ends === this.ends ? [] : [...this.ends].filter((end) => !ends.has(end));
    const come = ends === this.ends ? [] : [...ends].filter((end) => !this.ends.has(end));
    this.changed = new Set([...gone, ...come]);
    if (ends === this.ends) return this.texts;
    this.ends = ends;
    for (const end of gone) this.remove(end);
    let isClear = this.isClear;
    for (const end of come) if (!this.add(end)) isClear = false;
    if (isClear) this.texts = this.edited(come, gone);
    else this.settleAll();
    return this.texts;
  }

  private remove(end: End): void {
    this.owners.delete(this.naturals.get(end)!);
    this.naturals.delete(end);
  }

  /** Whether its number is free. */
  private add(end: End): boolean {
    const natural = numberOf(end.key);
    const isFree = !this.owners.has(natural);
    this.naturals.set(end, natural);
    this.owners.set(natural, end);
    return isFree;
  }

  private edited(come: readonly End[], gone: readonly End[]): ReadonlyMap<End, string> {
    const texts = new Map(this.texts);
    for (const end of gone) texts.delete(end);
    for (const end of come) texts.set(end, formatIdentity(this.naturals.get(end)!));
    return texts;
  }

  private settleAll(): void {
    const sharing = grouped([...this.naturals].map(([end, natural]) => [natural, end] as const));
    this.isClear = sharing.size === this.ends.size;
    this.owners = new Map([...sharing].map(([natural, [end]]) => [natural, end!]));
    this.turn++;
    this.texts = settle(sharing);
    this.changed = new Set([...this.changed, ...this.ends]);
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

/** Of pods and nodes that no rule mentions, where a range around them would claim them otherwise. */
export const otherIdentity = "0:1";

/** Neither zero, which packets without an identity have, nor one; nor beginning with `ffff`, which tells how far a packet came (walk-state.ts). */
function numberOf(text: string): number {
  return 2 + (Number.parseInt(digestOf(text).slice(0, 8), 16) % 0xfffe0000);
}

export function formatIdentity(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
