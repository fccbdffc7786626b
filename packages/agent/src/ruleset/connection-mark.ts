/*
 * Tierwall's part of the connection mark, from high to low:
 *
 *     generation of the ruleset that judged it (0: none) │ by name │ denied
 */
interface MarkField {
  /** Allowed because a domain name resolved to the address. */
  readonly byName: number;
  readonly denied: number;
  /** Everything except `byName`: whether the current generation judged the connection, and how. */
  readonly judged: number;
  /** The number of generations; they count from 1. */
  readonly generations: number;
}

export function markField(mask: number): MarkField {
  const denied = (mask & -mask) >>> 0;
  const byName = denied * 2;
  return { byName, denied, judged: (mask & ~byName) >>> 0, generations: (mask >>> 0) / denied / 4 - 0.75 };
}

/** Later generations judge every packet, and do not mark connections. */
export function isStamped(mask: number, generation: number): boolean {
  return generation <= markField(mask).generations;
}

/** The bits of a generation, at their place in the mark. */
export function generationBits(mask: number, generation: number): number {
  return isStamped(mask, generation) ? (generation * markField(mask).denied * 4) >>> 0 : 0;
}

export function hex(value: number): string {
  return `0x${(value >>> 0).toString(16).padStart(8, "0")}`;
}

/** Whether the connection was cut, by these rules or earlier ones. */
export const isCut = (mask: number): string => deniedBit(mask, "==");
export const isNotCut = (mask: number): string => deniedBit(mask, "!=");

function deniedBit(mask: number, operator: "==" | "!="): string {
  const denied = hex(markField(mask).denied);
  return `ct mark & ${denied} ${operator} ${denied}`;
}

/** `ct mark set …` as nft prints it: bits that are set need not be cleared first. */
export function setMark(clear: number, set: number): string {
  return `ct mark set ct mark & ${hex(~clear | set)} | ${hex(set)}`;
}
