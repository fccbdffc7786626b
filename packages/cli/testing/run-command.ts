import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isFull } from "../../../test/slice.mjs";
import { type Ran, runInOneProcess } from "./one-process.js";

export type { Ran };

const here = dirname(fileURLToPath(import.meta.url));
const bin = join(here, "../bin/tierwall.js");
const built = join(here, "../dist/main.js");

const noKubeconfig = "/nonexistent/kubeconfig";

export interface Circumstances {
  /** Where the command is run. */
  readonly cwd?: string;
  /** What comes in on standard input. */
  readonly input?: string;
  /** A file that standard output goes to, instead of to the caller. */
  readonly stdout?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Also in full, one process runs it after others: of hundreds of commands, where none is about its process. */
  readonly inOneProcess?: boolean;
}

/**
 * Runs the command as a user would, in a process of its own, and waits for it. A slice of the tests runs those one after the other in
 * one process that depend on nothing else of a process.
 */
export function tierwall(args: readonly string[], circumstances: Circumstances = {}): Ran {
  const { cwd, input = "", env = {} } = circumstances;
  if (!existsSync(built)) throw new Error("packages/cli/dist is missing: `npm run build` makes it");
  // What the terminal that runs the tests can show is no business of theirs, and neither is a cluster of its user.
  const { FORCE_COLOR: _, NO_COLOR: __, ...ours } = process.env;
  const environment = { ...ours, KUBECONFIG: noKubeconfig, ...env } as Readonly<Record<string, string>>;
  const isAlone = input !== "" || circumstances.stdout !== undefined || args.includes("-");
  if ((!isFull || circumstances.inOneProcess === true) && !isAlone)
    return runInOneProcess(args, cwd ?? process.cwd(), environment);
  const output = circumstances.stdout === undefined ? undefined : openSync(circumstances.stdout, "w");
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [bin, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    input,
    stdio: ["pipe", output ?? "pipe", "pipe"],
    env: environment,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (output !== undefined) closeSync(output);
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

const made: string[] = [];

/** A new folder with these files, by their paths in it. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
