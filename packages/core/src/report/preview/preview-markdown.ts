import type { Preview } from "../../analysis/preview/preview.js";
import type { Annotation } from "../github-annotation.js";
import { capital, changesAnnotations, changesMarkdown } from "../changes/changes-markdown.js";
import { PartyNames } from "../changes/changes-words.js";
import { counted, numberText } from "../wording.js";
import { markdownText } from "../markdown.js";
import { editText, remarksOf } from "./preview-words.js";

const shown = 10;

/** For pull requests: findings first, then the tables of what changes. */
export function previewMarkdown(preview: Preview): string {
  const lines = [
    "## Network policy preview",
    "",
    ...preview.edits.map((edit) => `- ${markdownText(editText(edit))}`),
  ];
  for (const { title, remarks } of remarksOf(preview, new PartyNames(preview.changes))) {
    lines.push("", `### ${capital(title)}: ${counted(remarks.length, "finding")}`, "");
    for (const { text, more } of remarks.slice(0, shown))
      lines.push(`- ${[text, ...more].map(markdownText).join("<br>")}`);
    if (remarks.length > shown) lines.push(`- …and ${numberText(remarks.length - shown)} more`);
  }
  return [...lines, "", changesMarkdown(preview.changes, "What changes")].join("\n");
}

/** Findings at the line of the first applied policy, lockouts as errors; then the changes. */
export function previewAnnotations(preview: Preview): readonly Annotation[] {
  const place = preview.edits.find(({ what, policy }) => what !== "deleted" && policy)?.policy?.place();
  const found = remarksOf(preview, new PartyNames(preview.changes)).flatMap(({ title, remarks }) =>
    remarks.slice(0, shown).map(({ text, more }) => ({
      level: title === "lockouts" || title === "cut off" ? ("error" as const) : ("warning" as const),
      place,
      title,
      message: [text, ...more].join("\n"),
    })),
  );
  return [...found, ...changesAnnotations(preview.changes)];
}
