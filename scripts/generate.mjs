// Writes what the code already knows: the index of diagnostics, the fields of every policy kind, the help and the manual page
// of every command, the names of the library, the CRDs. Checked in, so that it can be read and applied from the web; `--check` fails when a file is stale.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { libraryPage } from "./library-api.mjs";
import { root } from "./prepare.mjs";
import { renderReference } from "./render-reference.mjs";

/** Folders with nothing but generated files: what is no longer generated is deleted. */
const whollyGenerated = [
  "packages/cli/man",
  "docs/reference/cli",
  "docs/reference/fields",
  "deploy/crds",
  "deploy/kustomize",
  "deploy/helm",
];

const header = "<!-- Written by `npm run generate`: change the source it comes from, not this page. -->\n\n";

/** All pages, text by path. */
async function generate() {
  const manifest = await built("packages/core/bundle/manifest.js");
  const state = await built("packages/core/bundle/state.js");
  const analysis = await built("packages/core/bundle/analysis.js");
  const prove = await built("packages/core/bundle/prove.js");
  const kube = await built("packages/kube/dist/index.js");
  const cli = await built("packages/cli/dist/main.js");
  const pages = { "docs/reference/diagnostics/README.md": diagnosticsPage(manifest.diagnostics) };
  Object.assign(pages, referencePages(manifest.dialects));
  pages["docs/reference/fields/foreign-apis.md"] = foreignPage(manifest.foreignKinds);
  pages["docs/reference/fields/connectivitytest.md"] = assertionsPage(
    state.connectivityTestKind,
    analysis.connectivityTestSchema,
    "connectivity-tests.md",
  );
  pages["docs/reference/fields/guarantee.md"] = assertionsPage(
    prove.guaranteeKind,
    prove.guaranteeSchema,
    "guarantees.md",
  );
  pages["docs/reference/fields/tierwall-yaml.md"] = defaultsPage(cli.defaultsSchema());
  pages["docs/reference/library-api.md"] = `${header}${libraryPage()}`;
  Object.assign(pages, commandPages(cli.helpPages()));
  for (const { file, text } of cli.manPages()) pages[`packages/cli/man/${file}`] = text;
  for (const [file, text] of Object.entries(kube.definitionFiles())) pages[`deploy/crds/${file}`] = text;
  for (const [file, text] of Object.entries(kube.installFiles())) pages[`deploy/${file}`] = text;
  return pages;
}

function diagnosticsPage(diagnostics) {
  const rows = Object.entries(diagnostics)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { severity, title }]) => `| [${code}](${code}.md) | ${severity} | ${title} |`);
  return [
    `${header}# Diagnostics\n`,
    "Every error, warning and note that Tierwall reports about its input. A code is never reused.\n",
    "| code | severity | what |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** A page for each name of a kind, as that is what a reader has; a name that several APIs use gets a chapter for each. */
function referencePages(kinds) {
  const pages = {};
  const rows = [];
  for (const name of new Set(kinds.map(({ kind }) => kind))) {
    const file = `${name.toLowerCase()}.md`;
    const sharing = kinds.filter(({ kind }) => kind === name);
    const headings = new Set();
    const chapters = sharing.map((kind) => chapter(kind, headings));
    pages[`docs/reference/fields/${file}`] = `${header}# ${name}\n\n${chapters.join("\n")}`;
    for (const { title, group, versions, scope } of sharing) {
      rows.push(`| [${title}](${file}) | ${listed(group, versions)} | ${scope} |`);
    }
  }
  rows.push("| [ConnectivityTest](connectivitytest.md) | `tierwall.dev/v1` | in files only |");
  rows.push("| [Guarantee](guarantee.md) | `tierwall.dev/v1` | Cluster, and in files |");
  const table = ["| kind | API version | scope |", "|---|---|---|", ...rows, ""].join("\n");
  pages["docs/reference/fields/README.md"] = `${header}# Fields of every policy kind\n\n${table}`;
  return pages;
}

const listed = (group, versions) => versions.map((version) => `\`${group}/${version}\``).join(" or ");

function chapter({ title, group, versions, kind, scope, spellings }, headings) {
  const heading = title === kind ? `${group}/${versions.join(", ")}` : title;
  const intro = `${listed(group, versions).replace("`", "`apiVersion: ")}, \`kind: ${kind}\`, ${scope.toLowerCase()}.\n`;
  const [only, ...more] = spellings;
  const shapes =
    more.length === 0
      ? [renderReference(only.schema, "###", headings)]
      : spellings.map((one) => `### ${one.title}\n\n${renderReference(one.schema, "####", headings)}`);
  return [`## ${heading}\n`, intro, ...shapes].join("\n");
}

/** Policy APIs that are recognised and not evaluated. */
function foreignPage(kinds) {
  const effects = {
    "l3-l4": ({ directions, reach }) =>
      `Undecided: ${directions.join(" and ")}${reach === "outside-pods" ? ", to nodes and external addresses" : ""}`,
    l7: ({ directions }) =>
      `a caveat: ${directions.map((one) => (one === "ingress" ? "destination" : "source")).join(" and ")}`,
    host: () => "a caveat, where an end is a node",
    structure: () => "none: other objects refer to it, or it is derived from them",
    inert: () => "none: it is staged",
  };
  const rows = kinds.map(
    ({ product, group, kind, scope, effect }) =>
      `| ${product} | \`${group}\` | ${kind} | ${scope} | ${effects[effect.kind](effect)} |`,
  );
  return [
    `${header}# Policy APIs that are recognised and not evaluated\n`,
    "[foreign-apis.md](../../explanation/foreign-apis.md) describes what follows. The version of an object does not matter.\n",
    "| product | API group | kind | scope | effect on verdicts |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function assertionsPage({ apiVersion, kind }, schema, page) {
  const intro = `\`apiVersion: ${apiVersion}\`, \`kind: ${kind}\`; see [${page}](../../how-to/${page}).\n`;
  return `${header}# ${kind}\n\n${intro}\n${renderReference(schema, "##", new Set())}`;
}

function defaultsPage(schema) {
  const intro = `The fields of \`tierwall.yaml\`; see [configuration.md](../../how-to/configuration.md).\n`;
  return `${header}# tierwall.yaml\n\n${intro}\n${renderReference(schema, "##", new Set())}`;
}

/** The help of the program, with a link to each command; and a page for each command. */
function commandPages([program, ...commands]) {
  const block = (text) => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
  const nameOf = (command) => command.replace(/^tierwall /, "");
  const rows = commands.map(({ command }) => {
    const summary = new RegExp(`^  ${nameOf(command)} +(.*)$`, "m").exec(program.text)[1];
    return `| [\`${command}\`](${nameOf(command)}.md) | ${summary} |`;
  });
  const table = ["| command | what it does |", "|---|---|", ...rows, ""].join("\n");
  const pages = {
    "docs/reference/cli/README.md": `${header}# The command line\n\n${table}\n${block(program.text)}`,
  };
  for (const { command, text } of commands)
    pages[`docs/reference/cli/${nameOf(command)}.md`] = `${header}# ${command}\n\n${block(text)}`;
  return pages;
}

async function built(file) {
  const path = join(root, file);
  if (!existsSync(path)) {
    console.log(`${file} is missing: run \`npm run build\` first`);
    process.exit(1);
  }
  return import(pathToFileURL(path).href);
}

/** Generated pages of earlier times that nothing generates any more. */
function leftovers(pages) {
  return whollyGenerated
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
    )
    .filter((file) => !(file in pages));
}

const pages = await generate();
const isStale = ([file, text]) =>
  !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text;
const stale = Object.entries(pages).filter(isStale);

if (process.argv.includes("--check")) {
  const files = [...stale.map(([file]) => file), ...leftovers(pages)];
  for (const file of files) console.log(`${file} is stale: run \`npm run generate\``);
  process.exitCode = files.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    console.log(`wrote ${file}`);
  }
  for (const file of leftovers(pages)) {
    rmSync(join(root, file));
    console.log(`deleted ${file}`);
  }
}
