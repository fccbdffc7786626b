import {
  type Document as YamlDocument,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Node,
} from "yaml";
import { isWithin, type Path } from "../../diagnostics/place.js";
import type { Comment } from "../document.js";

/**
 * The comments of a document, whose part of the text begins at `start`, each with the path of what it refers to. The library attaches comments to the
 * nodes it happens to be reading; people mean the line below, or the same line.
 */
export function commentsOf(text: string, tree: YamlDocument.Parsed, start: number): readonly Comment[] {
  const marks = marksIn(tree);
  const [, , end] = tree.range;
  const own = commentTokens(text).filter(([offset]) => offset >= start && offset <= end);
  return own.map(([offset, token]): Comment => {
    const words = token.replace(/^#+ ?/, "").trimEnd();
    const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
    const isInline = text.slice(lineStart, offset).trim() !== "";
    const first = isInline
      ? marks.find((mark) => mark.offset >= lineStart && mark.offset < offset)
      : undefined;
    const inline = first && marks.findLast((mark) => mark.offset === first.offset);
    if (inline !== undefined) return { path: inline.path, side: "inline", text: words };
    return { path: spokenOf(text, offset, offset - lineStart, marks), side: "before", text: words };
  });
}

/** Where something begins that has a path: the value of a key at its key, an item of a list at itself. */
interface Mark {
  readonly offset: number;
  readonly path: Path;
}

/** What is below, or what is above if the comment is indented deeper than what is below: it ends a block. */
function spokenOf(text: string, offset: number, indent: number, marks: readonly Mark[]): Path {
  const lineStart = (at: number) => text.lastIndexOf("\n", at - 1) + 1;
  const below = marks.find((mark) => mark.offset > offset);
  if (below !== undefined && indent <= text.slice(lineStart(below.offset)).search(/\S/)) return below.path;
  const above = marks.findLast((mark) => mark.offset < offset)?.path ?? [];
  const around = marks.filter(({ path }) => isWithin(above, path));
  return around.find((mark) => mark.offset - lineStart(mark.offset) >= indent)?.path ?? above;
}

/** In the order of the text; where several begin at once, the outermost first. */
function marksIn(tree: YamlDocument.Parsed): readonly Mark[] {
  const marks: Mark[] = [];
  const add = (node: unknown, path: Path) => {
    if (isNode(node) && node.range) marks.push({ offset: node.range[0], path });
  };
  const walk = (node: Node | null, path: Path) => {
    if (isMap(node))
      for (const { key, value } of node.items) {
        if (!isScalar(key)) continue;
        const inner = [...path, String(key.value)];
        add(key, inner);
        if (isNode(value) && !isAlias(value)) walk(value, inner);
      }
    else if (isSeq(node))
      for (const [i, item] of node.items.entries()) {
        if (!isNode(item)) continue;
        add(item, [...path, i]);
        if (!isAlias(item)) walk(item, [...path, i]);
      }
  };
  add(tree.contents, []);
  walk(tree.contents, []);
  return marks.toSorted((a, b) => a.offset - b.offset || a.path.length - b.path.length);
}

/** The lexer puts these between the parts of the text; they are not part of it. */
const markers: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

function commentTokens(text: string): readonly (readonly [offset: number, token: string])[] {
  const found: [number, string][] = [];
  let offset = 0;
  let isScalarNext = false;
  for (const token of new Lexer().lex(text)) {
    if (markers.has(token)) {
      isScalarNext = token === "\u001f";
      continue;
    }
    if (!isScalarNext && token.startsWith("#")) found.push([offset, token]);
    isScalarNext = false;
    offset += token.length;
  }
  return found;
}
