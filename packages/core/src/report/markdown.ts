/*
 * Text from manifests in Markdown, as GitHub and GitLab render it. It must not end the cell, item or code span that it is in,
 * be read as markup or HTML, make a link or an emoji, or notify people (`@name`), issues (`#1`, `GH-1`), merge requests (`!1`) and
 * commits (their hash).
 */

/** Text within a line. */
export function markdownText(text: string): string {
  const line = text.replace(/\s+/g, " ");
  // Backslashes do not keep names and addresses from becoming links; code spans do.
  return becomesLink.test(line) ? markdownCode(line) : line.replace(/[\\|`*_<>[\]~&]/g, "\\$&");
}

const becomesLink = new RegExp(
  [
    String.raw`[@#]|://|www\.|mailto:|xmpp:`,
    // References of GitHub and GitLab: issues, merge requests, snippets, milestones, epics, labels.
    String.raw`GH-\d|[!$%&~][\w"]`,
    // Commits, and emoji.
    String.raw`\b[0-9a-f]{7,64}\b|:[\w+-]+:`,
  ].join("|"),
  "i",
);

/** A code span. A `|` would end the cell of a table even inside of one. */
export function markdownCode(text: string): string {
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const room = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}
