import type {
  EndpointRules,
  Lookup,
  RuleEffect,
  SubjectTier,
  SubjectWalk,
  TierRules,
} from "../../analysis/lookup/lookup.js";
import type { Fate } from "../../engine/index.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import { actionOf, actionWord, formatRule } from "../../policy/describe.js";
import { type Direction, formatPolicy } from "../../policy/model.js";
import { differencesFrom } from "./lookup-differences.js";
import { isolatorText, placeText, ruleText, trafficText } from "../explanation/rule-text.js";
import { type Style, wrap } from "../style.js";
import { firstOf } from "../../diagnostics/summary.js";

const body = " ".repeat(6);

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
    ...(asSubject === undefined
      ? []
      : (["ingress", "egress"] as const).flatMap((direction) =>
          walkText(direction, asSubject[direction], label, style, limit(shownOwn)),
        )),
    ...(["ingress", "egress"] as const).flatMap((direction) =>
      peerText(direction, asPeer[direction], style, limit(shownOthers)),
    ),
  ];
}

/** `12 rules apply to it; 3 of them never decide anything, 1 may`. */
function counted(tiers: readonly TierRules[], one: string, many: string): string {
  const effects = tiers.flatMap(({ rules }) => rules.map(({ effect }) => effect.kind));
  if (effects.length === 0) return `no rule ${one}`;
  const of = (kind: Fate["kind"]) => effects.filter((other) => other === kind).length;
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
  const count = tiers.reduce((sum, { rules }) => sum + rules.length, 0);
  let left = limit;
  const lines = tiers.flatMap((tier) => {
    const shown = tier.rules.slice(0, left);
    left -= shown.length;
    const isShown = shown.length > 0 || tier.isolation !== undefined;
    return isShown ? tierText(tier, shown, style, trafficText) : [];
  });
  return [
    "",
    wrap("  ", `${title}: ${isolated.length === 0 ? "not isolated" : `isolated by ${by}`}`, "    "),
    ...lines,
    ...moreText(count - limit, style),
    "    default",
    `${body}${restText(rest, style)}`,
  ];
}

function restText(rest: Fate, style: Style): string {
  switch (rest.kind) {
    case "decides":
      return `${style.good("✓")} allows what is left`;
    case "may-decide":
      return `${style.unsure("?")} allows what is left, if anything is: that is not known`;
    case "never":
      return style.dim("nothing is left for it");
  }
}

function peerText(
  direction: Direction,
  tiers: readonly TierRules[],
  style: Style,
  limit: number,
): readonly string[] {
  if (tiers.length === 0) return [];
  const count = tiers.reduce((sum, { rules }) => sum + rules.length, 0);
  const title =
    direction === "ingress"
      ? "when it connects to other pods (their ingress)"
      : "when other pods connect to it (their egress)";
  let left = limit;
  const lines = tiers.flatMap((tier) => {
    const shown = tier.rules.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : tierText(tier, shown, style, ruleWithoutAction);
  });
  return ["", `  ${title}`, ...lines, ...moreText(count - limit, style)];
}

const ruleWithoutAction = (rule: RuleEffect["rule"]): string =>
  ruleText(rule).slice(actionWord(rule).length + 1);

function moreText(hidden: number, style: Style): readonly string[] {
  return hidden > 0 ? [style.dim(`${body}…and ${hidden} more (-v shows them, -o json has them all)`)] : [];
}

function tierText(
  { tier, isolation }: SubjectTier,
  rules: readonly RuleEffect[],
  style: Style,
  say: (rule: RuleEffect["rule"]) => string,
): readonly string[] {
  return [
    `    ${tier}`,
    ...rules.flatMap((entry) => ruleLines(entry, style, say)),
    ...(isolation === undefined ? [] : isolationLines(isolation.effect, style)),
  ];
}

function ruleLines(
  { rule, effect }: RuleEffect,
  style: Style,
  say: (rule: RuleEffect["rule"]) => string,
): readonly string[] {
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

function effectLines(effect: Fate, direction: Direction, style: Style): readonly string[] {
  switch (effect.kind) {
    case "decides":
      return [];
    case "may-decide":
      return [`${body}  may decide: that hangs on what is not known`];
    case "never":
      return [
        wrap(
          `${body}  `,
          `${style.unsure("never decides")}: ${whyNever(effect.takenBy, direction)}`,
          `${body}    `,
        ),
      ];
  }
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

function isolationLines(effect: Fate, style: Style): readonly string[] {
  switch (effect.kind) {
    case "decides":
      return [`${body}${style.bad("✗")} isolation denies what no rule of this tier matched`];
    case "may-decide":
      return [`${body}${style.unsure("?")} isolation may deny what no rule of this tier matched`];
    case "never":
      return [style.dim(`${body}· isolation: nothing is left for it to deny`)];
  }
}
