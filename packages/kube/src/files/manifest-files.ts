import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Diagnostic, TextSource } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import { visible } from "@tierwall/core/report";
import { type BigFile, bigFile, bigFileSize, type BytesRead, standardInput } from "./big-file.js";
import {
  boundedBytes,
  chunkSize,
  expectFile,
  InputBudget,
  RefusedInput,
  textOf,
  unpackedBytes,
} from "./bounded-input.js";
import { configName, isConfig } from "./config-file.js";

const manifestEndings = [".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz"];

export type ManifestFile = TextSource | BigFile;

export interface Read {
  readonly sources: readonly ManifestFile[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReadOptions {
  readonly bytesRead?: BytesRead;
  /** How many bytes all of them may have together, unpacked. */
  readonly maxInput?: number | undefined;
}

/** Files as kubectl takes them: a file, a folder (with `recursive`, all below it), or `-` for standard input. */
export function readPaths(
  paths: readonly string[],
  recursive: boolean,
  { bytesRead = () => undefined, maxInput }: ReadOptions = {},
): Read {
  const budget = new InputBudget(maxInput);
  const sources = new Map<string, ManifestFile>();
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const found = filesAt(path, recursive);
    diagnostics.push(...found.diagnostics);
    for (const file of found.files) {
      const key = file === "-" ? file : resolve(file);
      if (sources.has(key)) continue;
      try {
        if (file !== path) expectFile(file);
        const source =
          file === "-" ? standardInput("<stdin>", bytesRead, budget) : sourceAt(file, bytesRead, budget);
        if (file === "-" && "text" in source && source.text.trim() === "") diagnostics.push(emptyInput());
        sources.set(key, source);
      } catch (cause) {
        diagnostics.push(unreadable(file, cause));
      }
    }
  }
  return { sources: [...sources.values()], diagnostics };
}

/** A command that fails before a pipe writes nothing; that must not look like a cluster without policies. */
const emptyInput = (): Diagnostic =>
  diagnostic("TW1004", "standard input is empty", {
    hint: "Check the command before the pipe: it wrote nothing, or it failed.",
  });

export function sourceAt(
  path: string,
  bytesRead: BytesRead = () => undefined,
  budget = new InputBudget(),
): ManifestFile {
  const file = shown(path);
  const { size } = statSync(path);
  if (path.endsWith(".gz")) {
    const packed = boundedBytes(path, file, new InputBudget(Math.max(budget.room, smallestPacked)), "packed");
    return unpacked(file, unpackedBytes(packed, file, budget));
  }
  if (size > bigFileSize) {
    budget.take(size, file);
    return bigFile(path, file, size, bytesRead);
  }
  return { file, text: textOf(boundedBytes(path, file, budget, "text"), file) };
}

/** Little text may be shorter than what gzip makes of it. */
export const smallestPacked = 1024 ** 2;

/** What snapshots are packed to: a tenth, and unpacked at once. Line by line it is shown only where it is short. */
function unpacked(file: string, bytes: Buffer): ManifestFile {
  return bytes.length > bigFileSize
    ? { file, chunks: () => pieces(bytes) }
    : { file, text: textOf(bytes, file) };
}

function* pieces(bytes: Buffer): Generator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
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
  if (cause instanceof RefusedInput) return cause.diagnostic;
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
