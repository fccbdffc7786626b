import type { Path, Place } from "../../diagnostics/place.js";
import { type Document, isObject, type Json } from "../document.js";
import { type Block, blockIn, keyIn, type Page, pageOf, takesSeveralLines } from "./plain-block.js";
import { placesInText, type YamlText } from "./yaml-tree.js";

/** The places of a plain text that is one document: most are found by indentation, and the others with a syntax tree. */
export function placesInPlainText(part: YamlText): Document {
  const { text, place } = part;
  const tree = placesInText(part);
  let found: { readonly block: Block; readonly page: Page } | undefined;
  const look = () => {
    if (found === undefined) {
      const block = wholeBlock(text);
      found = { block, page: pageOf(text, block) };
    }
    return found;
  };
  return {
    ...tree,
    placeOf: (path) => {
      const { block, page } = look();
      const meant = blockIn(page, block, path);
      return meant !== undefined && takesSeveralLines(page, meant)
        ? place(meant.start, meant.end)
        : tree.placeOf(path);
    },
    placeOfKey: (path) => {
      const { block, page } = look();
      const key = keyIn(page, block, path);
      return key === undefined ? tree.placeOfKey(path) : place(key, key + String(path.at(-1)).length);
    },
  };
}

/** From the first line that holds something. */
function wholeBlock(text: string): Block {
  const before = /^(?: *(?:#.*)?\n)*( *)/.exec(text)!;
  return { start: before[0].length, column: before[1]!.length, end: text.length };
}

/** Shorter texts are read again as a whole. */
const longText = 64 * 1024;

/**
 * The places of a long plain text that is one list, such as a snapshot. Most are found by indentation; for what is left, only
 * the item that it is in is read with a syntax tree. Undefined for other texts.
 */
export function placesInPlainList(part: YamlText, value: Json): Document | undefined {
  const { text, file, place } = part;
  if (text.length < longText || !isObject(value) || !Array.isArray(value.items)) return undefined;
  const count = value.items.length;
  const whole = placesInText(part);
  // Looked for when the first place is asked for.
  let list: ItemStarts | undefined;
  const itemAt = (path: Path): Item | undefined => {
    const [items, index, ...inner] = path;
    if (items !== "items" || typeof index !== "number") return undefined;
    const { starts, indent } = (list ??= itemStarts(text));
    const [from, end] = [starts[index], starts[index + 1]];
    // Where dashes and items do not agree, indentation does not tell.
    if (starts.length !== count + 1 || from === undefined || end === undefined) return undefined;
    const column = indent + "- ".length;
    return { block: { start: from + column, column, end }, from, inner };
  };
  const withTree = (path: Path): readonly [Document, Path] => {
    const item = itemAt(path);
    return item === undefined ? [whole, path] : [treeOf(item), [0, ...item.inner]];
  };
  // Questions about one item come together.
  const pageFor = lastOne(({ block }) => pageOf(text, block));
  const treeOf = lastOne(({ from, block }): Document => {
    const placeInItem = (start: number, end: number): Place => place(from + start, from + end);
    return placesInText({ text: text.slice(from, block.end), file, place: placeInItem });
  });
  return {
    file,
    placeOf: (path) => {
      const item = itemAt(path);
      const block = item && blockIn(pageFor(item), item.block, item.inner);
      if (item && block && takesSeveralLines(pageFor(item), block)) return place(block.start, block.end);
      const [document, inner] = withTree(path);
      return document.placeOf(inner);
    },
    placeOfKey: (path) => {
      const item = itemAt(path);
      const key = item && keyIn(pageFor(item), item.block, item.inner);
      if (key !== undefined) return place(key, key + String(path.at(-1)).length);
      const [document, inner] = withTree(path);
      return document.placeOfKey(inner);
    },
    writtenAt: (path) => {
      const [document, inner] = withTree(path);
      return document.writtenAt(inner);
    },
    // What stands above an item's dash speaks of it, and is not in its block.
    commentsIn: (path) => whole.commentsIn(path),
  };
}

/** Made for an item, and kept until another one is asked about. */
function lastOne<T>(make: (item: Item) => T): (item: Item) => T {
  let last: { readonly from: number; readonly made: T } | undefined;
  return (item) => {
    if (last?.from !== item.from) last = { from: item.from, made: make(item) };
    return last.made;
  };
}

interface Item {
  readonly block: Block;
  /** The beginning of the line with its dash. */
  readonly from: number;
  /** The way from the item on. */
  readonly inner: Path;
}

interface ItemStarts {
  /** Where the lines of the items' dashes begin, and where the list ends. */
  readonly starts: readonly number[];
  readonly indent: number;
}

function itemStarts(text: string): ItemStarts {
  const head = /^items: *\r?\n(?: *(?:#.*)?\r?\n)*( *)- /m.exec(text);
  if (head === null) return { starts: [], indent: 0 };
  const indent = head[1]!.length;
  const first = head.index + head[0].length - indent - "- ".length;
  // What is less indented than the dashes, or stands where they do without being one, is behind the list.
  const line = new RegExp(`^(?: {${indent}}(- )| {0,${indent}}[^\\s#-])`, "gm");
  line.lastIndex = first;
  const starts: number[] = [];
  for (let found = line.exec(text); found !== null; found = line.exec(text)) {
    starts.push(found.index);
    if (found[1] === undefined) return { starts, indent };
  }
  return { starts: [...starts, text.length], indent };
}
