import type { ChangedConnections } from "../analysis/consequences/changed-connections.js";
import type { Consequences } from "../analysis/consequences/consequences.js";
import type { WorkloadsWithout } from "../analysis/consequences/lost-workloads.js";
import { formatParty, partyOf } from "../analysis/endpoints/party.js";
import type { Ambiguity, Overruling, Precedence } from "../analysis/preview/precedence.js";
import { Reader } from "../analysis/endpoints/reader.js";
import { type Endpoint, type Flow, formatEndpoint } from "../evaluate/flow.js";
import { formatRule } from "../policy/describe.js";
import { formatPolicy, type PolicyRef } from "../policy/model.js";
import { counted, portText } from "./wording.js";

/*
 * What an edit does, one line per consequence, as `kubectl` prints it after `Warning: `. A user who runs `kubectl apply` and
 * does not know Tierwall must understand each line.
 */

export interface EditWarning {
  readonly about: WarningTopic;
  readonly text: string;
}

/** The most important first, where warnings of several kinds are shown together. */
export const warningOrder = [
  "guarantee",
  "lockout",
  "denied",
  "overrides",
  "overridden",
  "ambiguous",
  "undecided",
  "allowed",
] as const;
export type WarningTopic = (typeof warningOrder)[number];

/** What the reader may not see is counted, but not named. */
export function consequenceWarnings(
  { denied, allowed, unsure, lost }: Consequences,
  reader: Reader = new Reader(),
): readonly EditWarning[] {
  const counts = (about: WarningTopic, found: ChangedConnections | undefined, one: string, many: string) =>
    found === undefined ? [] : [{ about, text: countedText(found, one, many, reader) }];
  return [
    ...lost.map((one): EditWarning => ({ about: "lockout", text: lostText(one, reader) })),
    ...counts("denied", denied, "that works today becomes denied", "that work today become denied"),
    ...counts(
      "undecided",
      unsure,
      "that works today may become denied, depending on missing information",
      "that work today may become denied, depending on missing information",
    ),
    ...counts(
      "allowed",
      allowed,
      "that is denied today becomes allowed",
      "that are denied today become allowed",
    ),
  ];
}

export function precedenceWarnings(
  { overrides, overriddenBy, ambiguous }: Precedence,
  applied: PolicyRef,
  reader: Reader = new Reader(),
): readonly EditWarning[] {
  const [allows, denies] = [
    overrides.filter(({ intent }) => intent === "allows"),
    overrides.filter(({ intent }) => intent !== "allows"),
  ];
  const first = ambiguous.find((one) => reader.mayRead(otherOf(one, applied))) ?? ambiguous[0];
  const others = new Set(ambiguous.map((one) => otherOf(one, applied)));
  return [
    ...[allows, denies].flatMap((some) => overridesText(some, reader)),
    ...overriddenText(overriddenBy, reader),
    ...(first === undefined
      ? []
      : [{ about: "ambiguous", text: ambiguityText(first, applied, others.size, reader) } as const]),
  ];
}

function countedText(
  { connections, workloads, hidden, example }: ChangedConnections,
  one: string,
  many: string,
  reader: Reader,
): string {
  const what = `${counted(connections, "connection")} ${connections === 1 ? one : many} (${counted(workloads, "workload")})`;
  const shown = example === undefined ? "" : `, for example ${connectionText(example, reader)}`;
  if (hidden === 0) return `${what}${shown}`;
  const all = connections === 1 ? "it involves" : "all of them involve";
  const some = `${hidden} of them ${hidden === 1 ? "involves" : "involve"}`;
  return `${what}${shown}; ${hidden === connections ? all : some} pods or nodes that you cannot read`;
}

function lostText(
  { lifeline, workloads, hidden, server, protocol, port }: WorkloadsWithout,
  reader: Reader,
): string {
  const count = workloads.length + hidden;
  const where = reader.maySee(server) ? endText(server, reader) : "the server";
  const [first] = workloads;
  const shown = first === undefined ? "" : `, for example ${formatParty(first)}`;
  const rest = hidden === 0 ? "" : `, ${hidden === count ? "none" : workloads.length} of which you can read`;
  return `${lifeline}: ${counted(count, "workload")} ${count === 1 ? "loses" : "lose"} ${where} :${port}/${protocol}${shown}${rest}; allow it first`;
}

function overridesText(some: readonly Overruling[], reader: Reader): readonly EditWarning[] {
  if (some.length === 0) return [];
  const first = mostReadable(some, ({ policy }) => policy, reader);
  const { intent, example, rule } = first ?? some[0]!;
  const does = rule.action === "Allow" ? "allows" : "denies";
  const named = policiesText(
    some.map((one) => one.policy),
    first?.policy,
    formatPolicy,
    reader,
  );
  const what = connectionOr("connections", example, reader);
  const isMany = first === undefined && new Set(some.map(({ policy }) => policy)).size > 1;
  const which = isMany ? `which they ${pluralIntents[intent]}` : `which it ${intents[intent]}`;
  return [{ about: "overrides", text: `overrides ${named}: ${does} ${what}, ${which}` }];
}

function overriddenText(some: readonly Overruling[], reader: Reader): readonly EditWarning[] {
  if (some.length === 0) return [];
  const first = mostReadable(some, ({ rule }) => rule.origin.policy, reader);
  const { intent, example, rule } = first ?? some[0]!;
  const does = rule.action === "Allow" ? "allows" : "denies";
  const named = policiesText(
    some.map((one) => one.rule.origin.policy),
    first?.rule.origin.policy,
    () => formatRule(rule.origin),
    reader,
  );
  const what = connectionOr("connections", example, reader);
  return [
    {
      about: "overridden",
      text: `is overridden by ${named}: that ${does} ${what}, which this policy ${intents[intent]}`,
    },
  ];
}

/** One whose policy can be read, preferably with an example that can be seen. */
function mostReadable(
  some: readonly Overruling[],
  policyOf: (one: Overruling) => PolicyRef,
  reader: Reader,
): Overruling | undefined {
  const readable = some.filter((one) => reader.mayRead(policyOf(one)));
  return readable.find(({ example }) => isSeen(example, reader)) ?? readable[0];
}

/** `NetworkPolicy shop/web and 3 more`, or how many there are that cannot be read. */
function policiesText(
  policies: readonly PolicyRef[],
  first: PolicyRef | undefined,
  format: (policy: PolicyRef) => string,
  reader: Reader,
): string {
  const all = new Set(policies);
  if (first === undefined)
    return `${all.size === 1 ? "a policy" : `${all.size} policies`} that you cannot read`;
  const hidden = [...all].filter((policy) => !reader.mayRead(policy)).length;
  const others = all.size - 1 - hidden;
  const more = others === 0 ? "" : ` and ${others} more`;
  const unread = hidden === 0 ? "" : ` and ${hidden} that you cannot read`;
  return `${format(first)}${more}${unread}`;
}

const intents: Readonly<Record<Overruling["intent"], string>> = {
  allows: "allows",
  denies: "denies",
  isolates: "isolates from",
};
const pluralIntents: typeof intents = { allows: "allow", denies: "deny", isolates: "isolate from" };

const otherOf = ({ first, second }: Ambiguity, applied: PolicyRef): PolicyRef =>
  first === applied ? second : first;

function ambiguityText(ambiguity: Ambiguity, applied: PolicyRef, others: number, reader: Reader): string {
  const { direction, example, tier } = ambiguity;
  const other = otherOf(ambiguity, applied);
  const isSameApi = other.dialect === applied.dialect;
  const what = isSameApi ? `priority ${applied.priority ?? ""}`.trim() : `this place in tier ${tier}`;
  const first = reader.mayRead(other)
    ? isSameApi
      ? other.name
      : formatPolicy(other)
    : "a policy that you cannot read";
  const named = `${first}${others > 1 ? ` and ${others - 1} more` : ""}`;
  const order = isSameApi ? "name" : "API";
  if (!isSeen(example, reader))
    return `${what} is shared with ${named}, which disagrees; order is by ${order}`;
  const [subject, peer] =
    direction === "ingress" ? [example.destination, example.source] : [example.source, example.destination];
  const way = direction === "ingress" ? "from" : "to";
  return `${what} is shared with ${named}; both select ${endText(subject, reader)} and disagree on ${portText(example)} ${way} ${endText(peer, reader)}; order is by ${order}`;
}

const isSeen = ({ source, destination }: Flow, reader: Reader): boolean =>
  reader.maySee(source) && reader.maySee(destination);

/** The connection, unless neither of its pods may be named. */
function connectionOr(otherwise: string, flow: Flow, reader: Reader): string {
  const ends = [flow.source, flow.destination].filter(({ kind }) => kind !== "external");
  return ends.some((end) => reader.maySee(end)) ? connectionText(flow, reader) : otherwise;
}

/** `shop/web → shop/api :80/TCP over IPv6`, by workload: names of pods are generated. */
function connectionText(flow: Flow, reader: Reader): string {
  const over = flow.family === 6 ? " over IPv6" : "";
  // The port on which a pod listens is as secret as its name.
  const port = reader.maySee(flow.destination) ? ` ${portText(flow)}` : "";
  return `${endText(flow.source, reader)} → ${endText(flow.destination, reader)}${port}${over}`;
}

function endText(end: Endpoint, reader: Reader): string {
  if (!reader.maySee(end)) return `a ${end.kind} that you cannot read`;
  if (end.kind !== "external") return formatParty(partyOf(end, "workload"));
  // The first of all addresses represents any address.
  return end.address.value === 0n ? "external addresses" : formatEndpoint(end);
}
