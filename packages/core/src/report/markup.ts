import { visibleLines } from "../diagnostics/visible.js";

/** Text for XML, SVG and HTML, between tags and in attributes; what XML cannot represent is written as an escape. */
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

/** JSON for a `script` element: `<` is written as an escape, so that nothing in it ends the element. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
