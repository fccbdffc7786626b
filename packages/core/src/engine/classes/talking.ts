import type { Family } from "../../net/address.js";

/** S1.15: whether two ends talk in a family: one that they have in common, or that only one is known to have. */
export function canTalk(family: Family | undefined, a: readonly Family[], b: readonly Family[]): boolean {
  if (family === undefined) return a.length === 0 && b.length === 0;
  const inA = a.includes(family);
  const inB = b.includes(family);
  return (inA || a.length === 0) && (inB || b.length === 0) && (inA || inB);
}

/**
 * Whether connections between two ends can be compared in a family, given the families of both at two times. An end
 * without any address may be of each, so that it stays comparable when it gets one.
 */
export function canCompare(family: Family | undefined, ...all: readonly (readonly Family[])[]): boolean {
  if (family === undefined) return all.every(({ length }) => length === 0);
  return (
    all.every((families) => families.length === 0 || families.includes(family)) &&
    all.some((families) => families.includes(family))
  );
}
