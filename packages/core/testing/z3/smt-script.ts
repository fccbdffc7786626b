/** A formula or a value in SMT-LIB 2. */
export type Term = string;

export const and = (terms: readonly Term[]): Term => joined("and", terms, "true", "false");
export const or = (terms: readonly Term[]): Term => joined("or", terms, "false", "true");

export function not(term: Term): Term {
  if (term === "true") return "false";
  return term === "false" ? "true" : `(not ${term})`;
}

export const implies = (premise: Term, conclusion: Term): Term => or([not(premise), conclusion]);
export const equal = (a: Term, b: Term): Term => `(= ${a} ${b})`;
export const between = (first: number | bigint, value: Term, last: number | bigint): Term =>
  `(<= ${first} ${value} ${last})`;

export function ifElse(condition: Term, then: Term, otherwise: Term): Term {
  if (condition === "true" || then === otherwise) return then;
  return condition === "false" ? otherwise : `(ite ${condition} ${then} ${otherwise})`;
}

/** Only for texts without quotes and backslashes: names, label keys and values that are valid in Kubernetes. */
export const text = (value: string): Term => `"${value}"`;

function joined(operator: string, terms: readonly Term[], neutral: Term, absorbing: Term): Term {
  const kept = new Set(terms.filter((term) => term !== neutral));
  if (kept.has(absorbing)) return absorbing;
  const [first] = kept;
  if (first === undefined) return neutral;
  return kept.size === 1 ? first : `(${operator} ${[...kept].join(" ")})`;
}

/** Declarations and assertions, in the order in which they were needed. */
export class SmtScript {
  private readonly lines: string[] = [];
  private readonly constants = new Set<string>();
  private readonly names = new Map<Term, Term>();

  /** A sort of its own, with exactly these values. */
  enumeration(sort: string, values: readonly string[]): void {
    this.lines.push(`(declare-datatypes ((${sort} 0)) ((${values.map((value) => `(${value})`).join(" ")})))`);
  }

  /** The constant of this name, which may have any value of its sort. */
  constant(name: string, sort: string): Term {
    if (!this.constants.has(name)) {
      this.constants.add(name);
      this.lines.push(`(declare-const |${name}| ${sort})`);
    }
    return `|${name}|`;
  }

  /** A name for a formula, so that it is written once, however often it is used. */
  named(term: Term): Term {
    if (!term.startsWith("(")) return term;
    const known = this.names.get(term);
    if (known !== undefined) return known;
    const name = this.constant(`formula ${this.names.size}`, "Bool");
    this.names.set(term, name);
    this.assert(equal(name, term));
    return name;
  }

  assert(term: Term): void {
    if (term !== "true") this.lines.push(`(assert ${term})`);
  }

  toString(): string {
    return this.lines.join("\n");
  }
}
