import { createHmac, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { hasErrors } from "@tierwall/core";
import { snapshotOf } from "@tierwall/core/state";
import type { Command } from "commander";
import { type LiveFlags, readLive } from "../input/live.js";
import { Progress } from "../output/progress.js";
import { collect, maxInputOption, printDiagnostics } from "../input/state.js";
import { printWhole, printMessage } from "../output/terminal.js";
import { readPaths } from "@tierwall/kube";

interface SnapshotFlags extends LiveFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly maxInput?: number;
  readonly redact?: boolean;
  readonly outputFile?: string;
}

export function addSnapshot(program: Command, finish: (status: number) => void): void {
  program
    .command("snapshot")
    .summary("write the state of a cluster to a file, for -f")
    .description(
      "Reads everything in a cluster that verdicts depend on, and writes it to a file from which every command gives the same " +
        "answers. What it holds has the same order each time, and no secrets: no environment, no commands, no annotations " +
        "of others.\n\n" +
        "With --redact, names, namespaces, labels and domain names are replaced by hashes, so that it can be attached to " +
        "a bug report; addresses and ports stay, and so do all verdicts.",
    )
    .option(
      "-o, --output-file <file>",
      "where to write; compressed if it ends in .gz (default: standard output)",
    )
    .option("--redact", "replace names and labels by hashes")
    .option("-f, --filename <path>", "manifests to read instead of a cluster (repeatable)", collect)
    .option("-R, --recursive", "read subfolders as well")
    .addOption(maxInputOption())
    .option("--context <name>", "the context of the cluster (default: the current one)")
    .option(
      "--kubeconfig <file>",
      "the file with that context (default: as for kubectl, or from inside a pod)",
    )
    .addHelpText(
      "after",
      `
Examples:
  # Save the state of today, and see tomorrow what has changed
  tierwall snapshot -o monday.json.gz
  tierwall diff monday.json.gz

  # For a bug report
  tierwall snapshot --redact -o report.json.gz

Exit status: 0 when it was written, 2 when something cannot be read or written.`,
    )
    .action(async (flags: SnapshotFlags) => finish(await runSnapshot(flags)));
}

async function runSnapshot(flags: SnapshotFlags): Promise<number> {
  const { filename, recursive = false, maxInput, outputFile: output } = flags;
  const progress = new Progress();
  const read =
    filename === undefined
      ? await readLive(flags, progress)
      : readPaths(filename, recursive, { bytesRead: progress.bytesRead, maxInput });
  const snapshot = hasErrors(read.diagnostics)
    ? undefined
    : snapshotOf(read.sources, flags.redact ? { redact: saltedHash() } : {});
  progress.end();
  const diagnostics = [...read.diagnostics, ...(snapshot?.diagnostics ?? [])];
  printDiagnostics(diagnostics, read.sources, true);
  if (snapshot === undefined || hasErrors(diagnostics)) return 2;
  if (output === undefined) printWhole(snapshot.text);
  else if (!write(output, snapshot.text)) return 2;
  printMessage(
    `${snapshot.objects.toLocaleString("en")} objects${output === undefined ? "" : ` in ${output}`}`,
  );
  return 0;
}

/** With a salt that is not kept: guessing a name does not show whether the cluster has it. */
function saltedHash(): (text: string) => string {
  const salt = randomBytes(32);
  const known = new Map<string, string>();
  return (text) => {
    const hash = known.get(text) ?? createHmac("sha256", salt).update(text).digest("hex").slice(0, 16);
    known.set(text, hash);
    return hash;
  };
}

function write(path: string, text: string): boolean {
  try {
    // Other users of this machine may not be allowed to read the cluster.
    writeFileSync(path, path.endsWith(".gz") ? gzipSync(text) : text, { mode: 0o600 });
    return true;
  } catch (cause) {
    printMessage(`\`${path}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  }
}
