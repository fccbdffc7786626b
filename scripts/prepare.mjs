// Makes a fresh or stale checkout ready: installs what package-lock.json names, builds what changed. `npm start` and
// `npm test` both begin here, so there is no first step to remember. Plain Node: nothing is installed yet when it runs.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32";

/** The fields of a package.json that decide what an install does. */
const installFields =
  "name version workspaces bin overrides dependencies devDependencies optionalDependencies peerDependencies".split(
    " ",
  );

/** What every command opens, in a few files. */
const bundles = ["packages/core/bundle", "packages/kube/bundle", "packages/cli/dist/bundle"];

/** Ends the process when this Node is older than `engines` in package.json asks for. */
export function requireNode() {
  const wanted = readPackage("package.json").engines.node.replace(">=", "");
  const [major, minor] = wanted.split(".").map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split(".").map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  say(
    `Tierwall needs Node ${wanted} or newer, and this is ${process.version}: install a newer one and try again`,
  );
  process.exit(1);
}

/** Installs the dependencies when they are missing or no longer those of the lockfile. Returns whether all is well. */
export function install() {
  const stamp = join(root, "node_modules", ".tierwall-install");
  const wanted = installFingerprint();
  if (read(stamp) === wanted) return true;
  say("installing dependencies ...");
  // `--include=dev`: the compiler is needed even where NODE_ENV says production.
  const command = existsSync(join(root, "package-lock.json")) ? "ci" : "install";
  if (!quietly(...npm(command, "--include=dev", "--no-audit", "--no-fund"))) return false;
  // Once more: without a lockfile, installing has just written one.
  writeFileSync(stamp, installFingerprint());
  return true;
}

/** Builds all packages when a source changed since the last build. Returns whether all is well. */
export function build() {
  const stamp = join(root, "packages", "cli", "dist", ".tierwall-build");
  const wanted = buildFingerprint();
  const outputs = [...bundles, ...packages().map((folder) => `${folder}/dist`)];
  const built = outputs.every((folder) => existsSync(join(root, folder)));
  if (built && read(stamp) === wanted) return true;
  say("building ...");
  if (!quietly(bin("tsc"), ["-b"])) return false;
  // In a few files: opening six hundred took a command longer than most answers take.
  for (const folder of ["packages/core", "packages/kube", "packages/cli"])
    if (!quietly(bin("vite"), ["build", folder])) return false;
  for (const config of ["vite.config.ts", "vite.report.config.ts"])
    if (!quietly(bin("vite"), ["build", "--config", `packages/ui/${config}`])) return false;
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
  return true;
}

/** The path of a command that a dependency brings along. */
export function bin(name) {
  return join(root, "node_modules", ".bin", windows ? `${name}.cmd` : name);
}

/** Runs a command in the repository's root; on Windows through the shell, which alone can start `.cmd` files. */
export function run(command, args, options = {}) {
  return spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    shell: windows && command.endsWith(".cmd"),
    ...options,
  });
}

/** Whether a script was started, and not imported; by its real path, as the way to it may lead over a symbolic link. */
export function isMain(url) {
  const started = process.argv[1];
  return started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(url);
}

/** Messages go to stderr: stdout is for the command that follows. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Runs a command and shows what it printed only if it failed. */
function quietly(command, args) {
  const { status, stdout, stderr, error } = run(command, args);
  if (status === 0) return true;
  say(`${stdout ?? ""}${stderr ?? ""}${error ? error.message : ""}`.trimEnd());
  say(`failed: ${[command, ...args].join(" ")}`);
  return false;
}

/** The npm that started us where there is one: the one on the PATH may be another. */
function npm(...args) {
  const started = process.env.npm_execpath ?? "";
  if (started.endsWith("npm-cli.js")) return [process.execPath, [started, ...args]];
  return [windows ? "npm.cmd" : "npm", args];
}

/** Changes when an install could have another outcome; not when a script or a description is edited. */
function installFingerprint() {
  const hash = createHash("sha256").update(read(join(root, "package-lock.json")) ?? "");
  for (const file of ["package.json", ...packages().map((folder) => `${folder}/package.json`)]) {
    const manifest = readPackage(file);
    hash.update(JSON.stringify([file, ...installFields.map((field) => manifest[field] ?? null)]));
  }
  return hash.digest("hex");
}

/** Changes when a build could have another outcome: contents, not times, which a checkout or a copy changes. */
function buildFingerprint() {
  const files = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  for (const folder of packages()) {
    files.push(
      ...["package.json", "tsconfig.build.json", "vite.config.ts"].map((file) => `${folder}/${file}`),
    );
    const sources = readdirSync(join(root, folder, "src"), { recursive: true, encoding: "utf8" });
    for (const file of sources) {
      if (/(?<!\.test)\.(tsx?|css|html|svg)$/.test(file)) files.push(`${folder}/src/${file}`);
    }
  }
  const hash = createHash("sha256").update(read(join(root, "package-lock.json")) ?? "");
  for (const file of files.toSorted()) hash.update(`${file}\n${read(join(root, file)) ?? ""}\n`);
  return hash.digest("hex");
}

/** The folders that hold a package with sources. */
function packages() {
  const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  return [...folders, "bench"].filter((folder) => existsSync(join(root, folder, "src"))).toSorted();
}

function readPackage(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

if (isMain(import.meta.url)) {
  requireNode();
  process.exitCode = install() && build() ? 0 : 1;
}
