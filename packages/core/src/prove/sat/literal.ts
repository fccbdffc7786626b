/*
 * Variable v has the literals 2v (v is true) and 2v+1 (v is false). Variable 0 is the constant: its literals are `TRUE`
 * and `FALSE`, so that formulas can be simplified without a special case.
 */

export type Literal = number;

export const TRUE: Literal = 0;
export const FALSE: Literal = 1;

export const not = (literal: Literal): Literal => literal ^ 1;
export const variableOf = (literal: Literal): number => literal >> 1;
