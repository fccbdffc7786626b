import { Document as YamlDocument, isMap, isNode, isPair, isScalar, isSeq, type Node, visit } from "yaml";
import type { Path } from "../../diagnostics/place.js";
import type { Comment, JsonObject } from "../document.js";
import type { ManifestObject } from "../object.js";

/** An object to be written, and comments on its parts. */
export interface CommentedObject {
  readonly value: JsonObject;
  readonly comments: readonly Comment[];
  /** The object that it replaces, or that it is a part of. */
  readonly replaces?: ManifestObject;
}

/** Documents in the order given. */
export function writeYaml(objects: readonly CommentedObject[]): string {
  return objects.map(writeDocument).join("---\n");
}

function writeDocument({ value, comments }: CommentedObject): string {
  // As kubectl reads it: `on` is true unless it is quoted.
  const document = new YamlDocument(value, { version: "1.1", aliasDuplicateObjects: false });
  for (const comment of comments) attach(document, comment);
  visit(document, {
    Scalar: (_key, scalar) => void (isCommand(scalar.value) && (scalar.type = "QUOTE_DOUBLE")),
  });
  // What is quoted stays on one line, however long it is.
  const doubleQuotedMinMultiLineLength = Number.MAX_SAFE_INTEGER;
  return document.toString({ lineWidth: 0, directives: false, doubleQuotedMinMultiLineLength });
}

/** As a block of lines, it would give a CI system a command if the output is in its log. */
const isCommand = (value: unknown): boolean => typeof value === "string" && /\n\s*(?:::|##\[)/.test(value);

function attach(document: YamlDocument, { path, side, text }: Comment): void {
  const { owner, value } = nodeAt(document, path);
  const words = text === "" ? "" : ` ${text}`;
  if (side === "inline" && isScalar(value) && !value.comment) value.comment = words;
  else owner.commentBefore = owner.commentBefore ? `${owner.commentBefore}\n${words}` : words;
}

/** The node that a comment on this path is attached to: the key of a field, an item itself, or the object. */
function nodeAt(document: YamlDocument, path: Path): { readonly owner: Node; readonly value: unknown } {
  const whole = document.contents!;
  const parent: unknown = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last);
    if (pair !== undefined && isNode(pair.key)) return { owner: pair.key, value: pair.value };
  }
  const item = isSeq(parent) && typeof last === "number" ? parent.items[last] : undefined;
  return isNode(item) ? { owner: item, value: item } : { owner: whole, value: undefined };
}
