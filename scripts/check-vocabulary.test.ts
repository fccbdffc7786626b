import { expect, test } from "vitest";
import { oddPhrases, phrases } from "./check-vocabulary.mjs";

// Put together here, so that this file can be checked itself.
const odd = ["hangs", "on"].join(" ");
const found = (file: string, text: string) => oddPhrases(file, text).map((hit) => [hit.line, hit.found]);

test("a phrase is found with its line, also where a line break divides it", () => {
  const text = `It is fine.\nThe verdict ${odd} a label.\nThe verdict ${odd.replace(" ", "\n")} a label.`;
  expect(found("docs/a.md", text)).toEqual([
    [2, odd],
    [3, odd],
  ]);
});

test("what to write instead is said", () => {
  expect(oddPhrases("docs/a.md", `It ${odd} it.`)[0]?.instead).toBe("depends on");
  for (const { phrase, instead } of phrases) expect([phrase, instead]).not.toContain("");
});

test("what commands print, code in a sentence and the targets of links are not prose", () => {
  const blocks = `Run:\n\n    it ${odd}\n\n\`\`\`text\nit ${odd}\n\`\`\`\n\`it ${odd}\` and [a link](${odd})\n`;
  expect(found("docs/a.md", blocks)).toEqual([]);
});

test("the continuation of a list item is prose, however far it is indented", () => {
  expect(found("docs/a.md", `- One.\n\n    It ${odd} it.\n`)).toEqual([[3, odd]]);
});

test("generated pages get their words from code", () => {
  const page = `<!-- Written by \`npm run generate\`: change the source. -->\n\nIt ${odd} it.\n`;
  expect(found("docs/a.md", page)).toEqual([]);
});

test("comments of manifests, wrapped comments of code and identifiers are checked", () => {
  expect(found("examples/a.yaml", `kind: Pod # it ${odd} it\n`)).toEqual([[1, odd]]);
  expect(found("a.ts", `// it ${odd.replace(" ", "\n// ")} it\n`)).toHaveLength(1);
  expect(found("a.ts", "const hangsOnLabels = 1;\n")).toEqual([[1, odd]]);
});

test("a phrase inside a longer word is not meant", () => {
  expect(found("docs/a.md", "A marshalled recommendation of the intelligent.")).toEqual([]);
});
