import { visibleLines } from "../diagnostics/visible.js";

/** Text as it may stand in XML, SVG and HTML, between tags and in attributes; what XML cannot hold is written as an escape. */
export function escapeMarkup(text: string): string {
  return visibleLines(text).replace(/[&<>"']/g, (found) => escapes[found]!);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** JSON as it may stand in a `script` element: `<` is written as an escape, so that nothing in it ends the element. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
