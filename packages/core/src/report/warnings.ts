import type { ChangedConnections } from "../analysis/consequences/changed-connections.js";
import type { Consequences } from "../analysis/consequences/consequences.js";
import type { LostLifeline } from "../analysis/consequences/lost-lifelines.js";
import { formatParty, partyOf } from "../analysis/party.js";
import type { Ambiguity, Overruling, Precedence } from "../analysis/preview/precedence.js";
import { type Endpoint, type Flow, formatEndpoint } from "../evaluate/flow.js";
import { formatRule } from "../policy/describe.js";
import { formatPolicy, type PolicyRef } from "../policy/model.js";
import { counted } from "./changes-words.js";

/*
 * What an edit does, a line each, as `kubectl` prints it behind `Warning: `. The line has to be understood by somebody who
 * has just typed `kubectl apply` and knows nothing of us.
 */

export type WarningTopic =
  | "lockout"
  | "denied"
  | "overrides"
  | "overridden"
  | "ambiguous"
  | "undecided"
  | "allowed";

export interface EditWarning {
  readonly about: WarningTopic;
  readonly text: string;
}

/** What matters most comes first, wherever warnings of several kinds are shown together. */
export const warningOrder: readonly WarningTopic[] = [
  "lockout",
  "denied",
  "overrides",
  "overridden",
  "ambiguous",
  "undecided",
  "allowed",
];

export function consequenceWarnings({ denied, allowed, unsure, lost }: Consequences): readonly EditWarning[] {
  const counts = (about: WarningTopic, found: ChangedConnections | undefined, one: string, many: string) =>
    found === undefined ? [] : [{ about, text: countedText(found, one, many) }];
  return [
    ...lost.map((one): EditWarning => ({ about: "lockout", text: lostText(one) })),
    ...counts("denied", denied, "that works today becomes denied", "that work today become denied"),
    ...counts(
      "undecided",
      unsure,
      "that works today may become denied, which hangs on what is not known",
      "that work today may become denied, which hangs on what is not known",
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
): readonly EditWarning[] {
  const [allows, denies] = [
    overrides.filter(({ intent }) => intent === "allows"),
    overrides.filter(({ intent }) => intent !== "allows"),
  ];
  return [
    ...[allows, denies].flatMap((some) => overridesText(some)),
    ...overriddenText(overriddenBy),
    ...ambiguous.slice(0, 1).map((one): EditWarning => {
      const others = new Set(ambiguous.map((each) => otherOf(each, applied)));
      return { about: "ambiguous", text: ambiguityText(one, applied, others.size) };
    }),
  ];
}

function countedText(
  { connections, workloads, example }: ChangedConnections,
  one: string,
  many: string,
): string {
  const what = `${counted(connections, "connection")} ${connections === 1 ? one : many}`;
  return `${what} (${counted(workloads, "workload")}), for example ${connectionText(example)}`;
}

function lostText({ lifeline, workloads, server, protocol, port }: LostLifeline): string {
  const verb = workloads.length === 1 ? "loses" : "lose";
  const where = `${endText(server)} :${port}/${protocol}`;
  return `${lifeline}: ${counted(workloads.length, "workload")} ${verb} ${where}, for example ${formatParty(workloads[0]!)}; allow it first`;
}

function overridesText(some: readonly Overruling[]): readonly EditWarning[] {
  const [first] = some;
  if (first === undefined) return [];
  const { policy, intent, example, rule } = first;
  const does = rule.action === "Allow" ? "allows" : "denies";
  const text = `overrides ${formatPolicy(policy)}${andMore(some.map((one) => one.policy))}: ${does} ${connectionText(example)}, which it ${intentText(intent)}`;
  return [{ about: "overrides", text }];
}

function overriddenText(some: readonly Overruling[]): readonly EditWarning[] {
  const [first] = some;
  if (first === undefined) return [];
  const { intent, example, rule } = first;
  const does = rule.action === "Allow" ? "allows" : "denies";
  const others = andMore(some.map((one) => one.rule.origin.policy));
  const text = `is overridden by ${formatRule(rule.origin)}${others}: that ${does} ${connectionText(example)}, which this policy ${intentText(intent)}`;
  return [{ about: "overridden", text }];
}

const intentText = (intent: Overruling["intent"]): string =>
  ({ allows: "allows", denies: "denies", isolates: "isolates from" })[intent];

function andMore(policies: readonly PolicyRef[]): string {
  const others = new Set(policies).size - 1;
  return others === 0 ? "" : ` and ${others} more`;
}

const otherOf = ({ first, second }: Ambiguity, applied: PolicyRef): PolicyRef =>
  first === applied ? second : first;

function ambiguityText(ambiguity: Ambiguity, applied: PolicyRef, others: number): string {
  const { direction, example, tier } = ambiguity;
  const other = otherOf(ambiguity, applied);
  const isSameApi = other.dialect === applied.dialect;
  const what = isSameApi ? `priority ${applied.priority ?? ""}`.trim() : `this place in tier ${tier}`;
  const whom = `${isSameApi ? other.name : formatPolicy(other)}${others > 1 ? ` and ${others - 1} more` : ""}`;
  const [subject, peer] =
    direction === "ingress" ? [example.destination, example.source] : [example.source, example.destination];
  const way = direction === "ingress" ? "from" : "to";
  const order = isSameApi ? "name" : "API";
  return `${what} is shared with ${whom}; both select ${endText(subject)} and disagree on ${portText(example)} ${way} ${endText(peer)}; order is by ${order}`;
}

/** `shop/web → shop/api :80/TCP over IPv6`, by workload: pods have names that nobody knows. */
function connectionText(flow: Flow): string {
  const over = flow.family === 6 ? " over IPv6" : "";
  return `${endText(flow.source)} → ${endText(flow.destination)} ${portText(flow)}${over}`;
}

function endText(end: Endpoint): string {
  if (end.kind !== "external") return formatParty(partyOf(end, "workload"));
  // The first address of all stands for any.
  return end.address.value === 0n ? "outside" : formatEndpoint(end);
}

const portText = ({ protocol, port }: Pick<Flow, "protocol" | "port">): string =>
  protocol === "ICMP" ? "ICMP" : `:${port}/${protocol}`;
