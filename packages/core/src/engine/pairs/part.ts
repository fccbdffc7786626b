/** One of several parts of a work that several share. */
export interface Part {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

export const whole: Part = { index: 0, of: 1 };

/** Members that are next to each other are often alike, and so are every second or fourth: runs from all over are not. */
const runsOfEach = 64;

/** The members that fall to a part: each to exactly one, and to all parts about as many. */
export function shareOf<T>(members: readonly T[], { index, of }: Part): readonly T[] {
  const run = Math.ceil(members.length / (of * runsOfEach));
  return of === 1 ? members : members.filter((_, i) => Math.floor(i / run) % of === index);
}
