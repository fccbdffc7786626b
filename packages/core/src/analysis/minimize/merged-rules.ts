import { grouped } from "../../collections/maps.js";
import type { Path } from "../../diagnostics/place.js";
import type { LowerOptions } from "../../dialects/dialect.js";
import { type Json, type JsonObject, valueAt } from "../../manifest/document.js";
import { type Draft, type DraftList, type DraftRule, nameOfRule, type Step, withLists } from "./draft.js";
import {
  entriesKey,
  mergedCidrs,
  mergedPeers,
  mergedPortRules,
  mergedPorts,
  unique,
} from "./merged-entries.js";
import { contentKey, type Shape, shapeOf, withValueAt } from "./shape.js";

/**
 * The rules of a policy, merged as far as they can be: two that differ in their peers or in their ports only become one that has both, if
 * their order does not matter. A merge that the API does not accept, such as of too many peers, is not made.
 */
export function mergedRules(draft: Draft, options: LowerOptions): Draft {
  let current = draft;
  for (const [at] of draft.lists.entries()) {
    current = withMergedEntries(current, at, options);
    for (let before: Draft | undefined; before !== current; ) {
      before = current;
      for (const field of shapeOf(draft.definition.policy.dialect).alternatives)
        current = withUnions(current, at, field, options);
    }
  }
  return current;
}

/** Merges rules that are equal except for one field. */
function withUnions(draft: Draft, at: number, field: Path, options: LowerOptions): Draft {
  const { rules } = draft.lists[at]!;
  const shape = shapeOf(draft.definition.policy.dialect);
  const runs = runsOf(rules, shape);
  const groups = grouped(
    rules.flatMap((rule, i) =>
      itemsOf(rule, field) === undefined
        ? []
        : [{ rule, key: `${runs[i]} ${keyWithout(rule, field, shape)}` }],
    ),
    ({ key }) => key,
  );
  let current = draft;
  for (const [first, ...others] of groups.values())
    for (const { rule } of others)
      current = withUnion(current, at, field, [first.rule.origins[0], rule], options) ?? current;
  return current;
}

/** Equal for rules that differ in one field only. */
function keyWithout(rule: DraftRule, field: Path, { alternatives }: Shape): string {
  const others = alternatives.filter((one) => one !== field && itemsOf(rule, one) !== undefined);
  let rest: Json | undefined = rule.value;
  for (const one of [["name"], field, ...others]) rest = withValueAt(rest, one, undefined);
  return contentKey([rest!, ...others.map((one) => [one.join("."), entriesKey(itemsOf(rule, one)!)])]);
}

/** The number of the run that each rule is in: rules of one run can be in any order. */
function runsOf(rules: readonly DraftRule[], { exchange }: Shape): readonly (string | number)[] {
  if (exchange === "any") return rules.map(() => 0);
  const actions = rules.map(({ value }) => contentKey(value.action));
  if (exchange === "by action") return actions;
  let run = 0;
  return actions.map((action, i) => (i > 0 && action !== actions[i - 1] ? ++run : run));
}

/** An empty list, or none, is not a list of alternatives: it may mean everything, or nothing. */
function itemsOf({ value }: DraftRule, field: Path): readonly Json[] | undefined {
  const items = valueAt(value, field);
  return Array.isArray(items) && items.length > 0 ? (items as readonly Json[]) : undefined;
}

function withUnion(
  draft: Draft,
  at: number,
  field: Path,
  [first, second]: readonly [DraftRule["origins"][0], DraftRule],
  options: LowerOptions,
): Draft | undefined {
  const list = draft.lists[at]!;
  // It may have been merged with others before.
  const into = list.rules.find(({ origins }) => origins[0] === first)!;
  const items = merger(field)([...itemsOf(into, field)!, ...itemsOf(second, field)!]);
  const value = withValueAt(into.value, field, unique(items)) as JsonObject;
  const merged: DraftRule = { value, origins: [...into.origins, ...second.origins] };
  const rules = list.rules.flatMap((rule) => (rule === into ? [merged] : rule === second ? [] : [rule]));
  const step: Step = {
    kind: "merge-rules",
    policy: draft.origins[0].policy,
    rule: nameOfRule(into.origins[0], draft.origins[0]),
    merged: second.origins.map((origin) => nameOfRule(origin, draft.origins[0])),
    why: `they differ in \`${field.join(".")}\` only`,
  };
  return withLists(draft, replaced(draft.lists, at, { ...list, rules }), [step], options);
}

const replaced = (lists: readonly DraftList[], at: number, list: DraftList): readonly DraftList[] =>
  lists.with(at, list);

/** Merges the peers, CIDRs and ports inside each rule. */
function withMergedEntries(draft: Draft, at: number, options: LowerOptions): Draft {
  const { alternatives } = shapeOf(draft.definition.policy.dialect);
  let current = draft;
  for (const { origins } of draft.lists[at]!.rules)
    for (const field of alternatives) {
      const list = current.lists[at]!;
      const rule = list.rules.find((one) => one.origins === origins)!;
      const items = itemsOf(rule, field);
      const merged = items === undefined ? undefined : merger(field)(items);
      if (merged === undefined || contentKey(merged) === contentKey(items)) continue;
      const value = withValueAt(rule.value, field, merged) as JsonObject;
      const rules = list.rules.map((one) => (one === rule ? { value, origins } : one));
      const step: Step = {
        kind: "merge-entries",
        policy: draft.origins[0].policy,
        rule: nameOfRule(origins[0], draft.origins[0]),
        why: `the same \`${field.join(".")}\` in fewer entries`,
      };
      current =
        withLists(current, replaced(current.lists, at, { ...list, rules }), [step], options) ?? current;
    }
  return current;
}

/** How items of a field can be written in fewer. */
function merger(field: Path): (items: readonly Json[]) => readonly Json[] {
  switch (field.at(-1)) {
    case "ports":
    case "protocols":
      return mergedPorts;
    case "from":
    case "to":
      return mergedPeers;
    case "toPorts":
      return mergedPortRules;
    case "fromCIDR":
    case "toCIDR":
      return (items) => mergedCidrs(items as readonly string[]);
    default:
      return unique;
  }
}
