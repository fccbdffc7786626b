import type {
  EndpointRules,
  Lookup,
  RuleEffect,
  SubjectTier,
  SubjectWalk,
  TierRules,
} from "../../analysis/lookup/lookup.js";
import type { DeciderEffect } from "../../engine/index.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import { actionOf, actionWord, formatRule } from "../../policy/describe.js";
import { type Direction, formatPolicy, type Rule } from "../../policy/model.js";
import { differencesFrom } from "./lookup-differences.js";
import { isolatorText, placeText, ruleText, trafficText } from "../explanation/rule-text.js";
import { type Style, type TextOptions, wrap } from "../style.js";
import { firstOf } from "../../diagnostics/summary.js";

const body = " ".repeat(6);
const directions = ["ingress", "egress"] as const;

/** How many rules of each walk, and of others in each direction, are shown before the rest is counted. */
const shownOwn = 8;
const shownOthers = 4;
/** How many deciders or isolating policies are named. */
const named = 3;

/** Counts first, then the isolating policies, then the rules in the order of evaluation. */
export function lookupText({ label, answers }: Lookup, { style, verbose = false }: TextOptions): string {
  const [first, ...others] = answers;
  if (first === undefined) return label;
  const several = others.length > 0;
  const texts = [
    answerText(label, first, several, style, verbose),
    ...others.map((answer) =>
      verbose ? answerText(label, answer, several, style, verbose) : otherText(first, answer, style),
    ),
  ];
  return texts.map((lines) => lines.join("\n")).join("\n\n");
}

/** Rules affect the pods of a workload in much the same way, so only the differences are shown. */
function otherText(first: EndpointRules, other: EndpointRules, style: Style): readonly string[] {
  const [who, reference] = [other, first].map(({ ends }) => firstOf(ends.map(formatEndpoint), named));
  const differences = differencesFrom(first, other);
  return [
    wrap("", `${style.bold(who!)}   same as ${reference}, except:`, "    "),
    "",
    ...differences.slice(0, shownOwn).map((line) => wrap("  ", line, "      ")),
    ...(differences.length > shownOwn
      ? [style.dim(`  …and ${differences.length - shownOwn} more (-v shows all rules, -o json has them)`)]
      : []),
  ];
}

function answerText(
  label: string,
  { ends, asSubject, asPeer }: EndpointRules,
  several: boolean,
  style: Style,
  verbose: boolean,
): readonly string[] {
  const who = several ? firstOf(ends.map(formatEndpoint), verbose ? Infinity : named) : label;
  const replicas = ends.length > 1 && !several ? `   ${ends.length} pods with the same rules` : "";
  const limit = (count: number) => (verbose ? Infinity : count);
  const own = asSubject && [...asSubject.ingress.tiers, ...asSubject.egress.tiers];
  return [
    `${style.bold(who)}${replicas}`,
    "",
    own === undefined
      ? "  no policies apply to it: it is not a pod with its own network"
      : `  ${counted(own, "applies to it", "apply to it")}`,
    `  ${counted([...asPeer.ingress, ...asPeer.egress], "of other pods mentions it", "of other pods mention it")}`,
    ...directions.flatMap((direction) =>
      asSubject === undefined ? [] : walkText(direction, asSubject[direction], label, style, limit(shownOwn)),
    ),
    ...directions.flatMap((direction) => {
      const lines = tiersText(asPeer[direction], style, limit(shownOthers), ruleWithoutAction);
      return lines.length === 0 ? [] : ["", `  ${peerTitles[direction]}`, ...lines];
    }),
  ];
}

/** `12 rules apply to it; 3 never decide anything, 1 may decide, depending on missing information`. */
function counted(tiers: readonly TierRules[], one: string, many: string): string {
  const effects = tiers.flatMap(({ rules }) => rules.map(({ effect }) => effect.kind));
  if (effects.length === 0) return `no rule ${one}`;
  const of = (kind: DeciderEffect["kind"]) => effects.filter((other) => other === kind).length;
  const never = of("never");
  const parts = [
    ...(never > 0 ? [`${never} never ${never === 1 ? "decides" : "decide"} anything`] : []),
    ...(of("may-decide") > 0 ? [`${of("may-decide")} may decide, depending on missing information`] : []),
  ];
  const head = `${effects.length} ${effects.length === 1 ? `rule ${one}` : `rules ${many}`}`;
  return parts.length === 0 ? head : `${head}; ${parts.join(", ")}`;
}

function walkText(
  direction: Direction,
  { tiers, rest }: SubjectWalk,
  label: string,
  style: Style,
  limit: number,
): readonly string[] {
  const isolated = tiers.flatMap(({ isolation }) => isolation?.by ?? []);
  const by = firstOf(
    isolated.map(({ origin }) => isolatorText(origin)),
    limit === Infinity ? Infinity : named,
  );
  const title = `${direction} ${direction === "ingress" ? "to" : "from"} ${style.bold(label)}`;
  return [
    "",
    wrap("  ", `${title}: ${isolated.length === 0 ? "not isolated" : `isolated by ${by}`}`, "    "),
    ...tiersText(tiers, style, limit, trafficText),
    "    default",
    `${body}${restText(rest, style)}`,
  ];
}

function restText(rest: DeciderEffect, style: Style): string {
  return {
    decides: `${style.good("✓")} allows the rest`,
    "may-decide": `${style.unsure("?")} may allow the rest, depending on missing information`,
    never: style.dim("not reached"),
  }[rest.kind];
}

const peerTitles: Readonly<Record<Direction, string>> = {
  ingress: "when it connects to other pods (their ingress)",
  egress: "when other pods connect to it (their egress)",
};

/** The text of a rule, after its action. */
type RuleText = (rule: Rule) => string;

const ruleWithoutAction: RuleText = (rule) => ruleText(rule).slice(actionWord(rule).length + 1);

/** At most `limit` rules, tier by tier. */
function tiersText(
  tiers: readonly SubjectTier[],
  style: Style,
  limit: number,
  say: RuleText,
): readonly string[] {
  let left = limit;
  const lines = tiers.flatMap(({ tier, rules, isolation }) => {
    const shown = rules.slice(0, left);
    left -= shown.length;
    if (shown.length === 0 && isolation === undefined) return [];
    return [
      `    ${tier}`,
      ...shown.flatMap((entry) => ruleLines(entry, style, say)),
      ...(isolation === undefined ? [] : [isolationText(isolation.effect, style)]),
    ];
  });
  const hidden = tiers.reduce((sum, { rules }) => sum + rules.length, 0) - limit;
  const more = `${body}…and ${hidden} more (-v shows them, -o json has them all)`;
  return hidden > 0 ? [...lines, style.dim(more)] : lines;
}

function ruleLines({ rule, effect }: RuleEffect, style: Style, say: RuleText): readonly string[] {
  const mark = { Allow: style.good("✓"), Deny: style.bad("✗"), Pass: "↓", Undecided: style.unsure("?") }[
    actionOf(rule)
  ];
  const shown =
    effect.kind === "never" ? style.dim("·") : effect.kind === "may-decide" ? style.unsure("?") : mark;
  const { priority } = rule.origin.policy;
  const order = priority === undefined ? "" : `, priority ${priority}`;
  const name = `${formatRule(rule.origin)}${order}${placeText(rule.origin.place())}`;
  return [
    wrap(`${body}${shown} `, `${actionWord(rule)} ${say(rule)}`, `${body}    `),
    style.dim(wrap(`${body}  `, name, `${body}    `)),
    ...effectLines(effect, rule.origin.direction, style),
  ];
}

function effectLines(effect: DeciderEffect, direction: Direction, style: Style): readonly string[] {
  if (effect.kind === "decides") return [];
  if (effect.kind === "may-decide") return [`${body}  may decide, depending on missing information`];
  const why = `${style.unsure("never decides")}: ${whyNever(effect.takenBy, direction)}`;
  return [wrap(`${body}  `, why, `${body}    `)];
}

function whyNever(takenBy: readonly Decider[], direction: Direction): string {
  if (takenBy.length === 0)
    return `no ${direction === "ingress" ? "source" : "destination"} here matches it on its ports`;
  const [first] = takenBy;
  if (takenBy.length === 1 && first?.kind === "own-node")
    return "it applies to the node of the pod, which can always reach the pod";
  return `already decided by ${firstOf(takenBy.map(deciderText), named)}`;
}

function deciderText(by: Decider): string {
  switch (by.kind) {
    case "rule":
      return formatRule(by.rule.origin);
    case "isolation":
      return `isolation by ${firstOf(
        by.isolation.map(({ origin }) =>
          origin.kind === "policy" ? formatPolicy(origin.policy) : origin.option,
        ),
        named,
      )}`;
    case "own-node":
      return "the exemption of the pod's own node";
    case "default":
    case "no-walk":
    case "own-address":
      return "the default";
  }
}

function isolationText({ kind }: DeciderEffect, style: Style): string {
  return {
    decides: `${body}${style.bad("✗")} isolation denies what no rule of this tier matched`,
    "may-decide": `${body}${style.unsure("?")} isolation may deny what no rule of this tier matched`,
    never: style.dim(`${body}· isolation denies nothing else`),
  }[kind];
}
