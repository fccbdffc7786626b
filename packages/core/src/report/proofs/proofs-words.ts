import type { Decider } from "../../evaluate/walk.js";
import { formatAddress } from "../../net/address.js";
import { describePeer, describePort, formatRule } from "../../policy/describe.js";
import { formatPolicy, type Isolation, type Rule } from "../../policy/model.js";
import type { Place } from "../../diagnostics/place.js";
import { admissionExpression, type Assumption, type GuaranteeResult } from "../../prove/guarantee/index.js";
import {
  type Confirmed,
  type Essential,
  type OwnerRule,
  type Witness,
  type WitnessEnd,
} from "../../prove/world/index.js";
import { ownerRulesName } from "../../prove/same/index.js";
import { placeText } from "../explanation/rule-text.js";

/** The texts that all formats of proofs share. */

export type ResultName = "Proven" | "Refuted" | "NotDecided" | "Vacuous" | "NotAsked";

export const resultName = ({ proof }: GuaranteeResult): ResultName => proof?.result ?? "NotAsked";

/** Only what is proven holds. */
export const holds = (result: GuaranteeResult): boolean => resultName(result) === "Proven";

/** `ClusterNetworkPolicy guard, ingress rule 2 "deny"`, or what isolates. */
export function partText(part: Rule | Isolation): string {
  if ("action" in part) return formatRule(part.origin);
  return part.origin.kind === "policy"
    ? `isolation by ${formatPolicy(part.origin.policy)}`
    : part.origin.option;
}

export function partPlace(part: Rule | Isolation): Place | undefined {
  if ("action" in part) return part.origin.place();
  return part.origin.kind === "policy" ? part.origin.policy.place() : undefined;
}

/** `pod {app: web} in namespace shop {team: a}`, `node {}`, `203.0.113.10`. */
export function endText(end: WitnessEnd): string {
  const labels = (map: Readonly<Record<string, string>>) =>
    `{${Object.entries(map)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join(", ")}}`;
  const at = end.isUsualAddress ? "" : ` at ${formatAddress(end.address)}`;
  switch (end.kind) {
    case "pod": {
      const account = end.account === "default" ? "" : ` with service account ${end.account}`;
      return `pod ${labels(end.labels)}${account}${at} in namespace ${end.namespace} ${labels(end.namespaceLabels)}`;
    }
    case "host-network pod":
      return `host-network pod${at} on node ${labels(end.nodeLabels)}`;
    case "node":
      return `node ${labels(end.nodeLabels)}${at}`;
    case "external":
      return formatAddress(end.address);
  }
}

/** `53/TCP, which the pod names "metrics"`. */
export function portText({ protocol, port, portNames }: Witness): string {
  if (protocol === "ICMP") return "ICMP";
  const names = portNames.map((name) => JSON.stringify(name)).join(" and ");
  return `${port}/${protocol}${names === "" ? "" : `, which the pod names ${names}`}`;
}

export const connectionText = ({ witness }: Confirmed): string =>
  `${endText(witness.source)} → ${endText(witness.destination)} on ${portText(witness)}`;

/** What else is true of the cluster: what owners wrote, and facts that no manifest states. */
export function circumstances(all: readonly Confirmed[]): readonly string[] {
  const { witness } = all[0]!;
  const facts = new Set(
    all.flatMap((each) => each.facts.flatMap(({ text, answer }) => (answer ? [text] : []))),
  );
  const needed = [...facts].map((text) => text.replace(/^whether /, ""));
  const owners = (["egress", "ingress"] as const).flatMap((direction) => {
    const act = witness.owners[direction];
    const { namespace } = witness[direction === "egress" ? "source" : "destination"];
    const wrote = (name: string, what: string) =>
      `the owner of namespace ${namespace} wrote ${name}, which ${what}`;
    const rules = witness.ownerRules.filter((rule) => rule.direction === direction);
    return [
      ...(act === undefined ? [] : [wrote(`owner-${direction}`, ownerWords[act])]),
      ...rules.map((rule) => wrote(ownerRulesName(direction, rule.action), ownerRuleText(rule))),
    ];
  });
  return [...owners, ...(needed.length === 0 ? [] : [`if ${needed.join(", and ")}`])];
}

/** `allows exactly 203.0.112.0/23 on 80/TCP`. */
function ownerRuleText({ direction, action, peer, port }: OwnerRule): string {
  const ports = port === "every" ? "" : ` on ${describePort(port)}`;
  const what = `${direction === "ingress" ? "from" : "to"} ${describePeer(peer)}${ports}`;
  return action === "Allow" ? `allows exactly what is ${what}` : `denies what is ${what}`;
}

const ownerWords = { allow: "allows it", isolate: "isolates the pod", deny: "denies it" } as const;

export const essentialLines = ({ essential, incidental }: Essential): readonly string[] => [
  ...(essential.length === 0 ? [] : [`Essential: ${essential.join("; ")}.`]),
  ...(incidental.length === 0 ? [] : [`Not essential: ${incidental.join("; ")}.`]),
];

/** Assumptions that a proof needs and an API server can keep true, with what it has to check. */
export const enforceable = ({
  proof,
}: GuaranteeResult): readonly { readonly assumption: Assumption; readonly expression: string }[] =>
  (proof?.result === "Proven" ? proof.neededAssumptions : []).flatMap((assumption) => {
    const expression = admissionExpression(assumption);
    return expression === undefined ? [] : [{ assumption, expression }];
  });

/** A name for the policy that enforces the assumption with this number. */
export const admissionPolicyName = (guarantee: string, index: number): string =>
  `${guarantee
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)}-assumes-${index + 1}`;

/** The verdict of one direction: `allowed by default`, `denied by NetworkPolicy x/y`. */
export function directionText({ decisions }: Confirmed, direction: "egress" | "ingress"): string {
  const { verdict, by, conditions } = decisions[direction];
  const condition = conditions.length === 0 ? "" : ` (${conditions.join("; ")})`;
  return `${verdict === "Allow" ? "allowed" : "denied"} ${whoDecides(by)}${condition}`;
}

function whoDecides(by: Decider): string {
  switch (by.kind) {
    case "rule":
      return `by ${formatRule(by.rule.origin)}${ownPlace(by.rule.origin.place())}`;
    case "isolation":
      return `by isolation: ${by.isolation.map(({ origin }) => (origin.kind === "policy" ? `${formatPolicy(origin.policy)}${ownPlace(origin.policy.place())}` : origin.option)).join(", ")}`;
    case "own-node":
      return "because a node always reaches the pods that run on it";
    case "own-address":
      return "because a pod always reaches itself";
    case "no-walk":
      return "because no policy applies to that endpoint";
    case "default":
      return "by default";
  }
}

/** Objects of the counterexample itself are in no file. */
const ownPlace = (place: Place | undefined): string =>
  place?.file === counterexampleFile ? "" : placeText(place);

export const counterexampleFile = "counterexample.yaml";

/** The result in one line. */
export function summaryText(result: GuaranteeResult): string {
  const { proof, diagnostics } = result;
  if (proof === undefined) return `not decided: ${diagnostics.map(({ message }) => message).join("; ")}`;
  switch (proof.result) {
    case "Proven":
      return `holds in every cluster; it rests on ${proof.restsOn.map(partText).join(", ") || "no policy"}`;
    case "Refuted":
      return `does not hold in every cluster: ${connectionText(proof.counterexample)}`;
    case "NotDecided":
      return `not decided: ${proof.why}`;
    case "Vacuous":
      return "it applies to no connection in any cluster";
  }
}
