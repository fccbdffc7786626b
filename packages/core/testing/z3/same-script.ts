import {
  type Direction,
  directions,
  type Peer,
  type PortMatch,
  type Tier,
  type Tiers,
} from "../../src/policy/model.js";
import { AnyConnection, type End, otherThan } from "./any-connection.js";
import { allows } from "./claim-script.js";
import { isSubject, peerMatches, portMatches, ruleMatches } from "./rule-formula.js";
import { and, equal, not, or, SmtScript, type Term } from "./smt-script.js";

/*
 * The question of S11.6 for z3: is there a connection whose outcome is another under other policies? Outcomes are: denied, allowed,
 * allowed under a condition (S7.7). Owners may add policies of Cilium, the same to both.
 */

/** The constant of a script: the outcomes differ. */
export const sameConstants = ["difference"] as const;

export function sameScript(before: Tiers, after: Tiers): string {
  const script = new SmtScript();
  const connection = new AnyConnection(script);
  const [old, now] = [before, after].map((tiers) => {
    const allowed = and(directions.map((direction) => allows(direction, tiers, connection)));
    const conditional = or(directions.map((direction) => isConditional(direction, tiers, connection)));
    return [script.named(allowed), script.named(and([allowed, conditional]))] as const;
  });
  const differs = or([0, 1].map((i) => not(equal(old![i]!, now![i]!))));
  script.assert(equal(script.constant("difference", "Bool"), differs));
  connection.assertAxioms();
  return script.toString();
}

/** Whether one direction allows the connection under a condition. */
const isConditional = (direction: Direction, tiers: Tiers, connection: AnyConnection): Term =>
  allows(direction, tiers, connection, {
    byDefault: "false",
    allowedIn: (name) => {
      const tier = tiers[direction].find((each) => each.name === name);
      return tier === undefined
        ? "false"
        : connection.script.named(conditionsIn(tier, direction, connection));
    },
  });

// S7.7
function conditionsIn({ rules, isolation }: Tier, direction: Direction, connection: AnyConnection): Term {
  const end: End = direction === "egress" ? "source" : "destination";
  const isIsolated = or([
    ...isolation.map(({ subject }) => isSubject(subject, end, connection)),
    connection.ownersDo(direction, "isolates"),
    connection.ownersDo(direction, "allows"),
  ]);
  const plain = rules.filter(({ action, condition }) => action === "Allow" && condition === undefined);
  const isPlain = (peer: Peer, port: PortMatch): Term => {
    const what = contentOf([peer, port]);
    const alike = plain.filter(
      ({ peers, ports }) =>
        ports !== "every" && peers.some((p) => ports.some((q) => contentOf([p, q]) === what)),
    );
    return or([
      ...alike.map(({ subject }) => isSubject(subject, end, connection)),
      connection.ownersAllowExactly(direction, what),
    ]);
  };
  return or(
    rules.map((rule) => {
      const matches = ruleMatches(rule, end, connection);
      if (rule.condition?.kind === "always") return matches;
      if (rule.condition?.kind !== "l7" || rule.ports === "every") return "false";
      const { peers, ports } = rule;
      const open = peers.flatMap((peer) =>
        ports.map((port) =>
          and([
            peerMatches(peer, otherThan(end), connection),
            portMatches(port, connection),
            not(isPlain(peer, port)),
          ]),
        ),
      );
      return and([matches, isIsolated, or(open)]);
    }),
  );
}

const contentOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `${item}` : item));
