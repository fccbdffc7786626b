import type { Assumption, Claim, ClaimedEnd, OwnerMode } from "../../src/prove/guarantee/index.js";
import { namespaceNameLabel } from "../../src/labels/requirement.js";
import type { Cidr } from "../../src/net/cidr.js";
import {
  type Direction,
  directions,
  type Isolation,
  type Rule,
  type TierName,
  tierNames,
  type Tiers,
} from "../../src/policy/model.js";
import { AnyConnection, type End, ends, otherThan, type OwnersAct } from "./any-connection.js";
import { isSubject, peerMatches, portsMatch, ruleMatches, selects } from "./rule-formula.js";
import { and, equal, ifElse, implies, not, or, SmtScript, type Term } from "./smt-script.js";

/*
 * The question that a Guarantee asks (S11.3), for z3: is there a connection that the claim is about, and that violates it? It is
 * written from docs/semantics.md and the evaluator, and shares nothing with prove/encode: that one counts mentioned values and
 * builds clauses, this one has strings and integers.
 */

/** The constants of a script: the connection is one that the claim is about; it also violates the claim. */
export const claimConstants = ["premise", "violation"] as const;

export function claimScript(claim: Claim, tiers: Tiers): string {
  const script = new SmtScript();
  const connection = new AnyConnection(script);
  const modes = modesOf(claim, tiers);
  const kept = keptAsWritten(tiers, modes);
  const [ingress, egress] = directions.map((direction) => allows(direction, kept, connection));
  const allowed = and([ingress!, egress!]);
  const isEnd = (claimed: readonly ClaimedEnd[], end: End) =>
    or(
      claimed.map((each) =>
        each.kind === "host-network-pods"
          ? connection.is(end, "host-network-pod")
          : peerMatches(each, end, connection),
      ),
    );
  const premise = and([
    isEnd(claim.from, "source"),
    isEnd(claim.to, "destination"),
    portsMatch(claim.ports, connection),
    not(portsMatch(claim.exceptPorts, connection)),
  ]);
  const violation = and([premise, claim.verdict === "Deny" ? allowed : not(allowed)]);
  script.assert(equal(script.constant("premise", "Bool"), premise));
  script.assert(equal(script.constant("violation", "Bool"), violation));
  for (const direction of directions)
    for (const act of impossible(modes)) script.assert(not(connection.ownersDo(direction, act)));
  for (const assumption of claim.assumptions)
    for (const end of ends) script.assert(holdsFor(assumption, end, connection));
  connection.assertAxioms();
  return script.toString();
}

interface Modes {
  readonly networkPolicies: OwnerMode;
  readonly cilium: OwnerMode;
}

// S11.2
function modesOf({ whatever: { networkPolicies, ciliumNetworkPolicies } }: Claim, tiers: Tiers): Modes {
  const all = directions.flatMap((direction) => tiers[direction]);
  const hasCilium =
    all.some(({ rules }) => rules.some(({ origin }) => origin.policy.dialect === "cilium")) ||
    all.some(({ isolation }) =>
      isolation.some(({ origin }) => origin.kind === "policy" && origin.policy.dialect === "cilium"),
    );
  return { networkPolicies, cilium: ciliumNetworkPolicies ?? (hasCilium ? networkPolicies : "as-written") };
}

/** What owners cannot do. */
function impossible({ networkPolicies, cilium }: Modes): readonly OwnersAct[] {
  if (cilium !== "as-written") return [];
  return networkPolicies === "as-written" ? ["allows", "isolates", "denies"] : ["denies"];
}

/** The policies that owners cannot change. */
function keptAsWritten(tiers: Tiers, { networkPolicies, cilium }: Modes): Tiers {
  const isKept = ({ origin }: Rule | Isolation): boolean => {
    if (!("policy" in origin)) return true;
    const { dialect, namespace } = origin.policy;
    if (dialect === "network-policy") return networkPolicies !== "anything";
    return dialect !== "cilium" || namespace === undefined || cilium !== "anything";
  };
  const filtered = (direction: Direction) =>
    tiers[direction].map(({ name, rules, isolation }) => ({
      name,
      rules: rules.filter(isKept),
      isolation: isolation.filter(isKept),
    }));
  return { ingress: filtered("ingress"), egress: filtered("egress") };
}

/** What an Allow of a tier means, and what holds where nothing decides. */
export interface Reading {
  readonly allowedIn: (tier: TierName) => Term;
  readonly byDefault: Term;
}

const whetherAllowed: Reading = { allowedIn: () => "true", byDefault: "true" };

/** S1.1 to S1.4: whether one direction allows the connection, written from the last tier to the first. */
export function allows(
  direction: Direction,
  tiers: Tiers,
  connection: AnyConnection,
  { allowedIn, byDefault }: Reading = whetherAllowed,
): Term {
  const { script } = connection;
  const end: End = direction === "egress" ? "source" : "destination";
  const ownersDo = (act: OwnersAct) => connection.ownersDo(direction, act);
  const matches = new Map(
    tiers[direction].flatMap(({ rules }) =>
      rules.map((rule) => [rule, ruleMatches(rule, end, connection)] as const),
    ),
  );
  let result: Term = byDefault;
  for (const name of tierNames.toReversed()) {
    const { rules = [], isolation = [] } = tiers[direction].find((tier) => tier.name === name) ?? {};
    const next = result;
    // S11.2: what owners add is in this tier; they deny before all other rules, and isolate after them.
    const ownersMay = (act: OwnersAct) => (name === "network-policy" ? ownersDo(act) : "false");
    const isIsolated = or([
      ...isolation.map(({ subject }) => isSubject(subject, end, connection)),
      ownersMay("isolates"),
    ]);
    const allowed = allowedIn(name);
    result = ifElse(ownersMay("allows"), allowed, ifElse(isIsolated, "false", next));
    for (const rule of rules.toReversed())
      result = script.named(ifElse(matches.get(rule)!, outcome(rule, next, allowed, connection), result));
    result = script.named(ifElse(ownersMay("denies"), "false", result));
  }
  // S1.6, S7.8
  if (direction === "ingress") {
    const binding = [...matches].flatMap(([rule, term]) => (rule.bindsOwnNode ? term : []));
    const fromOwnNode = and([byDefault, not(or([...binding, ownersDo("denies")]))]);
    result = ifElse(connection.isOwnNode(otherThan(end)), fromOwnNode, result);
  }
  return script.named(ifElse(connection.is(end, "pod"), result, byDefault));
}

function outcome({ action, condition }: Rule, next: Term, allowed: Term, connection: AnyConnection): Term {
  if (action === "Pass") return next;
  if (action === "Deny") return "false";
  return condition?.kind === "authentication" ? and([connection.authenticates(), allowed]) : allowed;
}

// S11.4
function holdsFor(assumption: Assumption, end: End, connection: AnyConnection): Term {
  const isPod = connection.is(end, "pod");
  const isNamed = (name: string) => connection.hasValue("namespace", namespaceNameLabel, end, name);
  switch (assumption.kind) {
    case "every": {
      const { scope } = assumption;
      const isMeant = scope === "node" ? connection.isHost(end) : isPod;
      const isSelected = selects(scope, assumption.with, end, connection);
      return implies(and([isMeant, isSelected]), selects(scope, assumption.has, end, connection));
    }
    case "only": {
      const isSelected = selects("namespace", assumption.with, end, connection);
      return implies(and([isPod, isSelected]), or(assumption.namespaces.map(isNamed)));
    }
    case "as-deployed":
      return and(
        [...assumption.namespaces].map(([name, labels]) => {
          const others = connection.namespaceKeys().filter((key) => key !== namespaceNameLabel);
          const isAsDeployed = others.map((key) => {
            const value = Object.entries(labels).find(([own]) => own === key)?.[1];
            return value === undefined
              ? not(connection.isPresent("namespace", key, end))
              : connection.hasValue("namespace", key, end, value);
          });
          return implies(and([isPod, isNamed(name)]), and(isAsDeployed));
        }),
      );
    case "addresses": {
      const isIn = (cidrs: readonly Cidr[]) => or(cidrs.map((cidr) => connection.addressIsIn(end, cidr)));
      const ranges = [
        [isPod, assumption.pods],
        [connection.isHost(end), assumption.nodes],
      ] as const;
      return and(
        ranges
          .filter(([, cidrs]) => cidrs.length > 0)
          .flatMap(([isMeant, cidrs]) => [
            implies(isMeant, isIn(cidrs)),
            implies(isIn(cidrs), not(connection.is(end, "external"))),
          ]),
      );
    }
  }
}
