import { clusterFile, type Place } from "../../diagnostics/place.js";
import type { Decider } from "../../evaluate/walk.js";
import {
  actionWord,
  describeCondition,
  describePeers,
  describePorts,
  describeSubject,
  formatRule,
} from "../../policy/describe.js";
import { formatPolicy, type IsolationOrigin, type Rule } from "../../policy/model.js";

/*
 * Texts of rules and deciders. Those of subjects, peers and ports are in policy/describe.ts.
 */

/** `deny pods with app=web in namespace shop from all pods on 80/TCP`, and what else must hold, or why it fails closed. */
export function ruleText(rule: Rule): string {
  const condition =
    rule.condition === undefined || rule.condition.kind === "foreign"
      ? ""
      : `, conditional on ${describeCondition(rule.condition)}`;
  const failed = rule.failedClosed === undefined ? "" : ` (${rule.failedClosed})`;
  return `${actionWord(rule)} ${describeSubject(rule.subject)} ${trafficText(rule)}${condition}${failed}`;
}

/** `from all pods on 80/TCP`: the rule without its subject. */
export function trafficText({ origin, peers, ports }: Pick<Rule, "origin" | "peers" | "ports">): string {
  const preposition = origin.direction === "ingress" ? "from" : "to";
  return `${preposition} ${describePeers(peers)} on ${describePorts(ports)}`;
}

/** The decider of a walk, with its place. */
export function deciderText(by: Decider): string {
  switch (by.kind) {
    case "rule":
      return `${formatRule(by.rule.origin)}${placeText(by.rule.origin.place())}`;
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

/** `what` is between the name and the place. */
export function isolatorText(origin: IsolationOrigin, what = ""): string {
  return origin.kind === "policy"
    ? `${formatPolicy(origin.policy)}${what}${placeText(origin.policy.place())}`
    : `${origin.option}${what}`;
}

/** ` · policies.yaml:12`, to be appended to a name. */
export function placeText(place: Place | undefined): string {
  return isToBeOpened(place) ? ` · ${place.file}:${place.line}` : "";
}

/** Objects of a cluster are in no file, so they have no place to show. */
export function isToBeOpened(place: Place | undefined): place is Place {
  return place !== undefined && !place.file.startsWith(clusterFile);
}
