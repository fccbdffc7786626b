import { isWithin, type Path } from "../../diagnostics/place.js";
import { countsOf } from "../../collections/maps.js";
import type { Comment } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import type { PolicyDefinition } from "../../state/state.js";

/** A part of a new object, and the part of an old one that it replaces. */
export interface Correspondence {
  readonly at: Path;
  readonly from: Path;
}

/**
 * The comments inside a policy, each on the smallest part of the new object that replaces the part it describes. Those about the
 * policy as a whole are placed when all new objects are known.
 */
export function carriedComments(
  { object }: PolicyDefinition,
  parts: readonly Correspondence[],
): readonly Comment[] {
  return object.document.commentsIn(object.path).flatMap((comment): readonly Comment[] => {
    if (comment.path.length === 0) return [];
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

/** New objects with the comments about whole policies, and those that are about a whole file. */
export interface Commented {
  /** Lines of comments, for the top of the text. */
  readonly header: readonly string[];
  readonly objects: readonly CommentedObject[];
}

/**
 * A policy may become several objects: its comment is on the first of them. A comment at the top of a file with several policies is
 * about the file.
 */
export function withWholeComments(
  objects: readonly CommentedObject[],
  definitions: readonly PolicyDefinition[],
): Commented {
  const inFile = countsOf(definitions.map(({ object }) => object.document.file));
  const header: string[] = [];
  const seen = new Set<ManifestObject>();
  const placed = objects.map((object): CommentedObject => {
    const { replaces, comments } = object;
    if (replaces === undefined || seen.has(replaces)) return object;
    seen.add(replaces);
    const whole = replaces.document.commentsIn(replaces.path).filter(({ path }) => path.length === 0);
    if (whole.length === 0) return object;
    const isHeader = isAtTop(replaces, whole) && (inFile.get(replaces.document.file) ?? 0) > 1;
    if (!isHeader) return { ...object, comments: [...whole, ...comments] };
    if (header.length > 0) header.push("");
    header.push(...whole.map(({ text }) => (text === "" ? "#" : `# ${text}`)));
    return object;
  });
  return { header, objects: placed };
}

/** Whether nothing but these comments is above an object: another document takes at least two lines. */
const isAtTop = ({ document, path }: ManifestObject, whole: readonly Comment[]): boolean =>
  path.length === 0 && document.placeOf(path).line - 1 - whole.length <= 1;
