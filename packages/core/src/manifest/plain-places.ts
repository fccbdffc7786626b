import type { Document } from "./document.js";
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
