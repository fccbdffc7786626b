import { formatPath, isWithin, type Path } from "../../diagnostics/place.js";
import { type Comment, isObject, type Json, valueAt } from "../../manifest/document.js";
import { type CommentedObject, writeYaml } from "../../manifest/yaml/write-yaml.js";
import { formatPolicy } from "../../policy/model.js";
import type { PolicyDefinition } from "../../state/state.js";
import { authored, type Draft, nameOfRule } from "./draft.js";
import type { Minimization, ResultPolicy } from "./minimize.js";
import { contentKey } from "./shape.js";

/** All policies of the result, as YAML. */
export const writtenPolicies = ({ policies }: Pick<Minimization, "policies">): string =>
  writeYaml(policies.map(writtenPolicy));

/** A policy of the result with its comments, and with the names of policies and rules that became a part of it. */
export function writtenPolicy({ definition, draft }: ResultPolicy): CommentedObject {
  const { object } = definition;
  if (draft === undefined)
    return { value: authored(object.value), comments: object.document.commentsIn(object.path) };
  const comments = [
    ...draft.origins.flatMap((origin) => carriedComments(origin, draft)),
    ...formerNames(draft),
  ];
  return { value: object.value, comments: uniqueComments(comments) };
}

/** Where the rule at this path of a policy of the input is now; undefined if it was removed. */
function placeOfRule(draft: Draft, definition: PolicyDefinition, path: Path): Path | undefined {
  const wanted = formatPath(path);
  for (const list of draft.lists)
    for (const [i, { origins }] of list.rules.entries())
      if (origins.some((origin) => origin.definition === definition && formatPath(origin.path) === wanted))
        return [...list.path, i];
  return undefined;
}

/** Comments on a rule go where the rule goes; those on a policy that was merged go before the first of its rules. */
function carriedComments(origin: PolicyDefinition, draft: Draft): readonly Comment[] {
  const { object } = origin;
  const isFirst = origin === draft.origins[0];
  const result = draft.definition.object.value;
  return object.document.commentsIn(object.path).flatMap((comment): readonly Comment[] => {
    const list = draft.lists.find(
      ({ path }) => isWithin(comment.path, path) && typeof comment.path[path.length] === "number",
    );
    if (list !== undefined) {
      const rule = comment.path.slice(0, list.path.length + 1);
      const now = placeOfRule(draft, origin, rule);
      if (now === undefined) return [];
      const inner = pathNow(
        valueAt(object.value, rule),
        valueAt(result, now),
        comment.path.slice(rule.length),
      );
      return [moved(comment, [...now, ...inner], rule.length + inner.length)];
    }
    if (isFirst) {
      const now = pathNow(object.value, result, comment.path);
      return [moved(comment, now, now.length)];
    }
    const [now] = draft.lists.flatMap(({ path, rules }) =>
      rules.flatMap(({ origins }, i) =>
        origins.some(({ definition }) => definition === origin) ? [[...path, i]] : [],
      ),
    );
    return now === undefined ? [] : [{ ...comment, path: now, side: "before" }];
  });
}

/** On the same line only if it is about the very thing that it was about. */
const moved = (comment: Comment, path: Path, steps: number): Comment => ({
  ...comment,
  path,
  side: steps === comment.path.length ? comment.side : "before",
});

/** As far as the path leads in the new value, where items of lists may have other places. */
function pathNow(before: Json | undefined, after: Json | undefined, path: Path): Path {
  const [step, ...rest] = path;
  if (step === undefined) return [];
  if (typeof step === "string") {
    if (!isObject(before) || !isObject(after) || !(step in after)) return [];
    return [step, ...pathNow(before[step], after[step], rest)];
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return [];
  const wanted = contentKey((before as readonly Json[])[step]);
  const index = (after as readonly Json[]).findIndex((item) => contentKey(item) === wanted);
  const [old, now] = [before[step] as Json, after[index] as Json | undefined];
  return index === -1 ? [] : [index, ...pathNow(old, now, rest)];
}

/** `Merged: rule "web"`: a name would be lost otherwise. */
function formerNames(draft: Draft): readonly Comment[] {
  const [first, ...merged] = draft.origins;
  const named = new Set<PolicyDefinition>([first]);
  return draft.lists.flatMap(({ path, rules }) =>
    rules.flatMap(({ origins }, i): readonly Comment[] => {
      const policies = merged.filter(
        (policy) => !named.has(policy) && origins.some(({ definition }) => definition === policy),
      );
      for (const policy of policies) named.add(policy);
      const namedRules = origins
        .slice(1)
        .filter((origin) => valueAt(origin.definition.object.value, [...origin.path, "name"]) !== undefined);
      const names = [
        ...policies.map(({ policy }) => formatPolicy(policy)),
        ...namedRules.map((rule) => nameOfRule(rule, first)),
      ];
      return names.map((name) => ({ path: [...path, i], side: "before", text: `Merged: ${name}` }));
    }),
  );
}

const uniqueComments = (comments: readonly Comment[]): readonly Comment[] => [
  ...new Map(comments.map((comment) => [contentKey([[...comment.path], comment.text]), comment])).values(),
];
