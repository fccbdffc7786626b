// Enforces the direction of imports of ARCHITECTURE.md. Dependency-cruiser cannot read TypeScript 7, so the import
// statements are read with oxc's parser and compared with the tables below.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { isMain, root } from "./prepare.mjs";

/** What each folder of packages/core/src, and packages/core/testing, may import in addition to itself. A new folder needs a line here. */
const layers = {
  collections: "",
  diagnostics: "collections",
  net: "collections diagnostics",
  labels: "collections diagnostics",
  manifest: "collections diagnostics",
  schema: "collections diagnostics net labels manifest",
  cluster: "collections diagnostics net labels manifest schema",
  policy: "collections diagnostics net labels",
  dialects: "collections diagnostics net labels manifest schema cluster policy",
  foreign: "collections diagnostics net labels manifest schema cluster policy",
  evaluate: "collections diagnostics net labels manifest schema cluster policy",
  state: "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate",
  prove: "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate state",
  sets: "collections diagnostics net labels policy",
  engine: "collections diagnostics net labels cluster policy evaluate sets",
  analysis:
    "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate state prove sets engine",
  report:
    "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate state prove sets engine analysis",
  library:
    "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate state prove sets engine analysis report",
  // Only for tests: no folder above may import it, and it may import all of them.
  testing:
    "collections diagnostics net labels manifest schema cluster policy dialects foreign evaluate state prove sets engine analysis report library",
};

/** The same for folders of packages/kube/src: reading files and reading clusters do not know each other. Other folders may import all of them. */
const kubeLayers = { timing: "", files: "timing", cluster: "timing" };

/** Folders of core with one door: others import its `index.ts`, and nothing behind it. */
const closedFolders = new Set(["engine"]);

/** What other packages import of core: its main entry, and a file for each further door. They may name any folder. */
const isDoor = ({ inside }) => inside === "index.ts" || inside.startsWith("doors/");

/** What core may import from outside, and the one folder that may: core runs in a browser and does no I/O. */
const coreMayUse = { yaml: "manifest", "fast-check": "testing", "z3-solver": "testing" };

/** The one file that knows every dialect. A dialect's own folder knows no other dialect. */
const registry = "dialects/registry.ts";

/** Says which part of the tests runs, to tests of all packages. */
const slice = "test/slice.mjs";

/** Names that say nothing about what is inside. */
const emptyNames = /^(utils?|helpers?|common|misc|types)$/;

/**
 * @param {Record<string, string>} sources text by path: `packages/core/src/net/cidr.ts`
 * @param {Record<string, string[]>} dependencies what each package declares: `{ cli: ["commander"] }`
 * @param {string[]} doors what can be imported of our own packages, as their `exports` say: `@tierwall/core/model`
 * @returns {string[]} everything that is wrong, a line each
 */
export function checkBoundaries(sources, dependencies, doors) {
  const problems = [];
  const graph = new Map();
  for (const [path, text] of Object.entries(sources)) {
    const file = locate(path);
    const complain = (line, message) => problems.push(`${path}:${line}: ${message}`);
    if (file.names.some((name) => emptyNames.test(name))) complain(1, "name it after what is inside");
    if (file.package === "core" && !file.test && !(file.layer in layers) && !isDoor(file)) {
      complain(1, "belongs in a folder of core that has a line in scripts/check-boundaries.mjs");
    }
    const local = [];
    for (const { specifier, line, star } of imports(path, text)) {
      if (star && !file.test) complain(line, "name each export instead of `export *`");
      const complaint = specifier.startsWith(".")
        ? relativeComplaint(file, resolve(path, specifier), local)
        : outsideComplaint(file, specifier, dependencies[file.package] ?? [], doors);
      if (complaint) complain(line, `must not import \`${specifier}\`: ${complaint}`);
    }
    if (!file.test) graph.set(path, local);
  }
  return [...problems, ...cycles(graph)];
}

function relativeComplaint(from, path, local) {
  if (path === slice && (from.test || from.layer === "testing")) return undefined;
  const to = locate(path);
  if (to.package !== from.package) return "another package goes by its name, not by a path";
  if (from.test) return undefined;
  local.push(path);
  if (to.test) return "it is a test";
  if (to.layer === "testing" && from.layer !== "testing") return "only tests use it";
  if (from.package === "kube" && from.layer in kubeLayers && from.layer !== to.layer)
    return layerComplaint(kubeLayers, from, to);
  if (from.package !== "core") return undefined;
  if (isDoor(from)) return closedComplaint(to);
  if (isDoor(to)) return "it is for other packages";
  if (from.layer === to.layer && to.inside === `${to.layer}/index.ts`) return "index.ts is for those outside";
  if (from.layer !== to.layer) return layerComplaint(layers, from, to) ?? closedComplaint(to);
  const crosses = from.layer === "dialects" && to.dialect && from.dialect !== to.dialect;
  if (crosses && from.inside !== registry) return `only ${registry} knows a dialect from outside its folder`;
  return undefined;
}

function layerComplaint(known, from, to) {
  const others = known[from.layer] ?? "";
  return others.split(" ").includes(to.layer) ? undefined : `${from.layer} knows only: ${others || "itself"}`;
}

function closedComplaint(to) {
  return closedFolders.has(to.layer) && to.inside !== `${to.layer}/index.ts`
    ? `other folders use ${to.layer}/index.ts`
    : undefined;
}

function outsideComplaint(from, specifier, declared, doors) {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  // Deep paths into our own packages are closed to tests too: what they need, users may need.
  if (name.startsWith("@tierwall/") && name !== specifier && !doors.includes(specifier))
    return `use what \`${name}\` exports`;
  if (from.test) return undefined;
  if (from.package === "core") {
    if (!(name in coreMayUse)) return "core depends on nothing outside";
    return coreMayUse[name] === from.layer ? undefined : `only core's ${coreMayUse[name]}/ may`;
  }
  // What only tests use is not published, and may use what tests may.
  return specifier.startsWith("node:") || declared.includes(name) || from.layer === "testing"
    ? undefined
    : "package.json does not declare it";
}

/**
 * Where a file stands: `packages/core/src/dialects/cilium/lower.ts` is core, layer dialects, dialect cilium; what is not
 * published is next to packages/, as `bench/src/main.ts`.
 */
function locate(path) {
  const names = path.split("/").map((name) => name.split(".")[0]);
  const [name, part, ...rest] = path.replace(/^packages\//, "").split("/");
  // What only tests use is next to the sources, in `testing`.
  const inside = part === "testing" ? [part, ...rest] : rest;
  return {
    names,
    package: name,
    inside: inside.join("/"),
    layer: inside.length > 1 ? inside[0] : "",
    dialect: inside.length > 2 ? inside[1] : "",
    test: path.endsWith(".test.ts"),
  };
}

/** `../net/cidr.js`, as sources write it, is the file `…/net/cidr.ts`. */
function resolve(from, specifier) {
  return posix.join(posix.dirname(from), specifier).replace(/\.js(x?)$/, ".ts$1");
}

function imports(path, text) {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const lineOf = (offset) => text.slice(0, offset).split("\n").length;
  const found = [];
  const add = (request, start, star = false) => {
    const specifier = request.value ?? text.slice(request.start + 1, request.end - 1);
    found.push({ specifier, line: lineOf(start), star });
  };
  for (const { moduleRequest, start } of [...module.staticImports, ...module.dynamicImports]) {
    add(moduleRequest, start);
  }
  for (const { entries } of module.staticExports) {
    const [first] = entries.filter((entry) => entry.moduleRequest);
    if (first) add(first.moduleRequest, first.start, first.importName.kind === "AllButDefault");
  }
  return found;
}

/** Each import cycle once: depth first, and a file met again while it is still open closes a circle. */
function cycles(graph) {
  const found = [];
  const done = new Set();
  const visit = (path, open) => {
    const start = open.indexOf(path);
    if (start >= 0) found.push(`import cycle: ${[...open.slice(start), path].join(" -> ")}`);
    if (start >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...open, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

/** The sources, declared dependencies and doors of all packages, as `checkBoundaries` wants them. */
function readPackages() {
  const sources = {};
  const dependencies = {};
  const doors = [];
  const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "bench"];
  for (const path of folders) {
    const folder = join(root, path);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    doors.push(...Object.keys(manifest.exports ?? {}).map((path) => posix.join(manifest.name, path)));
    // An installation does not need the dependencies of the page, which is bundled, nor of a private package.
    const isBundled = existsSync(join(folder, "vite.config.ts"));
    const notInstalled = isBundled || manifest.private === true ? manifest.devDependencies : {};
    dependencies[basename(path)] = Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...notInstalled,
    });
    for (const entry of readdirSync(folder, { recursive: true })) {
      const file = entry.replaceAll("\\", "/");
      if (!/^(src|testing)\/.*\.tsx?$/.test(file)) continue;
      sources[`${path}/${file}`] = readFileSync(join(folder, file), "utf8");
    }
  }
  return [sources, dependencies, doors];
}

if (isMain(import.meta.url)) {
  const problems = checkBoundaries(...readPackages());
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
