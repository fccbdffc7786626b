import { verdictWords } from "../../analysis/verdict-words.js";
import { formatPortRef } from "../../analysis/endpoints/endpoint-ref.js";
import type { ExplainedAnswer, ExplainedFlow, Explanation } from "../../analysis/explain/explain.js";
import type { OverallVerdict } from "../../analysis/explain/ask.js";
import type { PortSet } from "../../analysis/explain/port-verdicts.js";
import type { RuleTrace, TierTrace, WalkTrace } from "../../analysis/explain/trace.js";
import type { Verdict, WalkVerdict } from "../../evaluate/evaluate.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { caveatLines } from "../caveats.js";
import { actionWord, formatRule } from "../../policy/describe.js";
import type { PolicyRef, TierName } from "../../policy/model.js";
import { portRows } from "./port-rows.js";
import { isolatorText, isToBeOpened, placeText } from "./rule-text.js";
import { type Style, type TextOptions, wrap } from "../style.js";
import { portText } from "../wording.js";

const tierColumn = 17;
const body = " ".repeat(4 + tierColumn);

/** The answer first, then the reason, then the place, then what to do. */
export function explanationText(explanation: Explanation, { style, verbose = false }: TextOptions): string {
  const allowsSome = explanation.answers.some(({ ports }) => ports?.some((set) => set.verdict === "Allow"));
  const partly = explanation.verdict === "Mixed" && allowsSome;
  const mark = partly ? style.unsure("~ PARTLY ALLOWED") : verdictMark(explanation.verdict, style);
  // Of a Service, all ports are those that it maps.
  const asked = explanation.question.port;
  const ofService =
    asked.kind === "all" && explanation.answers.some(({ explained }) => explained !== undefined);
  const to = `${style.bold(explanation.to)}${ofService ? " on each of its ports" : formatPortRef(asked)}`;
  const head = wrap(`${mark}   `, `${style.bold(explanation.from)} → ${to}`, "    ");
  const several = explanation.answers.length > 1;
  const answers = explanation.answers.map((answer) =>
    [...(several ? ["", answerHeading(answer, style)] : []), ...answerText(answer, style, verbose)].join(
      "\n",
    ),
  );
  const caveats = caveatLines(explanation.caveats, style, verbose);
  return [head, ...caveats, ...answers, ...tierLegend(explanation, style)].join("\n");
}

/** What the names of tiers mean, for a reader who knows only NetworkPolicies; nothing where administrators set none. */
function tierLegend({ answers }: Explanation, style: Style): readonly string[] {
  const walks = answers.flatMap(({ explained }) =>
    explained === undefined ? [] : [explained.egress, explained.ingress],
  );
  const shown = new Set(walks.flatMap(({ tiers }) => tiers.map(({ tier }) => tier)));
  const parts = tierMeanings.flatMap(({ tiers, meaning }) => {
    const present = tiers.filter((tier) => shown.has(tier));
    return present.length === 0 ? [] : [`${present.join(", ")} (${meaning})`];
  });
  const hasTiersOfAdministrators = [...shown].some((tier) => tier !== "network-policy" && tier !== "foreign");
  if (!hasTiersOfAdministrators) return [];
  const text = `Tiers, in order: ${parts.join(", then ")}. The first that decides wins.`;
  return ["", style.dim(wrap("  ", text, "  "))];
}

const tierMeanings: readonly { readonly tiers: readonly TierName[]; readonly meaning: string }[] = [
  { tiers: ["foreign"], meaning: "not evaluated" },
  { tiers: ["guardrail", "guardrail-allow", "admin"], meaning: "set by administrators" },
  { tiers: ["network-policy"], meaning: "NetworkPolicies" },
  { tiers: ["baseline", "cluster-default"], meaning: "defaults of administrators" },
];

function verdictMark(verdict: OverallVerdict, style: Style): string {
  return {
    Allow: style.good("✓ ALLOWED"),
    Deny: style.bad("✗ DENIED"),
    Undecided: style.unsure("? UNDECIDED"),
    Mixed: style.unsure("~ IT DEPENDS"),
  }[verdict];
}

/** Which of the connections that the question means: the pods, and the address family. */
function answerHeading({ pair, explained }: ExplainedAnswer, style: Style): string {
  const family = pair.family === undefined ? "" : ` over IPv${pair.family}`;
  const port = explained === undefined ? "" : ` ${portText(explained.flow)}`;
  const mark = explained === undefined ? "" : `${verdictMark(explained.connection.verdict, style)}  `;
  const ends = `${formatEndpoint(pair.source)} → ${formatEndpoint(pair.destination)}`;
  return wrap("  ", `${mark}${ends}${port}${family}`, "    ");
}

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
  const way = trace.direction === "egress" ? "from" : "to";
  const title = `  ${trace.direction} ${way} ${formatEndpoint(trace.end)}`;
  const verdict = paintOf(walk.verdict, style)(verdictWords[walk.verdict]);
  const lines =
    title.length < 70
      ? [`${title.padEnd(70)} ${verdict}`]
      : [wrap("  ", title.trim(), "    "), `    ${verdict}`];
  const special = specialReason(walk);
  if (special !== undefined) lines.push(`    ${special}`);
  for (const tier of trace.tiers) lines.push(...tierText(tier, style, verbose));
  if (special === undefined && walk.decisions.every((decision) => decision.by.kind === "default"))
    lines.push(`    ${"default".padEnd(tierColumn)}${style.good("✓")} nothing denies it`);
  for (const condition of new Set(walk.decisions.flatMap((decision) => decision.conditions)))
    lines.push(wrap(body, `note: ${condition}`, `${body}  `));
  for (const fact of walk.missing) lines.push(wrap(body, `unknown: ${fact.text}`, `${body}  `));
  for (const note of walk.notes) lines.push(wrap(body, `note: ${note}`, `${body}  `));
  return lines;
}

const paintOf = (verdict: Verdict, { good, bad, unsure }: Style): Style["good"] =>
  ({ Allow: good, Deny: bad, Undecided: unsure })[verdict];

function specialReason({ decisions: [decision] }: WalkVerdict): string | undefined {
  switch (decision?.by.kind) {
    case "no-walk":
      return "no policies apply: it is not a pod with its own network";
    case "own-address":
      return "a pod always reaches itself";
    case "own-node":
      return "a node always reaches the pods that run on it";
    default:
      return undefined;
  }
}

/** The outcome of the tier on its first line, then the rules that were looked at and did not match. */
function tierText(trace: TierTrace, style: Style, verbose: boolean): readonly string[] {
  const [first, ...more] = outcomeLines(trace, style);
  const missed = trace.tier === "foreign" ? foreignLines : missLines;
  const misses = trace.outcome === "not-reached" ? [] : missed(trace, style, verbose);
  return [
    wrap(`    ${trace.tier.padEnd(tierColumn)}`, first!, `${body}  `),
    ...more.map((line) => wrap(`${body}  `, line, `${body}  `)),
    ...misses.map((line) => wrap(body, line, `${body}    `)),
  ];
}

function outcomeLines(trace: TierTrace, style: Style): readonly string[] {
  if (trace.outcome === "not-reached") return [style.dim(notReached(trace))];
  const decisive = trace.rules.find((rule) => rule.result === "matches");
  if (decisive !== undefined && trace.outcome !== "undecided") return decisiveLines(decisive, trace, style);
  if (trace.outcome === "undecided") return [`${style.unsure("?")} it depends on missing information`];
  if (trace.isolation.length === 0) return [style.dim("no rule matches → next tier")];
  const isolators = trace.isolation.map(({ origin }) => isolatorText(origin));
  return [`${style.bad("✗")} no rule allows it, and the pod is isolated by`, ...isolators];
}

function notReached(trace: TierTrace): string {
  const late = trace.rules.find((rule) => rule.result === "would-match" || rule.result === "may-match");
  if (late === undefined) return "not reached";
  const verb = late.result === "may-match" ? "might have" : "would have";
  const done = { Allow: "allowed", Deny: "denied", Pass: "passed" }[late.rule.action];
  return `not reached; ${formatRule(late.rule.origin)} ${verb} ${done} it`;
}

function decisiveLines({ rule, why }: RuleTrace, tier: TierTrace, style: Style): readonly string[] {
  const mark = { Allow: style.good("✓"), Deny: style.bad("✗"), Pass: "↓" }[rule.action];
  const verb = { Allow: "allows it", Deny: "denies it", Pass: "passes it to the next tier" }[rule.action];
  const late = tier.rules.filter((other) => other.result === "would-match");
  const skipped = late.length === 1 ? formatRule(late[0]!.rule.origin) : `${late.length} rules that match`;
  const place = rule.origin.place();
  return [
    `${mark} ${formatRule(rule.origin)} ${verb}${rule.action === "Pass" && late.length > 0 ? `, skipping ${skipped}` : ""}`,
    ...(isToBeOpened(place) ? [style.dim(`${place.file}:${place.line}`)] : []),
    ...(why === undefined ? [] : [why]),
  ];
}

/** How many rules that do not match are explained, of one policy and of a whole tier, before the rest is counted. */
const shownRules = 3;
const shownInTier = 6;

function missLines({ rules }: TierTrace, style: Style, verbose: boolean): readonly string[] {
  const decisive = rules.findIndex((rule) => rule.result === "matches");
  const missed = decisive === -1 ? rules : rules.slice(0, decisive);
  const shown = new Map<PolicyRef, number>();
  const lines: string[] = [];
  for (const trace of missed) {
    const { policy } = trace.rule.origin;
    const count = (shown.get(policy) ?? 0) + 1;
    shown.set(policy, count);
    const fits = count <= shownRules && lines.length < shownInTier;
    if (verbose || fits || trace.result === "may-match") lines.push(missText(trace, style));
  }
  const hidden = verbose ? 0 : missed.length - lines.length;
  if (hidden > 0)
    lines.push(
      style.dim(`· ${hidden} more ${hidden === 1 ? "rule does" : "rules do"} not match (-v shows them)`),
    );
  return lines;
}

/** S9.3: what is not evaluated, and may decide. */
function foreignLines({ rules }: TierTrace, style: Style, verbose: boolean): readonly string[] {
  const texts = rules.flatMap((trace) => (trace.result === "may-match" ? missText(trace, style) : []));
  const open = [...new Set(texts)];
  const hidden = verbose ? 0 : Math.max(0, open.length - shownInTier);
  return [
    ...open.slice(0, open.length - hidden),
    ...(hidden > 0 ? [style.dim(`· ${hidden} more may match (-v shows them)`)] : []),
  ];
}

function missText(trace: RuleTrace, style: Style): string {
  const text = formatRule(trace.rule.origin);
  if (trace.result === "may-match")
    return `${style.unsure("?")} ${text} may ${actionWord(trace.rule)} it${placeText(trace.rule.origin.place())}`;
  return style.dim(`· ${text}: ${trace.why ?? "does not match"}`);
}

function closing({ connection, egress, ingress }: ExplainedFlow): readonly string[] {
  const nearest = (connection.egress.verdict === "Deny" ? egress : ingress).nearestAllow;
  if (nearest === undefined) return [];
  const failing =
    nearest.fails.length === 0
      ? "is evaluated too late"
      : `matches except for the ${nearest.fails.join(" and the ")}`;
  const { origin } = nearest.rule;
  const text = `Nearest allow: ${formatRule(origin)}${placeText(origin.place())} ${failing}: ${nearest.why}.`;
  return ["", wrap("  ", text, "  ")];
}

/** Ports that get the same verdict for the same reason on one line, allowed ones first. */
function portTable(sets: readonly PortSet[], style: Style): readonly string[] {
  const notes = sets.flatMap(({ connection }) => [...connection.egress.notes, ...connection.ingress.notes]);
  const noteLines = [...new Set(notes)].map((note) => wrap("  ", `note: ${note}`, "      "));
  const lines = portRows(sets).flatMap(({ verdict, ports, reason }) => {
    const mark = { Allow: "✓", Deny: "✗", Undecided: "?" }[verdict];
    const said = paintOf(verdict, style)(`${mark} ${verdictWords[verdict]}`);
    return [wrap("  ", `${said}  ${ports}`, "      "), wrap("      ", reason, "      ")];
  });
  return [...lines, ...noteLines];
}
