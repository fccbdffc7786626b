// What can be imported of @tierwall/core: which names each door exports, where they are declared, and how they are documented.
// docs/reference/library-api.md is written from this, and scripts/library-api.test.ts checks it.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { root } from "./prepare.mjs";

const core = join(root, "packages/core");

/**
 * @typedef {object} Exported
 * @property {string} name
 * @property {string} heading the comment above it in the door
 * @property {string} origin file and name of the declaration: equal for two exports that mean the same
 * @property {string} documentation of the declaration; empty where there is none
 * @property {string[]} undocumented public members of a class that have no documentation
 * @property {string} code the declaration without bodies and private members
 */

/** The exports of each door of package.json, by what is written in an import: `@tierwall/core/model`. */
export function readDoors() {
  const { name, exports } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"));
  return Object.fromEntries(
    Object.entries(exports).map(([path, { types }]) => [
      join(name, path),
      exportsOf(join(core, types.replace(/^\.\/dist\/(.*)\.d\.ts$/, "src/$1.ts"))),
    ]),
  );
}

/** @returns {Exported[]} */
function exportsOf(door) {
  const { text, program, comments } = parsed(door);
  const headings = comments.filter(({ type }) => type === "Line");
  return program.body.flatMap((statement) => {
    const heading = headings.findLast(({ end }) => end <= statement.start)?.value.trim() ?? "";
    return (statement.specifiers ?? []).map(({ local, exported }) => ({
      name: exported.name,
      heading,
      ...declared(moduleOf(door, statement.source.value), local.name, text),
    }));
  });
}

const moduleOf = (from, specifier) => join(dirname(from), specifier).replace(/\.js$/, ".ts");

/** Follows re-exports to where a name is declared. */
function declared(file, name) {
  const { text, program, comments } = parsed(file);
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    const again = statement.specifiers.find(({ exported }) => exported.name === name);
    if (again !== undefined && statement.source !== null)
      return declared(moduleOf(file, statement.source.value), again.local.name);
    const { declaration } = statement;
    const named = declaration?.id?.name ?? declaration?.declarations?.[0]?.id.name;
    if (named !== name) continue;
    return {
      origin: `${file.slice(root.length)}#${name}`,
      documentation: documentationOf(comments, text, statement.start),
      undocumented: membersOf(declaration)
        .filter(({ start }) => commentBefore(comments, text, start) === undefined)
        .map(({ key, parameter }) => (key ?? parameter).name),
      code: codeOf(declaration, text, comments),
    };
  }
  throw new Error(`${file} does not declare ${name}`);
}

const files = new Map();

function parsed(file) {
  if (!files.has(file)) {
    const text = readFileSync(file, "utf8");
    const { program, comments, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    files.set(file, { text, program, comments });
  }
  return files.get(file);
}

/** The text of the `/** … *\/` that ends right before. */
function documentationOf(comments, text, start) {
  const comment = commentBefore(comments, text, start);
  if (comment === undefined) return "";
  return comment.value
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function commentBefore(comments, text, start) {
  const comment = comments.findLast(({ end }) => end <= start);
  const isNext = comment !== undefined && text.slice(comment.end, start).trim() === "";
  return isNext && comment.type === "Block" && comment.value.startsWith("*") ? comment : undefined;
}

/** The public members of a class. Of a method with several signatures, only the first. */
function membersOf({ type, body }) {
  if (type !== "ClassDeclaration") return [];
  const members = body.body.flatMap((member) => {
    const kept = keptParameters(member);
    return kept.length > 0 ? kept : [member];
  });
  const isPublic = ({ accessibility, key }) =>
    accessibility !== "private" && key?.type !== "PrivateIdentifier";
  return members.filter(
    (member, i) => isPublic(member) && (!member.key || member.key.name !== members[i - 1]?.key?.name),
  );
}

/** Parameters of a constructor that are members as well. */
const keptParameters = ({ kind, value }) =>
  kind === "constructor" ? value.params.filter(({ type }) => type === "TSParameterProperty") : [];

function codeOf(declaration, text, comments) {
  switch (declaration.type) {
    case "ClassDeclaration":
      return classCode(declaration, text, comments);
    case "FunctionDeclaration":
      return signatureOf(declaration, declaration.start, declaration.body, text);
    default:
      return text.slice(declaration.start, declaration.end);
  }
}

/** Up to the body; a parameter with a default is an optional one. */
function signatureOf({ params }, start, body, text) {
  let code = text.slice(start, body?.start ?? text.indexOf(";", params.at(-1)?.end ?? start)).trimEnd();
  for (const { type, start, end, left } of params) {
    if (type !== "AssignmentPattern") continue;
    const typed = text.slice(left.start, left.end).replace(/^\w+(?=:)/, "$&?");
    code = code.replace(text.slice(start, end), typed);
  }
  return `${code};`;
}

function classCode({ id, body }, text, comments) {
  const overloaded = new Set(
    body.body.filter(({ value }) => value?.body === null).map(({ key }) => key.name),
  );
  const members = body.body.flatMap((member) => {
    if (member.accessibility === "private" || member.key.type === "PrivateIdentifier") return [];
    if (member.kind === "constructor") return constructorCode(member, text, comments);
    if (member.type === "PropertyDefinition") {
      const end = member.value?.start ?? member.end;
      return withComment(member, text, comments, text.slice(member.start, end).replace(/\s*=?\s*;?$/, ";"));
    }
    const { body: block } = member.value;
    // What overloads have in common is nothing to call.
    if (block !== null && overloaded.has(member.key.name)) return [];
    return withComment(member, text, comments, signatureOf(member.value, member.start, block, text));
  });
  return `class ${id.name} {\n${members.join("\n")}\n}`;
}

/** What it takes, where callers make one themselves; what it keeps, in any case. */
function constructorCode(member, text, comments) {
  const kept = keptParameters(member);
  const members = kept
    .filter(({ accessibility }) => accessibility !== "private")
    .map((kept) => withComment(kept, text, comments, `${text.slice(kept.start, kept.end)};`));
  if (kept.length > 0) return members;
  return [
    withComment(member, text, comments, signatureOf(member.value, member.start, member.value.body, text)),
  ];
}

/** A member with its documentation, indented as in a class of its own. */
function withComment(node, text, comments, code) {
  const comment = commentBefore(comments, text, node.start);
  const column = node.start - (text.lastIndexOf("\n", node.start - 1) + 1);
  const indent = new RegExp(`^ {${column}}`, "gm");
  const lines = [...(comment === undefined ? [] : [`/*${comment.value}*/`]), code];
  return lines.map((line) => line.replace(indent, "").replace(/^(?=.)/gm, "  ")).join("\n");
}

/** docs/reference/library-api.md: every name of the main entry. */
export function libraryPage() {
  const doors = readDoors();
  const [main, ...others] = Object.entries(doors);
  const elsewhere = new Map(others.flatMap(([door, names]) => names.map(({ name }) => [name, door])));
  const lines = [
    "# The names of `@tierwall/core`\n",
    "[library.md](library.md) shows how they are used, and what may change from one version to the next.\n",
  ];
  let heading = "";
  for (const exported of main[1]) {
    if (exported.heading !== heading) lines.push(`## ${exported.heading}\n`);
    heading = exported.heading;
    lines.push(`### ${exported.name}\n`, `${exported.documentation}\n`);
    lines.push(`\`\`\`ts\n${exported.code}\n\`\`\`\n`);
    const bare = exported.code.replace(/\/\*.*?\*\/|"[^"]*"/gs, "");
    const from = [...new Set(bare.match(/\b[A-Z]\w*/g))].filter((word) => elsewhere.has(word));
    if (from.length > 0)
      lines.push(`${from.map((word) => `\`${word}\` is in \`${elsewhere.get(word)}\``).join("; ")}.\n`);
  }
  return lines.join("\n");
}
