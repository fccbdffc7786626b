/** One of several equal parts of a work that several share. */
export interface Part {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

export const whole: Part = { index: 0, of: 1 };

/** The members that fall to a part: each to exactly one of the parts, and to all parts as many as can be. */
export function shareOf<T>(members: readonly T[], { index, of }: Part): readonly T[] {
  return of === 1 ? members : members.filter((_, i) => i % of === index);
}
