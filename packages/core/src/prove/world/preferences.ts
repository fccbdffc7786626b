import { namespaceNameLabel } from "../../labels/requirement.js";
import { directions } from "../../policy/model.js";
import { type End, type EndKind, ends, type Models, type OrderedValue, ownerActs } from "../encode/index.js";
import { type Budget, FALSE, type Literal, not, TRUE } from "../sat/index.js";

/** What makes a counterexample easy to understand, the most important first. Each is kept if it can be. */
function preferencesOf(
  { connection, ownerRules }: Models,
  kinds: Readonly<Record<End, EndKind>>,
): readonly Literal[] {
  const labelsAbsent = (["node", "pod", "namespace"] as const).flatMap((scope) =>
    [...(connection.labels.get(scope) ?? [])].flatMap(([, pair]) =>
      ends.map((end) => not(pair.present(end))),
    ),
  );
  const name = connection.label("namespace", namespaceNameLabel);
  const accounts = [...(connection.labels.get("account")?.values() ?? [])];
  const unmentioned = [name, ...accounts].flatMap((pair) =>
    ends.map((end) => not(connection.formula.or([...pair[end].values.values()]))),
  );
  return [
    ...ends.map((end) => connection.is(end, kinds[end])),
    ...ends.map((end) => not(connection.is(end, "host-network pod"))),
    connection.family(4),
    ...[...connection.facts.values()].map(not),
    ...(ownerRules?.all ?? []).map(({ literal }) => not(literal)),
    ...directions.flatMap((direction) => ownerActs.map((act) => not(connection.owners[direction][act]))),
    ...[...connection.portNames.values()].map(not),
    connection.protocol("TCP"),
    not(connection.ownNode),
    ...labelsAbsent,
    ...unmentioned,
    not(connection.sameNamespace),
    ...usual(connection.port, [80n, 443n, 8080n, 53n]),
  ].filter((literal) => literal !== TRUE && literal !== FALSE);
}

/** That a number is among those that nothing distinguishes from a usual one; the first that can be, wins. */
function usual(value: OrderedValue, numbers: readonly bigint[]): readonly Literal[] {
  return numbers.map((number) => value.alike(number));
}

/**
 * Searches for a model that satisfies as many preferences as possible, the most important first. The last model must satisfy the
 * assumptions; so does the new one. Where the budget ends, the model stays what it was.
 */
export function shrink(
  models: Models,
  kinds: Readonly<Record<End, EndKind>>,
  assumptions: readonly Literal[],
  budget: Budget,
): void {
  models.connection.solve(assumptions, budget, { preferences: preferencesOf(models, kinds) });
}
