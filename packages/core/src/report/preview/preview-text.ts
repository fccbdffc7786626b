import type { Preview } from "../../analysis/preview/preview.js";
import { changesText, more } from "../changes/changes-text.js";
import { PartyNames } from "../changes/changes-words.js";
import { editText, remarksOf } from "./preview-words.js";
import { type TextOptions, wrap } from "../style.js";
import { counted } from "../wording.js";

const shown = { edits: 5, remarks: 4 };
const columns = 80;

/** What is done, what it changes, and the findings about it. */
export function previewText(preview: Preview, options: TextOptions): string {
  const { style, verbose = false } = options;
  const most = verbose ? { edits: Infinity, remarks: Infinity } : shown;
  const { edits, changes, lockouts } = preview;
  const names = new PartyNames(changes);
  const lines = [
    ...edits.slice(0, most.edits).map((edit) => style.bold(editText(edit))),
    ...more(edits.length - most.edits, "", style),
    ...(edits.length === 0 ? ["nothing is applied or deleted"] : []),
    "",
    changesText(changes, options),
  ];
  for (const { title, remarks } of remarksOf(preview, names)) {
    const paint = title === "lockouts" || title === "cut off" ? style.bad : style.unsure;
    lines.push("", `${paint(title)}  ${counted(remarks.length, "finding")}`);
    for (const { text, more: details } of remarks.slice(0, most.remarks)) {
      lines.push(wrap("  ", text, "      ", columns));
      for (const detail of details) lines.push(style.dim(wrap("      ", detail, "        ", columns)));
    }
    lines.push(...more(remarks.length - most.remarks, "  ", style));
  }
  if (lockouts.unchecked.length > 0)
    lines.push("", style.dim(`not checked: ${lockouts.unchecked.join(" and ")} (not in the input)`));
  return lines.join("\n");
}
