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
import { type Style, wrap } from "../style.js";
import { firstOf } from "../../diagnostics/summary.js";

const body = " ".repeat(6);
const directions = ["ingress", "egress"] as const;

/** How many rules of each walk, and of others in each direction, are shown before the rest is counted. */
const shownOwn = 8;
const shownOthers = 4;
/** How many are named of those who are in the way of a rule, or isolate. */
const named = 3;

export interface LookupTextOptions {
  readonly style: Style;
  /** Every rule. */
  readonly verbose?: boolean;
}

/** Counts first, then who isolates, then the rules in the order in which they are evaluated. */
export function lookupText(
  { label, answers }: Lookup,
  { style, verbose = false }: LookupTextOptions,
): string {
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

/** Pods of the same workload are affected much alike: what is otherwise is enough. */
function otherText(first: EndpointRules, other: EndpointRules, style: Style): readonly string[] {
  const [who, whom] = [other, first].map(({ ends }) => firstOf(ends.map(formatEndpoint), named));
  const differences = differencesFrom(first, other);
  return [
    wrap("", `${style.bold(who!)}   as ${whom}, but for this:`, "    "),
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
  const replicas = ends.length > 1 && !several ? `   ${ends.length} pods, all alike` : "";
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

/** `12 rules apply to it; 3 of them never decide anything, 1 may`. */
function counted(tiers: readonly TierRules[], one: string, many: string): string {
  const effects = tiers.flatMap(({ rules }) => rules.map(({ effect }) => effect.kind));
  if (effects.length === 0) return `no rule ${one}`;
  const of = (kind: DeciderEffect["kind"]) => effects.filter((other) => other === kind).length;
  const never = of("never");
  const parts = [
    ...(never > 0 ? [`${never} never ${never === 1 ? "decides" : "decide"} anything`] : []),
    ...(of("may-decide") > 0 ? [`${of("may-decide")} may, which hangs on what is not known`] : []),
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
  const title = `${direction === "ingress" ? "entering" : "leaving"} ${style.bold(label)} (${direction})`;
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
    decides: `${style.good("✓")} allows what is left`,
    "may-decide": `${style.unsure("?")} allows what is left, if anything is: that is not known`,
    never: style.dim("nothing is left for it"),
  }[rest.kind];
}

const peerTitles: Readonly<Record<Direction, string>> = {
  ingress: "when it connects to other pods (their ingress)",
  egress: "when other pods connect to it (their egress)",
};

/** What is said of a rule, beside its action. */
type Say = (rule: Rule) => string;

const ruleWithoutAction: Say = (rule) => ruleText(rule).slice(actionWord(rule).length + 1);

/** So many rules, tier by tier. */
function tiersText(tiers: readonly SubjectTier[], style: Style, limit: number, say: Say): readonly string[] {
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

function ruleLines({ rule, effect }: RuleEffect, style: Style, say: Say): readonly string[] {
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
  if (effect.kind === "may-decide") return [`${body}  may decide: that hangs on what is not known`];
  const why = `${style.unsure("never decides")}: ${whyNever(effect.takenBy, direction)}`;
  return [wrap(`${body}  `, why, `${body}    `)];
}

function whyNever(takenBy: readonly Decider[], direction: Direction): string {
  if (takenBy.length === 0)
    return `nobody here matches it, as ${direction === "ingress" ? "source" : "destination"} or by port`;
  const [first] = takenBy;
  if (takenBy.length === 1 && first?.kind === "own-node")
    return "it is for the node the pod runs on, which always reaches it";
  return `${firstOf(takenBy.map(deciderText), named)} ${takenBy.length === 1 ? "decides" : "decide"} all of it before`;
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
      return "the right of a node to reach its pods";
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
    never: style.dim(`${body}· isolation: nothing is left for it to deny`),
  }[kind];
}
