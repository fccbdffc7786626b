import { verdictWords } from "../../analysis/verdict-words.js";
import { grouped } from "../../collections/maps.js";
import { formatParty, partyOf } from "../../analysis/endpoints/party.js";
import type { FlowGroup } from "../../analysis/replay/flow-groups.js";
import { skipReasons } from "../../analysis/replay/observation.js";
import { unknownReasons } from "../../analysis/replay/observed-endpoints.js";
import type { Replayed } from "../../analysis/replay/replay.js";
import type { FlowExplanation } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { formatAddress } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import { deciderText } from "../explanation/rule-text.js";
import { type Style, type TextOptions, wrap } from "../style.js";
import { numberText, portText } from "../wording.js";

/** How many rules are shown, how many connections of each, and how many unknown endpoints are named. */
const shownRules = 8;
const shownFlows = 4;
const shownUnknown = 3;

/** Counts first, then the connections by the rule that decides, then what was not evaluated and why. */
export function replayText(replayed: Replayed, { style, verbose = false }: TextOptions): string {
  const list = (groups: readonly FlowGroup[], reason: (group: FlowGroup) => string) =>
    listText(groups, reason, style, verbose);
  const { changed, undecided, disagreements, dropped } = replayed;
  const main =
    changed === undefined
      ? list(dropped, ({ after }) => reasonText(after, "Deny"))
      : list(changed, changeText);
  return [
    headline(replayed, style),
    ...main,
    ...section("undecided: information is missing", undecided, style),
    ...list(undecided, ({ after }) => reasonText(after, "Undecided")),
    ...section("differs from what was observed: was this state in force?", disagreements, style),
    ...list(disagreements, disagreementText),
    ...notEvaluated(replayed, style, verbose),
  ].join("\n");
}

function headline({ evaluated, verdicts, changed, unknown, broken }: Replayed, style: Style): string {
  const unread = broken + unknown.reduce((total, { count }) => total + count, 0);
  const of = `of ${numberText(evaluated)} ${evaluated === 1 ? "flow" : "flows"}`;
  if (changed !== undefined) {
    const count = sum(changed);
    const denied = sum(changed.filter(({ after }) => after.verdict === "Deny"));
    const allowed = sum(changed.filter(({ after }) => after.verdict === "Allow"));
    if (count === 0 && (evaluated === 0 || verdicts.Undecided + unread > 0))
      return `${style.unsure("? NO KNOWN CHANGE")}   ${of}${openText(verdicts.Undecided, unread)}`;
    if (count === 0) return `${style.good("✓ NO CHANGE")}   ${of}`;
    const parts = [
      ...(denied > 0 ? [`${numberText(denied)} would be dropped`] : []),
      ...(allowed > 0 ? [`${numberText(allowed)} would be allowed`] : []),
      ...(count > denied + allowed ? [`${numberText(count - denied - allowed)} would be undecided`] : []),
    ];
    const mark = denied > 0 ? style.bad("✗ CHANGES") : style.unsure("~ CHANGES");
    return `${mark}   ${numberText(count)} ${of}: ${parts.join(", ")}`;
  }
  if (verdicts.Deny > 0) return `${style.bad("✗ DROPPED")}   ${numberText(verdicts.Deny)} ${of}`;
  return evaluated === 0 || verdicts.Undecided + unread > 0
    ? `${style.unsure("? NONE KNOWN TO BE DROPPED")}   ${of}${openText(verdicts.Undecided, unread)}`
    : `${style.good("✓ NOTHING DROPPED")}   ${of}`;
}

/** What a headline must not hide: `: 3 undecided, 2 not evaluated`. */
function openText(undecided: number, unread: number): string {
  const parts = [
    ...(undecided > 0 ? [`${numberText(undecided)} undecided`] : []),
    ...(unread > 0 ? [`${numberText(unread)} not evaluated`] : []),
  ];
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

const sum = (groups: readonly FlowGroup[]): number => groups.reduce((total, { count }) => total + count, 0);

function section(title: string, groups: readonly FlowGroup[], style: Style): readonly string[] {
  return groups.length === 0 ? [] : ["", style.bold(`${title} (${numberText(sum(groups))})`)];
}

/** By reason, the most frequent first. */
function listText(
  groups: readonly FlowGroup[],
  reason: (group: FlowGroup) => string,
  style: Style,
  verbose: boolean,
): readonly string[] {
  const byReason = grouped(groups, reason);
  const sorted = [...byReason].toSorted(([, a], [, b]) => sum(b) - sum(a));
  const shown = verbose ? sorted : sorted.slice(0, shownRules);
  const hidden = sorted.slice(shown.length).flatMap(([, some]) => some);
  return [
    ...shown.flatMap(([text, some]) => [
      "",
      wrap("  ", text, "      "),
      ...flowLines(some, verbose ? Infinity : shownFlows, style),
    ]),
    ...(hidden.length === 0
      ? []
      : [
          "",
          style.dim(
            `  …and ${numberText(sum(hidden))} more, for ${sorted.length - shown.length} other reasons (-v shows them)`,
          ),
        ]),
  ];
}

function flowLines(groups: readonly FlowGroup[], most: number, style: Style): readonly string[] {
  const shown = groups.filter(({ isRest }) => isRest !== true).slice(0, most);
  const hidden = groups.filter((group) => !shown.includes(group));
  const width = Math.max(...shown.map(({ count }) => numberText(count).length));
  const others = hidden.some(({ isRest }) => isRest === true) ? "many" : hidden.length;
  return [
    ...shown.map((group) => `    ${numberText(group.count).padStart(width)}  ${flowText(group)}`),
    ...(hidden.length === 0
      ? []
      : [
          style.dim(
            `    …and ${numberText(sum(hidden))} more between ${others} other endpoints (-v shows more)`,
          ),
        ]),
  ];
}

function flowText({ flow, severalAddresses }: FlowGroup): string {
  const end = (of: Endpoint) =>
    of.kind === "external"
      ? `${formatAddress(of.address)}${severalAddresses ? " and similar addresses" : ""}`
      : formatParty(partyOf(of, "workload"));
  return `${end(flow.source)} → ${end(flow.destination)} ${portText(flow)}`;
}

/** `denied on ingress: NetworkPolicy …`; egress first, unless a direction is given. */
function reasonText(explanation: FlowExplanation, verdict: "Deny" | "Undecided", asked?: Direction): string {
  const word = verdictWords[verdict];
  const isIt = (side: Direction) => explanation[side].verdict === verdict;
  const side = asked ?? (["egress", "ingress"] as const).find(isIt);
  if (side === undefined) return `${word} by both endpoints together`;
  const deciders = [...new Set(explanation[side].deciders.map(deciderText))].join(", or ");
  return `${word} on ${side}: ${deciders}`;
}

/** A flow that becomes allowed is explained by what denied it before. */
function changeText({ before, after }: FlowGroup): string {
  if (after.verdict !== "Allow")
    return `${verdictWords[before.verdict]} → ${reasonText(after, after.verdict)}`;
  return before.verdict === "Allow" ? "allowed" : `allowed; was ${reasonText(before, before.verdict)}`;
}

function disagreementText({ before, seen }: FlowGroup): string {
  const where = seen?.direction === undefined ? "" : ` on ${seen.direction}`;
  return seen?.verdict === "Allow"
    ? `was forwarded, but is ${reasonText(before, "Deny", seen.direction)}`
    : `was dropped${where}, but no policy denies it`;
}

function notEvaluated(
  { skipped, unknown, broken }: Replayed,
  style: Style,
  verbose: boolean,
): readonly string[] {
  const lines = [...skipped].map(([why, count]) => `${skipReasons[why]}: ${numberText(count)}`);
  for (const [why, ends] of grouped(unknown, ({ why }) => why)) {
    const total = ends.reduce((all, { count }) => all + count, 0);
    const named = ends
      .slice(0, verbose ? Infinity : shownUnknown)
      .map(({ who, count }) => `${who} (${numberText(count)})`);
    const more = ends.length > named.length ? `, and ${ends.length - named.length} more` : "";
    lines.push(`${unknownReasons[why]}: ${numberText(total)}, ${named.join(", ")}${more}`);
  }
  if (broken > 0) lines.push(`lines that cannot be read: ${numberText(broken)}`);
  return lines.length === 0
    ? []
    : ["", style.bold("not evaluated"), ...lines.map((line) => wrap("  ", line, "      "))];
}
