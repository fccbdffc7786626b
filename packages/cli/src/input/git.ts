import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import type { Diagnostic, TextSource } from "@tierwall/core";
import {
  configName,
  InputBudget,
  isConfigText,
  isLookedInto,
  isManifest,
  type Read,
  shown,
  smallestPacked,
  textOf,
  unpackedBytes,
  unreadable,
} from "@tierwall/kube";

/** Which revisions are compared; undefined is the working tree. */
export interface Revisions {
  readonly before: string;
  readonly after: string | undefined;
}

/** `REV`, or `REV..REV`; as with git, a side that is left out is HEAD. */
export function parseRevisions(text: string): Revisions {
  const [before, after] = text.split("..", 2);
  return after === undefined
    ? { before: text, after: undefined }
    : { before: before || "HEAD", after: after.replace(/^\./, "") || "HEAD" };
}

/**
 * The manifests at a path as they were in a revision, which may be none. Nothing is checked out, and files go by the
 * names they have now.
 */
export function readRevision(
  revision: string,
  path: string,
  { recursive = false, maxInput }: { readonly recursive?: boolean; readonly maxInput?: number | undefined },
): Read {
  try {
    const files = filesAt(revision, resolve(path), recursive);
    const links = files.filter(({ mode }) => mode === symbolicLink);
    const budget = new InputBudget(maxInput);
    const texts = textsOf(
      files.filter(({ mode }) => mode !== symbolicLink),
      budget,
    );
    const isDefaults = ({ file, text }: TextSource) => basename(file) === configName && isConfigText(text);
    return {
      sources: texts.filter((source) => !isDefaults(source)),
      diagnostics: links.map((link) => followed(link, revision)),
    };
  } catch (cause) {
    return { sources: [], diagnostics: [unreadable(path, cause)] };
  }
}

interface TrackedFile {
  readonly mode: string;
  readonly hash: string;
  readonly size: number;
  /** Where it is, or would be, in the working tree. */
  readonly path: string;
  readonly folder: string;
}

const symbolicLink = "120000";

function followed({ path }: TrackedFile, revision: string): Diagnostic {
  const why = `it is a symbolic link in \`${revision}\`, and links are not followed in revisions`;
  return unreadable(shown(path), new Error(why));
}

function filesAt(revision: string, path: string, recursive: boolean): readonly TrackedFile[] {
  const folder = nearestFolder(path);
  // Paths in a revision begin at the top of the repository.
  const prefix = git(folder, ["rev-parse", "--show-prefix"]).toString().trimEnd();
  const wanted = posix.join(prefix, relative(folder, path).split(sep).join("/")).replace(/\/$/, "");
  const commit = commitOf(revision, folder);
  const listed = git(folder, [
    "ls-tree",
    "-r",
    "-l",
    "-z",
    "--full-tree",
    commit,
    "--",
    ...(wanted === "." ? [] : [wanted]),
  ]);
  return listed
    .toString()
    .split("\0")
    .flatMap((line): TrackedFile[] => {
      const found = /^(\d+) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line);
      if (found === null) return [];
      const [, mode, hash, size, full] = found as unknown as [string, string, string, string, string];
      const inside = wanted === "." || wanted === "" ? full : full.slice(wanted.length + 1);
      const isNamed = inside === "";
      const folders = inside.split("/").slice(0, -1);
      const isMeant =
        isNamed || (isManifest(inside) && (recursive || folders.length === 0) && folders.every(isLookedInto));
      const at = isNamed ? path : join(path, ...inside.split("/"));
      return isMeant ? [{ mode, hash, size: Number(size), path: at, folder }] : [];
    });
}

function commitOf(revision: string, folder: string): string {
  try {
    const verify = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
    return git(folder, [...verify, `${revision}^{commit}`])
      .toString()
      .trim();
  } catch (cause) {
    if (cause instanceof GitMissing) throw cause;
    throw new Error(`git knows no revision \`${revision}\`; name a commit, a branch or a tag`, { cause });
  }
}

/** A path need not be there any more. */
function nearestFolder(path: string): string {
  const parent = dirname(path);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder || parent === path ? path : nearestFolder(parent);
}

/** All contents in one step: a process for each file would take longer than everything else. */
function textsOf(files: readonly TrackedFile[], budget: InputBudget): readonly TextSource[] {
  const [first] = files;
  if (first === undefined) return [];
  // What is refused need not be fetched.
  for (const { path, size } of files) {
    if (!isPacked(path)) budget.take(size, shown(path));
    else if (size > Math.max(budget.room, smallestPacked)) throw budget.exceeded(shown(path));
  }
  const most = files.reduce((sum, { size }) => sum + size + longestHeader, 0);
  const hashes = files.map(({ hash }) => `${hash}\n`).join("");
  const output = git(first.folder, ["cat-file", "--batch"], { input: hashes, most });
  let at = 0;
  return files.map(({ path }) => {
    // `HASH blob SIZE`, a line break, that many bytes, and another one.
    const end = output.indexOf("\n", at);
    const size = Number(output.subarray(at, end).toString().split(" ")[2]);
    const bytes = output.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    const file = shown(path);
    const unpacked = isPacked(path) ? unpackedBytes(bytes, file, budget) : bytes;
    return { file, text: textOf(unpacked, file) };
  });
}

const isPacked = (path: string): boolean => path.endsWith(".gz");

/** For each file: its hash, its size and line breaks. */
const longestHeader = 256;

class GitMissing extends Error {}

function git(folder: string, args: readonly string[], { input = "", most = 2 ** 30 } = {}): Buffer {
  try {
    return execFileSync("git", ["-C", folder, ...args], {
      input,
      maxBuffer: most,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (cause) {
    const { code, stderr } = cause as { readonly code?: unknown; readonly stderr?: Buffer };
    if (code === "ENOENT") throw new GitMissing("git is not installed, or not on the PATH", { cause });
    const said = stderr?.toString() ?? "";
    if (/not a git repository/i.test(said))
      throw new Error("it is not in a git repository; compare two folders without --git", { cause });
    throw new Error(`git says: ${said.trim().replace(/^fatal: /, "")}`, { cause });
  }
}
