import { isWithin, type Path } from "../../diagnostics/place.js";
import type { Comment } from "../../manifest/document.js";
import type { PolicyDefinition } from "../../state/state.js";

/** A part of a new object, and the part of an old one that it replaces. */
export interface Correspondence {
  readonly at: Path;
  readonly from: Path;
}

/** The comments of a policy, each on the smallest part of the new object that replaces the part it describes. */
export function carriedComments(
  { object }: PolicyDefinition,
  parts: readonly Correspondence[],
): readonly Comment[] {
  return object.document.commentsIn(object.path).flatMap((comment): readonly Comment[] => {
    const [nearest] = parts
      .filter(({ from }) => isWithin(comment.path, from))
      .toSorted((a, b) => b.from.length - a.from.length);
    // What is said about a rule goes where the rule goes, and nowhere else.
    if (nearest === undefined || nearest.from.length < rulePathLength(comment.path)) return [];
    const isItself = nearest.from.length === comment.path.length;
    return [{ ...comment, path: nearest.at, side: isItself ? comment.side : "before" }];
  });
}

/** The steps to the rule that a path leads into; 0 where it does not. */
function rulePathLength(path: Path): number {
  const section = path[0] === "specs" ? 2 : 1;
  return /^(in|e)gress(Deny)?$/.test(String(path[section])) && typeof path[section + 1] === "number"
    ? section + 2
    : 0;
}
