import type { Family } from "../../net/address.js";

/** S1.15: whether two endpoints can connect in a family: both have it, or only one is known to have it. */
export function canTalk(family: Family | undefined, a: readonly Family[], b: readonly Family[]): boolean {
  if (family === undefined) return a.length === 0 && b.length === 0;
  const inA = a.includes(family);
  const inB = b.includes(family);
  return (inA || a.length === 0) && (inB || b.length === 0) && (inA || inB);
}

/**
 * Whether connections between two endpoints can be compared in a family, given the families of both at two times. An
 * endpoint without an address can have any family, so it stays comparable when it gets an address.
 */
export function canCompare(family: Family | undefined, ...all: readonly (readonly Family[])[]): boolean {
  if (family === undefined) return all.every(({ length }) => length === 0);
  return (
    all.every((families) => families.length === 0 || families.includes(family)) &&
    all.some((families) => families.includes(family))
  );
}
