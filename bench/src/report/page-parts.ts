/*
 * docs/explanation/performance.md has a part for each command that measures. Each command writes its own part, and leaves
 * those of the others alone.
 */
export const parts = ["engine", "proofs", "dataplane", "cluster", "page"] as const;
export type Part = (typeof parts)[number];

const title = "# Performance\n";

/** The page with one part in a new version, whatever the page was before. */
export function withPart(page: string, part: Part, text: string): string {
  const written = (name: Part) => (name === part ? text : partOf(page, name));
  const shown = parts.flatMap((name) => {
    const found = written(name);
    return found === undefined ? [] : [`${begin(name)}\n\n${found.trim()}\n\n${end(name)}\n`];
  });
  return [title, ...shown].join("\n");
}

function partOf(page: string, part: Part): string | undefined {
  const from = page.indexOf(begin(part));
  const to = page.indexOf(end(part));
  return from < 0 || to < from ? undefined : page.slice(from + begin(part).length, to);
}

const begin = (part: Part): string =>
  `<!-- ${part}: written by \`${commands[part]}\`, which is to be run again instead of changing it -->`;
const end = (part: Part): string => `<!-- end of ${part} -->`;

const commands: Record<Part, string> = {
  engine: "npm run bench",
  proofs: "npm run bench -- --only prove",
  dataplane: "npm run bench:dataplane",
  cluster: "npm run bench:cluster",
  page: "npm run bench:page",
};
