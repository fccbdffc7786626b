// A schema of packages/core/src/schema as Markdown: a table of fields for each object in it, outermost first.

/** The same in every kind, and Kubernetes documents it. */
const leftOut = "metadata";

/**
 * Objects with the same fields share a table, whatever is said of them as a whole: a label selector in ten places gets one.
 * @param {object} schema the ObjectSchema of a policy kind
 * @param {string} level the marks of a heading: `###`
 * @param {Set<string>} headings those the page has already, so that links stay unambiguous; new ones are added
 * @returns {string}
 */
export function renderReference(schema, level, headings = new Set()) {
  const sections = new Map();
  const sectionOf = (object) => {
    const key = JSON.stringify([object.title, object.fields, object.constraints]);
    if (!sections.has(key)) {
      const heading = object === schema ? "" : newHeading(object.title, headings);
      sections.set(key, { heading, object, descriptions: new Set() });
    }
    const section = sections.get(key);
    section.descriptions.add(object.description);
    return section;
  };
  sectionOf(schema);
  // The map grows while it is walked, as each table meets the objects below it: breadth first.
  for (const section of sections.values()) section.table = fieldTable(section.object, sectionOf);
  return [...sections.values()].map((section) => sectionText(section, level)).join("\n");
}

function sectionText({ heading, object, descriptions, table }, level) {
  const lines = heading === "" ? [] : [`${level} ${heading}`, ""];
  // Several descriptions are about the places where it is used, whose tables have them already.
  if (descriptions.size === 1) lines.push(object.description, "");
  lines.push(...table, "");
  const rules = (object.constraints ?? []).map(constraintText).filter((text) => text !== undefined);
  for (const rule of rules) lines.push(`- ${rule}`);
  if (rules.length > 0) lines.push("");
  return lines.join("\n");
}

function fieldTable(object, sectionOf) {
  const rows = Object.entries(object.fields).map(([name, schema]) => {
    const label = `\`${name}\`${schema.required && !schema.lenient ? " (required)" : ""}`;
    return `| ${label} | ${cell(typeText(schema, sectionOf))} | ${cell(schema.description)} |`;
  });
  return ["| field | type | what |", "|---|---|---|", ...rows];
}

function typeText(schema, sectionOf) {
  switch (schema.type) {
    case "string":
      if (schema.values) {
        const fallback = schema.default === undefined ? "" : `; default ${code(schema.default)}`;
        return `${enumeration(schema.values.map(code), "or")}${fallback}`;
      }
      return `${schema.format?.name ?? "text"}${schema.maxLength ? `, at most ${schema.maxLength} characters` : ""}`;
    case "integer":
      return `integer${range(schema)}`;
    case "boolean":
      return schema.only ? code(true) : `${code(true)} or ${code(false)}`;
    case "int-or-string":
      return `integer${range(schema)}, or ${schema.format.name}`;
    case "list":
      return `list of ${typeText(schema.items, sectionOf)}${length(schema)}`;
    case "map":
      return `map of ${schema.keys.name} to ${schema.values.name}`;
    case "object": {
      if (schema.title === leftOut) return "object";
      const { heading } = sectionOf(schema);
      return `[${heading}](#${anchor(heading)})`;
    }
    case "any":
      return "anything";
    default:
      throw new Error(`scripts/render-reference.mjs does not know schemas of type \`${schema.type}\``);
  }
}

/** `a peer` becomes `Peer`, the next one `Peer 2`. */
function newHeading(title, headings) {
  const name = title.replace(/^an? /, "");
  const first = name[0].toUpperCase() + name.slice(1);
  let heading = first;
  for (let number = 2; headings.has(heading); number++) heading = `${first} ${number}`;
  headings.add(heading);
  return heading;
}

/** Constraints in code have no words of their own: the diagnostics they give explain them. */
function constraintText(constraint) {
  switch (constraint.kind) {
    case "exactly-one":
      return `Exactly one of ${enumeration(constraint.of.map(code), "or")} must be set.`;
    case "at-least-one":
      return `At least one of ${enumeration(constraint.of.map(code), "or")} must be set.`;
    case "at-most-one":
      return `At most one of ${enumeration(constraint.of.map(code), "or")} may be set.`;
    case "needs":
      return `${code(constraint.field)} needs ${enumeration(constraint.needs.map(code), "or")} in addition.`;
    default:
      return undefined;
  }
}

function range({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}–${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return maximum === undefined ? "" : ` up to ${maximum}`;
}

function length({ minItems, maxItems, set }) {
  const limits = [];
  if (minItems) limits.push(`at least ${minItems}`);
  if (maxItems !== undefined) limits.push(`at most ${maxItems}`);
  if (set) limits.push("none twice");
  return limits.map((limit) => `, ${limit}`).join("");
}

function enumeration(words, last) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

const code = (value) => `\`${value}\``;
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
/** The id GitHub gives a heading. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
