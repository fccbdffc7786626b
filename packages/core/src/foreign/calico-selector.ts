import type { Requirement, LabelMatch } from "../labels/requirement.js";
import { isObject } from "../manifest/document.js";

/*
 * Calico's selector language, as far as it says which labels an endpoint must have:
 *
 *   all()   has(k)   k == 'v'   k != 'v'   k in {'a', 'b'}   k not in {'a'}   !(…)   … && …   … || …
 *
 * The result is a list of alternatives, each a list of requirements that must all hold. What labels do not decide
 * (`k contains 'v'`, `global()`) requires nothing: it may hold (S9.4). Undefined where the text is not understood.
 */

export type Alternatives = readonly (readonly Requirement[])[];

export function parseCalicoSelector(text: string): Alternatives | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  if (tokens.length === 0) return everything;
  const reader = new Reader(tokens);
  const found = reader.either(false);
  return reader.isAtEnd ? found : undefined;
}

const everything: Alternatives = [[]];

/** More alternatives than this are not distinguished. */
const mostAlternatives = 32;
const mostTokens = 4096;
const deepest = 64;

type Token = { readonly kind: "word" | "text" | "symbol"; readonly text: string };

function tokensOf(text: string): readonly Token[] | undefined {
  const pattern =
    /\s*(?:(?<symbol>&&|\|\||==|!=|[!(){},])|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<word>[A-Za-z0-9_./-]+))/y;
  const found: Token[] = [];
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined || found.length === mostTokens) return undefined;
    const { symbol, single, double, word } = groups;
    if (symbol !== undefined) found.push({ kind: "symbol", text: symbol });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else found.push({ kind: "text", text: (single ?? double)! });
  }
  return found;
}

/** Recursive descent; a negation is carried down to the comparisons. Undefined is a text that is not understood. */
class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get isAtEnd(): boolean {
    return this.at === this.tokens.length;
  }

  either(negated: boolean): Alternatives | undefined {
    return this.chain("||", negated ? allOf : anyOf, () => this.both(negated));
  }

  private both(negated: boolean): Alternatives | undefined {
    return this.chain("&&", negated ? anyOf : allOf, () => this.one(negated));
  }

  private chain(
    operator: string,
    join: (a: Alternatives, b: Alternatives) => Alternatives,
    part: () => Alternatives | undefined,
  ): Alternatives | undefined {
    let found = part();
    while (found !== undefined && this.take(operator)) {
      const next = part();
      found = next && join(found, next);
    }
    return found;
  }

  private one(negated: boolean): Alternatives | undefined {
    if (this.depth === deepest) return undefined;
    this.depth++;
    const found = this.take("!") ? this.one(!negated) : this.operand(negated);
    this.depth--;
    return found;
  }

  private operand(negated: boolean): Alternatives | undefined {
    if (this.take("(")) {
      const inner = this.either(negated);
      return inner !== undefined && this.take(")") ? inner : undefined;
    }
    const token = this.tokens[this.at++];
    if (token?.kind !== "word") return undefined;
    return this.take("(") ? this.call(token.text, negated) : this.comparison(token.text, negated);
  }

  private call(name: string, negated: boolean): Alternatives | undefined {
    if (name === "has") {
      const key = this.tokens[this.at++];
      if (key?.kind !== "word" || !this.take(")")) return undefined;
      return [[{ key: key.text, operator: negated ? "DoesNotExist" : "Exists", values: [] }]];
    }
    if (!this.take(")")) return undefined;
    if (name === "all") return negated ? [] : everything;
    return name === "global" ? everything : undefined;
  }

  private comparison(key: string, negated: boolean): Alternatives | undefined {
    if (this.take("==")) return this.compared(key, negated);
    if (this.take("!=")) return this.compared(key, !negated);
    if (this.takeWord("in")) return this.listed(key, negated);
    if (this.takeWord("not")) return this.takeWord("in") ? this.listed(key, !negated) : undefined;
    if (this.takeWord("contains")) return this.partly(key, negated);
    if (this.takeWord("starts") || this.takeWord("ends"))
      return this.takeWord("with") ? this.partly(key, negated) : undefined;
    return undefined;
  }

  private compared(key: string, negated: boolean): Alternatives | undefined {
    const value = this.value();
    return value === undefined ? undefined : [[oneOf(key, [value], negated)]];
  }

  /** The label must at least be present; without it, such a comparison never holds. */
  private partly(key: string, negated: boolean): Alternatives | undefined {
    if (this.value() === undefined) return undefined;
    return negated ? everything : [[{ key, operator: "Exists", values: [] }]];
  }

  private listed(key: string, negated: boolean): Alternatives | undefined {
    if (!this.take("{")) return undefined;
    const values: string[] = [];
    while (!this.take("}")) {
      const value = this.value();
      if (value === undefined) return undefined;
      values.push(value);
      if (!this.take(",") && this.tokens[this.at]?.text !== "}") return undefined;
    }
    return [[oneOf(key, values, negated)]];
  }

  private value(): string | undefined {
    const token = this.tokens[this.at++];
    return token?.kind === "text" ? token.text : undefined;
  }

  private take(symbol: string): boolean {
    return this.takeToken("symbol", symbol);
  }

  private takeWord(word: string): boolean {
    return this.takeToken("word", word);
  }

  private takeToken(kind: Token["kind"], text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== kind || token.text !== text) return false;
    this.at++;
    return true;
  }
}

const oneOf = (key: string, values: readonly string[], negated: boolean): Requirement => ({
  key,
  operator: negated ? "NotIn" : "In",
  values,
});

const anyOf = (a: Alternatives, b: Alternatives): Alternatives => limited([...a, ...b]);

const allOf = (a: Alternatives, b: Alternatives): Alternatives =>
  a.length * b.length > mostAlternatives
    ? everything
    : a.flatMap((first) => b.map((second) => [...first, ...second]));

const limited = (all: Alternatives): Alternatives => (all.length > mostAlternatives ? everything : all);

/**
 * A Kubernetes label selector of an API that is not validated here. Undefined where any part of it is not understood:
 * then it may select everything (S9.4). A missing selector is everything, too.
 */
export function readSelector(value: unknown): LabelMatch | undefined {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return undefined;
  const { matchLabels = {}, matchExpressions = [], ...rest } = value;
  if (Object.keys(rest).length > 0) return undefined;
  if (!isObject(matchLabels) || !Array.isArray(matchExpressions)) return undefined;
  const found: Requirement[] = [];
  for (const [key, text] of Object.entries(matchLabels)) {
    if (typeof text !== "string") return undefined;
    found.push({ key, operator: "In", values: [text] });
  }
  for (const expression of matchExpressions) {
    const requirement = requirementOf(expression);
    if (requirement === undefined) return undefined;
    found.push(requirement);
  }
  return found;
}

function requirementOf(expression: unknown): Requirement | undefined {
  if (!isObject(expression)) return undefined;
  const { key, operator, values = [] } = expression;
  if (typeof key !== "string" || !isOperator(operator) || !Array.isArray(values)) return undefined;
  const texts = values.filter((text): text is string => typeof text === "string");
  const needsValues = operator === "In" || operator === "NotIn";
  if (texts.length !== values.length || needsValues !== texts.length > 0) return undefined;
  return { key, operator, values: texts };
}

const isOperator = (value: unknown): value is Requirement["operator"] =>
  value === "In" || value === "NotIn" || value === "Exists" || value === "DoesNotExist";
