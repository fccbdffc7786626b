import fc from "fast-check";
import { readState, type State } from "../src/state/state.js";
import { clusterPolicy } from "./manifests.js";

/** A policy of few rules, each an action, whose pods it is about, and a port. */
export interface SmallPolicy {
  readonly tier: "Admin" | "Baseline";
  readonly priority: 1 | 2;
  readonly subject: (typeof selectors)[number];
  readonly rules: readonly {
    readonly action: "Accept" | "Deny" | "Pass";
    readonly from: (typeof selectors)[number];
    readonly port: 80 | "every";
  }[];
}

const selectors = [
  "{}",
  "{matchLabels: {team: a}}",
  "{matchExpressions: [{key: team, operator: NotIn, values: [a]}]}",
  "{matchExpressions: [{key: team, operator: Exists}]}",
  "{matchLabels: {kubernetes.io/metadata.name: shop}}",
  "{matchExpressions: [{key: team, operator: In, values: [a]}, {key: team, operator: DoesNotExist}]}",
] as const;

export function stateOfPolicies(policies: readonly SmallPolicy[]): State {
  const text = policies.map(({ tier, priority, subject, rules }, i) =>
    clusterPolicy(`p${i}`, {
      tier,
      priority: String(priority),
      subject: `{namespaces: ${subject}}`,
      ingress: `[${rules
        .map(
          ({ action, from, port }) =>
            `{action: ${action}, from: [{namespaces: ${from}}]${port === "every" ? "" : `, protocols: [{tcp: {destinationPort: {number: ${port}}}}]`}}`,
        )
        .join(", ")}]`,
    }),
  );
  return readState([{ file: "policies.yaml", text: text.join("") }]);
}

const anySelector = fc.constantFrom(...selectors);

/** Few policies of few rules, which therefore shadow and repeat each other often. */
export const anySmallPolicies = (): fc.Arbitrary<readonly SmallPolicy[]> =>
  fc.array(
    fc.record({
      tier: fc.constantFrom("Admin", "Baseline"),
      priority: fc.constantFrom(1, 2),
      subject: anySelector,
      rules: fc.array(
        fc.record({
          action: fc.constantFrom("Accept", "Deny", "Pass"),
          from: anySelector,
          port: fc.constantFrom<80 | "every">(80, "every"),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );
