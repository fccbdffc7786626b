/*
 * Our part of the connection mark, from high to low:
 *
 *     generation of the ruleset that judged it (0: none) │ by name │ denied
 */
interface MarkField {
  /** Allowed because a domain name resolved to the address. */
  readonly byName: number;
  readonly denied: number;
  /** Everything but `byName`: what tells whether, and how, the present generation judged the connection. */
  readonly judged: number;
  /** How many generations there are; they count from 1 to this. */
  readonly generations: number;
}

export function markField(mask: number): MarkField {
  const denied = (mask & -mask) >>> 0;
  const byName = denied * 2;
  return { byName, denied, judged: (mask & ~byName) >>> 0, generations: (mask >>> 0) / denied / 4 - 0.75 };
}

/** Later ones judge every packet, and leave the marks of connections empty. */
export function isStamped(mask: number, generation: number): boolean {
  return generation <= markField(mask).generations;
}

/** The bits of a generation, where the mark has them. */
export function generationBits(mask: number, generation: number): number {
  return isStamped(mask, generation) ? (generation * markField(mask).denied * 4) >>> 0 : 0;
}

export function hex(value: number): string {
  return `0x${(value >>> 0).toString(16).padStart(8, "0")}`;
}

/** Whether rules have cut the connection, these or earlier ones. */
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
