/*
 * Text from manifests in Markdown, as GitHub and GitLab render it. It must not end the cell, item or code span that it stands in,
 * be read as markup or HTML, make a link, or notify people (`@name`) and issues (`#1`).
 */

/** Text within a line. */
export function markdownText(text: string): string {
  const line = text.replace(/\s+/g, " ");
  // Backslashes do not keep names and addresses from becoming links; code spans do.
  return becomesLink.test(line) ? markdownCode(line) : line.replace(/[\\|`*_<>[\]~&]/g, "\\$&");
}

const becomesLink = /[@#]|:\/\/|www\.|mailto:|xmpp:/i;

/** A code span. A `|` would end the cell of a table even inside of one. */
export function markdownCode(text: string): string {
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const room = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}
