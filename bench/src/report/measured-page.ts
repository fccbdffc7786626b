/** A page of docs/explanation/performance/: what one command measured. */
export type MeasuredPage = keyof typeof commands;

const commands = {
  engine: "npm run bench",
  proofs: "npm run bench -- --only prove",
  dataplane: "npm run bench:dataplane",
  cluster: "npm run bench:cluster",
  page: "npm run bench:page",
} as const;

export const measuredPages = new URL("../../../docs/explanation/performance/", import.meta.url);

export const pathOf = (page: MeasuredPage): string => `docs/explanation/performance/${page}.md`;

/** The whole page, whatever it was before. */
export const pageText = (page: MeasuredPage, text: string): string =>
  `<!-- Written by \`${commands[page]}\`: run it again instead of changing this page. -->\n\n${text.trim()}\n`;
