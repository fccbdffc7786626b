import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Diagnostic, diagnostic, type Source } from "@tierwall/core";

const manifestEndings = [".yaml", ".yml", ".json"];

export interface Read {
  readonly sources: readonly Source[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Files as kubectl takes them: a file, a folder (with `recursive`, all below it), or `-` for standard input. */
export function readPaths(paths: readonly string[], recursive: boolean): Read {
  const sources = new Map<string, Source>();
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    try {
      for (const file of path === "-" ? ["-"] : filesAt(path, recursive)) {
        const key = file === "-" ? file : resolve(file);
        if (!sources.has(key))
          sources.set(
            key,
            file === "-"
              ? { file: "<stdin>", text: readFileSync(0, "utf8") }
              : { file: shown(file), text: readFileSync(file, "utf8") },
          );
      }
    } catch (cause) {
      diagnostics.push(unreadable(path, cause));
    }
  }
  return { sources: [...sources.values()], diagnostics };
}

/** The manifests at a path, in the order of their names. */
export function filesAt(path: string, recursive: boolean): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isFolder = (name: string) => statSync(join(path, name)).isDirectory();
  const files = entries
    .filter((e) => manifestEndings.some((ending) => e.name.endsWith(ending)) && !isFolder(e.name))
    .map((e) => join(path, e.name));
  const folders = entries
    .filter((e) => e.name !== "node_modules" && !e.name.startsWith(".") && e.isDirectory())
    .map((e) => join(path, e.name));
  if (recursive) return [...files, ...folders.flatMap((folder) => filesAt(folder, true))];
  if (files.length === 0)
    throw new Error(
      folders.length > 0
        ? "it holds only folders; -R reads them too"
        : `it holds no manifests (${manifestEndings.join(", ")})`,
    );
  return files;
}

/** Short where it can be: relative to where the user stands. */
function shown(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith("..") || short === "" ? file : short;
}

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
