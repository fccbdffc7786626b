import { type Equality, outcomeOf } from "../../prove/same/index.js";
import type { Caveat } from "../../state/caveat.js";
import { caveatLines, caveatsJson } from "../caveats.js";
import { apiVersion, type JsonValue } from "../explanation/explanation-json.js";
import type { Style } from "../style.js";
import { connectionJson, decisionsJson } from "./proofs-json.js";
import { circumstances, connectionText, directionText, essentialLines } from "./proofs-words.js";
import { written } from "./written-counterexample.js";

/** How the two sides are called, and what is not taken into account on them. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly caveats: readonly Caveat[];
}

type Difference = Extract<Equality, { result: "Different" }>;

/** For a person. */
export function equalityText(equality: Equality, names: Sides, style: Style): string {
  const [heading, ...lines] = equalityLines(equality, names, style);
  return [heading, ...[...lines, ...caveatLines(names.caveats, style)].map((line) => `  ${line}`)].join("\n");
}

function equalityLines(equality: Equality, names: Sides, style: Style): readonly string[] {
  const both = `${names.before} and ${names.after}`;
  switch (equality.result) {
    case "Same":
      return [`${style.good("✓ THE SAME")} ${both}, in every cluster`];
    case "NotDecided":
      return [`${style.unsure("? NOT DECIDED")} ${both}`, equality.why];
    case "Different":
      return [`${style.bad("✗ DIFFERENT")} ${both}`, ...differenceLines(equality, names)];
  }
}

/** The cluster in which they differ, and who decides there. */
export function differenceLines(
  { before, after, ...essential }: Difference,
  names: Pick<Sides, "before" | "after">,
): readonly string[] {
  const decided = (confirmed: Difference["before"], name: string) => [
    `${name}: ${outcomeOf(confirmed)}`,
    `  egress:  ${directionText(confirmed, "egress")}`,
    `  ingress: ${directionText(confirmed, "ingress")}`,
  ];
  return [
    "They differ in this cluster:",
    `  ${connectionText(before)}`,
    ...decided(before, names.before),
    ...decided(after, names.after),
    ...circumstances([before, after]),
    ...essentialLines(essential),
  ];
}

/** For machines: `kind: Equality`. */
export const equalityJson = (equality: Equality, names: Sides) => ({
  apiVersion,
  kind: "Equality",
  before: names.before,
  after: names.after,
  ...resultJson(equality),
  caveats: caveatsJson(names.caveats),
});

/** The result by itself, as a part of other answers. */
export function resultJson(equality: Equality): { readonly [key: string]: JsonValue | undefined } {
  const { result } = equality;
  if (result === "Same") return { result };
  if (result === "NotDecided") return { result, why: equality.why };
  const { before, after, essential, incidental } = equality;
  const decided = (confirmed: typeof before) => ({
    outcome: outcomeOf(confirmed),
    ...decisionsJson(confirmed),
  });
  return {
    result,
    counterexample: {
      ...connectionJson(before.witness),
      before: decided(before),
      after: decided(after),
      manifests: before.manifests,
      essential,
      incidental,
    },
  };
}

/** The result in one line. */
export function summaryOf(equality: Equality): string {
  if (equality.result === "Same") return "the same in every cluster";
  if (equality.result === "NotDecided") return `not decided: ${equality.why}`;
  const { before, after } = equality;
  return `${connectionText(before)} is ${outcomeOf(before)} before, and ${outcomeOf(after)} after`;
}

/** The cluster in which they differ, and a ConnectivityTest that expects there what the first side decides. */
export const writtenDifference = (equality: Equality): string | undefined =>
  equality.result === "Different"
    ? written(equality.before, "same", outcomeOf(equality.before) === "denied" ? "Deny" : "Allow")
    : undefined;
