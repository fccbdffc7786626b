import { describe, expect, it } from "vitest";
import { holding } from "../../../testing/holding.js";
import { namespaceNameLabel } from "../../labels/requirement.js";
import type { NamespaceSet, Peer } from "../../policy/model.js";
import { type Literal, not } from "../sat/index.js";
import { Connection, endKinds, Formula, type LabelPair, Matching } from "./index.js";

function matchingOf() {
  const connection = new Connection(new Formula());
  const matching = new Matching(connection, []);
  const solve = (assumptions: readonly Literal[]) => {
    matching.close();
    return connection.formula.solver.solve(assumptions);
  };
  return { connection, matching, solve };
}

describe("S7.5: the API server", () => {
  const apiServer: Peer = { kind: "entity", entity: "kube-apiserver" };
  const others: Peer = { kind: "entity", entity: "cluster", apiServer: false };
  // Whether an endpoint is the API server is a fact, except that no pod with its own network is.
  const expected = {
    pod: ["never", "always"],
    "host-network pod": ["sometimes", "sometimes"],
    node: ["sometimes", "sometimes"],
    external: ["sometimes", "never"],
  } as const;

  it.each(endKinds)("%s", (kind) => {
    const { connection, matching, solve } = matchingOf();
    const given = [connection.is("source", "pod"), connection.is("destination", kind)];
    const found = [apiServer, others].map((peer) =>
      holding(solve, matching.peerMatches(peer, "source"), given),
    );
    expect(found).toEqual(expected[kind]);
  });
});

/** A value that policies mention, one that they do not, or none. */
type Value = "a" | "b" | "(other)" | "–";

const mentioned = ["a", "b"] as const;

const valueIs = (pair: LabelPair, end: "source" | "destination", value: Value): readonly Literal[] => [
  value === "–" ? not(pair.present(end)) : pair.present(end),
  ...mentioned.map((each) => (value === each ? pair.is(end, each) : not(pair.is(end, each)))),
];

describe("S5.4: labels relative to the subject's", () => {
  const podsOf = (namespaces: NamespaceSet): Peer => ({
    kind: "pods",
    namespaces,
    pods: { kind: "selector", match: [] },
  });
  const keys = ["team", "env"] as const;

  /** Whether sameLabels and notSameLabels select the peer, where these are the labels of the two namespaces. */
  function selected(
    labels: readonly (readonly [subject: Value, peer: Value])[],
    inOneNamespace = false,
  ): readonly string[] {
    const { connection, matching, solve } = matchingOf();
    const sets = (["same-labels", "not-same-labels"] as const).map((kind) =>
      matching.peerMatches(podsOf({ kind, keys: keys.slice(0, labels.length) }), "source"),
    );
    const isSame = connection.label("namespace", namespaceNameLabel).equal();
    const given = [
      connection.is("source", "pod"),
      connection.is("destination", "pod"),
      inOneNamespace ? isSame : not(isSame),
      ...labels.flatMap(([subject, peer], i) => {
        const pair = connection.label("namespace", keys[i]!);
        return [...valueIs(pair, "source", subject), ...valueIs(pair, "destination", peer)];
      }),
    ];
    return sets.map((set) => holding(solve, set, given));
  }

  it.each([
    ["a", "a", "always", "never"],
    ["a", "b", "never", "always"],
    ["a", "(other)", "never", "always"],
    ["a", "–", "never", "always"],
    ["–", "a", "never", "always"],
    ["–", "–", "never", "always"],
    // Two values that nothing mentions can be the same one.
    ["(other)", "(other)", "sometimes", "sometimes"],
    ["–", "(other)", "never", "always"],
  ] as const)(
    "team of the subject %s, of the peer %s: same %s, not same %s",
    (subject, peer, same, notSame) => {
      expect(selected([[subject, peer]])).toEqual([same, notSame]);
    },
  );

  it.each([
    ["a", "always", "never"],
    ["(other)", "always", "never"],
    ["–", "never", "always"],
  ] as const)("in one namespace, whose team is %s: same %s, not same %s", (team, same, notSame) => {
    expect(selected([[team, team]], true)).toEqual([same, notSame]);
  });

  it.each([
    ["both", "a", "a", "always", "never"],
    ["the first", "a", "b", "never", "never"],
    ["the second", "b", "a", "never", "never"],
    ["none", "b", "b", "never", "always"],
    ["the first, and the second is absent,", "a", "–", "never", "never"],
    ["none, and the second is absent,", "b", "–", "never", "always"],
  ] as const)(
    "of two keys, %s equal (a, a and %s, %s): same %s, not same %s",
    (_, first, second, same, notSame) => {
      expect(
        selected([
          ["a", first],
          ["a", second],
        ]),
      ).toEqual([same, notSame]);
    },
  );
});
