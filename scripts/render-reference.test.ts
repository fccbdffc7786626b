import { expect, test } from "vitest";
import { integer, list, object, oneOf, required, string } from "../packages/core/src/schema/schema.js";
import { renderReference } from "./render-reference.mjs";

const selector = (description: string) =>
  object("a selector", description, { key: required(string("A key.")) });

test("every object of a schema gets a table of its own, once", () => {
  const rule = object(
    "a rule",
    "What to do.",
    {
      action: required(oneOf("What happens.", ["Allow", "Deny"], "Allow")),
      priority: integer("Lower goes first.", { minimum: 0, maximum: 1000 }),
      from: list("Sources | peers.", selector("Who."), { maxItems: 25 }),
      to: selector("The target."),
    },
    [{ kind: "exactly-one", of: ["from", "to"] }],
  );
  expect(renderReference(rule, "###")).toBe(`What to do.

| field | type | what |
|---|---|---|
| \`action\` (required) | \`Allow\` or \`Deny\`; default \`Allow\` | What happens. |
| \`priority\` | integer 0–1000 | Lower goes first. |
| \`from\` | list of [Selector](#selector), at most 25 | Sources \\| peers. |
| \`to\` | [Selector](#selector) | The target. |

- Exactly one of \`from\` or \`to\` must be set.

### Selector

| field | type | what |
|---|---|---|
| \`key\` (required) | text | A key. |
`);
});

test("headings stay unique over a page, and links follow them", () => {
  const headings = new Set(["Selector"]);
  const schema = object("a peer", "Who.", { pods: selector("Pods.") });
  const text = renderReference(schema, "###", headings);
  expect(text).toContain("[Selector 2](#selector-2)");
  expect(text).toContain("### Selector 2\n\nPods.\n");
  expect([...headings]).toEqual(["Selector", "Selector 2"]);
});
