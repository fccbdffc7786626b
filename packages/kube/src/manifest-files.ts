import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Diagnostic, diagnostic, type TextSource, visible } from "@tierwall/core";
import { type BigFile, bigFile, bigFileSize, type BytesRead, standardInput } from "./big-file.js";
import { configName, isConfig } from "./config-file.js";

const manifestEndings = [".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz"];

export type ManifestFile = TextSource | BigFile;

export interface Read {
  readonly sources: readonly ManifestFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Files as kubectl takes them: a file, a folder (with `recursive`, all below it), or `-` for standard input. */
export function readPaths(
  paths: readonly string[],
  recursive: boolean,
  bytesRead: BytesRead = () => undefined,
): Read {
  const sources = new Map<string, ManifestFile>();
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const found = filesAt(path, recursive);
    diagnostics.push(...found.diagnostics);
    for (const file of found.files) {
      const key = file === "-" ? file : resolve(file);
      if (sources.has(key)) continue;
      try {
        sources.set(key, file === "-" ? standardInput("<stdin>", bytesRead) : sourceAt(file, bytesRead));
      } catch (cause) {
        diagnostics.push(unreadable(file, cause));
      }
    }
  }
  return { sources: [...sources.values()], diagnostics };
}

export function sourceAt(path: string, bytesRead: BytesRead = () => undefined): ManifestFile {
  const { size } = statSync(path);
  if (path.endsWith(".gz")) return unpacked(shown(path), gunzipSync(readFileSync(path)));
  if (size > bigFileSize) return bigFile(path, shown(path), size, bytesRead);
  return { file: shown(path), text: readFileSync(path, "utf8") };
}

/** What snapshots are packed to: a tenth, and unpacked at once. Line by line it is shown only where it is short. */
function unpacked(file: string, bytes: Buffer): ManifestFile {
  return bytes.length > bigFileSize
    ? { file, chunks: () => [bytes] }
    : { file, text: bytes.toString("utf8") };
}

/** The manifests at a path, in the order of their names; a folder without any is an error. */
export function filesAt(
  path: string,
  recursive: boolean,
): { readonly files: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  if (path === "-") return { files: [path], diagnostics: [] };
  try {
    if (!statSync(path).isDirectory()) return { files: [path], diagnostics: [] };
    const files = filesIn(path, recursive);
    if (files.length > 0) return { files, diagnostics: [] };
    const endings = manifestEndings.join(", ");
    const below = !recursive && filesIn(path, true).length > 0;
    throw new Error(
      below ? "it holds only folders; -R reads them too" : `it holds no manifests (${endings})`,
    );
  } catch (cause) {
    return { files: [], diagnostics: [unreadable(path, cause)] };
  }
}

export const isManifest = (name: string): boolean => manifestEndings.some((ending) => name.endsWith(ending));

/** Folders that tools fill, and hidden ones, hold no manifests of the user's. */
export const isLookedInto = (folder: string): boolean => folder !== "node_modules" && !folder.startsWith(".");

function filesIn(folder: string, recursive: boolean): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isDefaults = (name: string) => name === configName && isConfig(join(folder, name));
  const files = entries.filter(
    (entry) => !entry.isDirectory() && isManifest(entry.name) && !isDefaults(entry.name),
  );
  const folders = entries.filter((entry) => entry.isDirectory() && isLookedInto(entry.name));
  return [
    ...files.map((entry) => join(folder, entry.name)),
    ...(recursive ? folders.flatMap((entry) => filesIn(join(folder, entry.name), true)) : []),
  ];
}

/** Short where it can be: relative to where the user stands. Names of files are input, too, and begin lines of reports. */
export function shown(file: string): string {
  const short = relative(process.cwd(), file);
  const name = visible(short.startsWith("..") || short === "" ? file : short);
  return isWorkflowCommand.test(name) ? `./${name}` : name;
}

/** What a CI system obeys at the beginning of a line. */
const isWorkflowCommand = /^\s*(::|##)/;

export function unreadable(path: string, cause: unknown): Diagnostic {
  const code = (cause as { code?: unknown } | null)?.code;
  const why =
    code === "ENOENT"
      ? "it does not exist"
      : code === "EACCES"
        ? "permission is denied"
        : cause instanceof Error
          ? cause.message
          : String(cause);
  return diagnostic("TW1004", `\`${path}\` cannot be read: ${why}`);
}
