import { verdictWords } from "../../analysis/verdict-words.js";
import type { ObjectEdit } from "../../state/edit/edited-state.js";
import type { CutOff } from "../../analysis/preview/cut-off.js";
import type { Lockout } from "../../analysis/preview/lockouts.js";
import type { Ambiguity, Overruling } from "../../analysis/preview/precedence.js";
import type { NewlyIsolated, Preview } from "../../analysis/preview/preview.js";
import type { Party } from "../../analysis/endpoints/party.js";
import { visible } from "../../diagnostics/visible.js";
import { formatRule } from "../../policy/describe.js";
import { formatPolicy } from "../../policy/model.js";
import { flowText, type PartyNames, portsText, whoText } from "../changes/changes-words.js";
import { isolatorText, placeText } from "../explanation/rule-text.js";
import { counted } from "../wording.js";

/** A line of what a preview found, with what to do about it. */
export interface Remark {
  readonly text: string;
  readonly more: readonly string[];
}

/** `+ ClusterNetworkPolicy deny-all (tier admin, priority 10)`. */
export function editText({ what, object, policy }: ObjectEdit): string {
  const mark = { added: "+", replaced: "~", deleted: "-" }[what];
  return `${mark} ${visible(object)}${policy === undefined ? "" : placeText(policy.place())}`;
}

export function lockoutRemark(
  { from, after, parties, connections, ports, decided, example }: Lockout,
  names: PartyNames,
): Remark {
  const isOne = parties.length === 1;
  const verb = after === "Undecided" ? "may lose" : isOne ? "loses" : "lose";
  const by = decided.flatMap(({ said }) => said.deciders);
  const who = names.of({ kind: "parties", parties }, 4);
  const advice =
    from === "kubelet probes"
      ? "a pod that fails its probes is restarted; exclude its node from the rule"
      : "add a rule before this one that allows it";
  return {
    text: `${from}: ${counted(parties.length, noun(parties))} ${verb} it${portsText(ports)} (${counted(connections, "connection")}): ${who}`,
    more: [
      `by ${whoText(by, after === "Deny" ? " and " : " or ")}`,
      `for example ${flowText(example)} ← ${advice}`,
    ],
  };
}

const noun = ([first]: readonly Party[]): string => first?.kind ?? "pod";

export function overrulingRemark({
  policy,
  direction,
  intent,
  rule,
  connections,
  external,
  example,
}: Overruling): Remark {
  const verb = { allows: "allows", denies: "denies", isolates: "isolates from" }[intent];
  const done = { Allow: "allowed", Deny: "denied", Pass: "passed" }[rule.action];
  const parts = [
    ...(connections > 0 ? [counted(connections, "connection")] : []),
    ...(external ? ["external traffic"] : []),
  ];
  return {
    text: `${formatPolicy(policy)}: ${parts.join(" and ")} that it ${verb} (${direction}) ${connections === 1 && !external ? "is" : "are"} ${done}`,
    more: [
      `by ${formatRule(rule.origin)}${placeText(rule.origin.place())}`,
      `for example ${flowText(example)}`,
    ],
  };
}

export function ambiguityRemark({
  first,
  second,
  direction,
  example,
  asOrdered,
  swapped,
}: Ambiguity): Remark {
  return {
    text: `${formatPolicy(first)} and ${formatPolicy(second)} have the same priority and conflict`,
    more: [
      `${flowText(example)} is ${verdictWords[asOrdered]} on ${direction}, and would be ${verdictWords[swapped]} in the other order`,
      "their names decide the order: give them different priorities",
    ],
  };
}

export function isolatedRemark({ direction, parties, pods, by }: NewlyIsolated, names: PartyNames): Remark {
  return {
    text: `${direction}: ${names.of({ kind: "parties", parties }, 4)} (${counted(pods, "pod")})`,
    more: [`by ${by.map(({ origin }) => isolatorText(origin)).join(", ")}`],
  };
}

export function cutOffRemark({ direction, parties, pods }: CutOff, names: PartyNames): Remark {
  const what = direction === "ingress" ? "no longer reachable" : "can no longer reach anything";
  return {
    text: `${what}: ${names.of({ kind: "parties", parties }, 4)} (${counted(pods, "pod")})`,
    more: [],
  };
}

/** The findings of a preview other than changes, under headings, the most important first. */
export function remarksOf(
  preview: Preview,
  names: PartyNames,
): readonly { readonly title: string; readonly remarks: readonly Remark[] }[] {
  const { lockouts, cutOff, overrides, overriddenBy, ambiguous, isolated } = preview;
  return [
    { title: "lockouts", remarks: lockouts.found.map((one) => lockoutRemark(one, names)) },
    { title: "cut off", remarks: cutOff.map((one) => cutOffRemark(one, names)) },
    { title: "overrides", remarks: overrides.map(overrulingRemark) },
    { title: "is overridden", remarks: overriddenBy.map(overrulingRemark) },
    { title: "ambiguous order", remarks: ambiguous.map(ambiguityRemark) },
    { title: "newly isolated", remarks: isolated.map((one) => isolatedRemark(one, names)) },
  ].filter(({ remarks }) => remarks.length > 0);
}
