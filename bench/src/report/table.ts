/** A table as text: columns as wide as needed; numbers are not formatted here. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function textTable({ head, rows }: Table): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, i) => (cells[i] ?? "").padEnd(width))
      .join("   ")
      .trimEnd();
  return [head, ...rows].map(line).join("\n");
}

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
