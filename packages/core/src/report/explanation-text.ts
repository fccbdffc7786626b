import { formatPortRef } from "../analysis/endpoint-ref.js";
import type { ExplainedAnswer, ExplainedFlow, Explanation } from "../analysis/explain.js";
import type { OverallVerdict } from "../analysis/ask.js";
import type { PortSet } from "../analysis/port-sets.js";
import type { PolicyTrace, RuleTrace, TierTrace, WalkTrace } from "../analysis/trace.js";
import type { Place } from "../diagnostics/place.js";
import type { WalkVerdict } from "../evaluate/evaluate.js";
import { formatEndpoint } from "../evaluate/flow.js";
import type { Decision } from "../evaluate/walk.js";
import { formatPolicy, type IsolationOrigin, type RuleOrigin } from "../policy/model.js";
import { portRanges } from "./explanation-json.js";
import { type Style, wrap } from "./style.js";

const tierColumn = 19;
const body = " ".repeat(4 + tierColumn);

export interface TextOptions {
  readonly style: Style;
  /** Every rule of every policy; otherwise a few of each. */
  readonly verbose?: boolean;
}

/** The answer first, then the reason, then the place, then what to do. */
export function explanationText(explanation: Explanation, { style, verbose = false }: TextOptions): string {
  const head = `${verdictMark(explanation.verdict, style)}   ${style.bold(explanation.from)} → ${style.bold(explanation.to)}${formatPortRef(explanation.question.port)}`;
  const several = explanation.answers.length > 1;
  const answers = explanation.answers.map((answer) =>
    [...(several ? ["", answerHeading(answer, style)] : []), ...answerText(answer, style, verbose)].join(
      "\n",
    ),
  );
  return [head, ...answers].join("\n");
}

function verdictMark(verdict: OverallVerdict, style: Style): string {
  switch (verdict) {
    case "Allow":
      return style.good("✓ ALLOWED");
    case "Deny":
      return style.bad("✗ DENIED");
    case "Undecided":
      return style.unsure("? UNDECIDED");
    case "Mixed":
      return style.unsure("~ IT DEPENDS");
  }
}

/** Which of the connections that the question means: the pods, and the address family. */
function answerHeading({ pair, explained }: ExplainedAnswer, style: Style): string {
  const family = pair.family === undefined ? "" : ` over IPv${pair.family}`;
  const port = explained === undefined ? "" : portOf(explained);
  return `  ${explained === undefined ? "" : `${verdictMark(explained.connection.verdict, style)}  `}${formatEndpoint(pair.source)} → ${formatEndpoint(pair.destination)}${port}${family}`;
}

const portOf = ({ flow }: ExplainedFlow): string =>
  flow.protocol === "ICMP" ? " ICMP" : ` :${flow.port}/${flow.protocol}`;

function answerText(
  { explained, ports }: ExplainedAnswer,
  style: Style,
  verbose: boolean,
): readonly string[] {
  if (explained === undefined) return ["", ...portTable(ports ?? [], style)];
  const { connection, egress, ingress } = explained;
  return [
    "",
    ...walkText(connection.egress, egress, style, verbose),
    "",
    ...walkText(connection.ingress, ingress, style, verbose),
    ...closing(explained),
  ];
}

function walkText(walk: WalkVerdict, trace: WalkTrace, style: Style, verbose: boolean): readonly string[] {
  const what = trace.direction === "egress" ? "leaving" : "entering";
  const title = `  ${what} ${formatEndpoint(trace.end)} (${trace.direction})`;
  const lines = [`${title.padEnd(65)}${verdictWord(walk.verdict, style)}`];
  const special = specialReason(walk);
  if (special !== undefined) lines.push(`    ${special}`);
  for (const tier of trace.tiers) lines.push(...tierText(tier, style, verbose));
  if (special === undefined && walk.decisions.every((decision) => decision.by.kind === "default"))
    lines.push(`    ${"default".padEnd(tierColumn)}${style.good("✓")} nothing denies it`);
  for (const condition of new Set(walk.decisions.flatMap((decision) => decision.conditions)))
    lines.push(wrap(body, `note: ${condition}`, `${body}  `));
  for (const fact of walk.missing) lines.push(wrap(body, `not known: ${fact.text}`, `${body}  `));
  for (const note of walk.notes) lines.push(wrap(body, `note: ${note}`, `${body}  `));
  return lines;
}

function verdictWord(verdict: WalkVerdict["verdict"], style: Style): string {
  return verdict === "Allow"
    ? style.good("allowed")
    : verdict === "Deny"
      ? style.bad("denied")
      : style.unsure("undecided");
}

function specialReason({ decisions: [decision] }: WalkVerdict): string | undefined {
  switch (decision?.by.kind) {
    case "no-walk":
      return "no policies apply at this end: it is not a pod with its own network";
    case "own-address":
      return "a pod always reaches itself";
    case "own-node":
      return "a node always reaches the pods that run on it";
    default:
      return undefined;
  }
}

function tierText(trace: TierTrace, style: Style, verbose: boolean): readonly string[] {
  const entries = entriesOf(trace, style, verbose);
  return entries.map((entry, i) => {
    const column = i === 0 ? trace.tier.padEnd(tierColumn) : " ".repeat(tierColumn);
    return wrap(`    ${column}`, entry, `${body}  `);
  });
}

function entriesOf(trace: TierTrace, style: Style, verbose: boolean): readonly string[] {
  if (trace.outcome === "not-reached") return [notReached(trace, style)];
  const entries = trace.policies.flatMap((policy) => policyText(policy, trace, style, verbose));
  const matched = trace.policies.some((policy) => policy.rules.some((rule) => rule.result === "matches"));
  if (!matched && trace.isolation.length > 0) {
    const by = trace.isolation.map(({ origin }) => isolatorText(origin)).join(", ");
    entries.push(`${style.bad("✗")} no rule allows it, and the pod is isolated by ${by}`);
  }
  if (trace.outcome === "next") entries.push(style.dim("no rule matches → next tier"));
  return entries;
}

function notReached({ policies }: TierTrace, style: Style): string {
  const late = policies
    .flatMap((policy) => policy.rules)
    .find((rule) => rule.result === "would-match" || rule.result === "may-match");
  if (late === undefined) return style.dim("not reached");
  const verb = late.result === "may-match" ? "might have" : "would have";
  const done = late.rule.action === "Allow" ? "allowed" : late.rule.action === "Deny" ? "denied" : "passed";
  return style.dim(`not reached; ${ruleText(late.rule.origin)} ${verb} ${done} it`);
}

/** How many rules that do not match are explained before the rest is counted. */
const shownRules = 4;

function policyText(
  { policy, rules }: PolicyTrace,
  tier: TierTrace,
  style: Style,
  verbose: boolean,
): readonly string[] {
  const decisive = rules.find((rule) => rule.result === "matches");
  const before = decisive === undefined ? rules : rules.slice(0, rules.indexOf(decisive));
  const telling = before.filter((rule) => rule.result !== "would-match");
  const shown = verbose ? telling : telling.slice(0, shownRules);
  const hidden = telling.length - shown.length;
  const lines = [
    ...shown.map((rule) => missText(rule, style)),
    ...(hidden > 0
      ? [style.dim(`· ${formatPolicy(policy)}: ${hidden} more rules do not match (-v shows them)`)]
      : []),
  ];
  if (decisive !== undefined) lines.push(decisiveText(decisive, tier, style));
  return lines;
}

function missText(trace: RuleTrace, style: Style): string {
  const text = `${ruleText(trace.rule.origin)}${placeText(trace.rule.origin.place())}`;
  if (trace.result === "may-match")
    return `${style.unsure("?")} ${text} may ${trace.rule.action.toLowerCase()} it`;
  return style.dim(`· ${text}: ${trace.why ?? "does not match"}`);
}

function decisiveText({ rule, why }: RuleTrace, tier: TierTrace, style: Style): string {
  const mark = rule.action === "Allow" ? style.good("✓") : rule.action === "Deny" ? style.bad("✗") : "↓";
  const verb =
    rule.action === "Allow"
      ? "allows it"
      : rule.action === "Deny"
        ? "denies it"
        : "passes it on to the next tier";
  const late = tier.policies
    .flatMap((policy) => policy.rules)
    .filter((other) => other.result === "would-match");
  const skipped =
    rule.action === "Pass" && late.length > 0
      ? `, past ${late.length === 1 ? ruleText(late[0]!.rule.origin) : `${late.length} rules that match`}`
      : "";
  return `${mark} ${ruleText(rule.origin)} ${verb}${skipped}${placeText(rule.origin.place())}${why === undefined ? "" : ` (${why})`}`;
}

/** `ClusterNetworkPolicy guard rule 3 "no-other-tenants"`; people count rules from one. */
function ruleText(origin: RuleOrigin): string {
  const section = /(ingressDeny|egressDeny)\[/.exec(origin.path)?.[1];
  return `${formatPolicy(origin.policy)} ${section === undefined ? "" : `${section} `}rule ${origin.index + 1}${origin.name === undefined ? "" : ` "${origin.name}"`}`;
}

function isolatorText(origin: IsolationOrigin): string {
  return origin.kind === "policy"
    ? `${formatPolicy(origin.policy)}${placeText(origin.policy.place())}`
    : origin.option;
}

function placeText(place: Place | undefined): string {
  return place === undefined ? "" : ` · ${place.file}:${place.line}`;
}

function closing({ connection, egress, ingress }: ExplainedFlow): readonly string[] {
  const denied =
    connection.egress.verdict === "Deny"
      ? egress
      : connection.ingress.verdict === "Deny"
        ? ingress
        : undefined;
  const nearest = denied?.nearestAllow;
  if (nearest === undefined) return [];
  const failing =
    nearest.fails.length === 0 ? "comes too late" : `fits but for the ${nearest.fails.join(" and the ")}`;
  return [
    "",
    wrap(
      "  ",
      `Nearest allow: ${ruleText(nearest.rule.origin)}${placeText(nearest.rule.origin.place())} ${failing}: ${nearest.why}.`,
      "  ",
    ),
  ];
}

function portTable(sets: readonly PortSet[], style: Style): readonly string[] {
  const order = { Allow: 0, Undecided: 1, Deny: 2 };
  const sorted = sets.toSorted((a, b) => order[a.verdict] - order[b.verdict]);
  return sorted.flatMap(({ protocol, ranges, verdict, connection }) => {
    const ports = protocol === "ICMP" ? "ICMP" : `${protocol} ${portRanges(ranges)}`;
    const denied =
      connection.egress.verdict === "Deny"
        ? connection.egress
        : connection.ingress.verdict === "Deny"
          ? connection.ingress
          : undefined;
    const walks = denied === undefined ? [connection.egress, connection.ingress] : [denied];
    const reasons = [...new Set(walks.flatMap((walk) => walk.decisions.map(deciderText)))];
    const telling = reasons.length > 1 ? reasons.filter((reason) => reason !== "default") : reasons;
    const mark =
      verdict === "Allow"
        ? style.good("✓ allowed")
        : verdict === "Deny"
          ? style.bad("✗ denied")
          : style.unsure("? undecided");
    return [`  ${mark}  ${ports}`, wrap("      ", telling.join("; "), "      ")];
  });
}

function deciderText({ by }: Decision): string {
  switch (by.kind) {
    case "rule":
      return `${ruleText(by.rule.origin)}${placeText(by.rule.origin.place())}`;
    case "isolation":
      return `isolated by ${by.isolation.map(({ origin }) => isolatorText(origin)).join(", ")}`;
    case "own-address":
      return "a pod always reaches itself";
    case "own-node":
      return "a node always reaches the pods that run on it";
    case "default":
    case "no-walk":
      return "default";
  }
}
