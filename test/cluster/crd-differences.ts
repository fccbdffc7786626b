import { readFileSync } from "node:fs";

/* What docs/reference/crds.md says of where the API server and our own validation do not agree. */

const page = readFileSync(new URL("../../docs/reference/crds.md", import.meta.url), "utf8");

/** The files whose policies we take and the API server refuses, or the other way round: `examples/x/policies.yaml`. */
export const documentedDifferences: readonly string[] = rowsUnder("manifest")
  .flatMap(([manifest]) => [...manifest!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!))
  .toSorted();

/** Codes of mistakes that our validation refuses and definitions cannot, or must not: `TW1301`. */
export const documentedLeniency: readonly string[] = rowsUnder("code").flatMap(([codes]) =>
  [...codes!.matchAll(/`(TW\d+)`/g)].map(([, code]) => code!),
);

/** `networks 25`: limits of definitions that the APIs themselves do not have. */
export const documentedLimits: readonly string[] = rowsUnder("field").flatMap(([fields, limit]) =>
  [...fields!.matchAll(/`([^`]+)`/g)].map(([, field]) => `${field} ${limit}`),
);

/** Whether a refusal is for nothing but such limits. */
export function isForDocumentedLimits(message: string): boolean {
  const found = [...message.matchAll(/\.(\w+): Too many: \d+: must have at most (\d+) items/g)];
  const rest = message.replaceAll(/[^ ]+: Too many: \d+: must have at most \d+ items/g, "");
  return (
    found.length > 0 &&
    found.every(([, field, limit]) => documentedLimits.includes(`${field} ${limit}`)) &&
    !/: (Invalid value: (?!null: some validation rules)|Required|Unsupported|Duplicate|Too long)/.test(rest)
  );
}

/** The rows of the table whose first column is called so, cell by cell. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`docs/reference/crds.md has no table of \`${heading}\``);
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
