import { type Diagnostic, hasErrors } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import type { StateOptions } from "@tierwall/core/state";
import type { KindHealth } from "@tierwall/kube";
import type { StateFeed } from "@tierwall/server";
import { exampleFolder, exampleIsMissing } from "../example.js";
import { connectLive, outOfReach } from "../input/live.js";
import { type StateFlags, stateOptions, printDiagnostics } from "../input/state.js";
import { printMessage } from "../output/terminal.js";

export interface FeedFlags extends StateFlags {
  readonly example?: boolean;
}

export type FoundFeed =
  | { readonly ok: true; readonly feed: StateFeed }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What the flags name: files, the example, or a cluster. */
export async function findFeed(flags: FeedFlags): Promise<FoundFeed> {
  const { options: state, diagnostics } = stateOptions(flags);
  if (hasErrors(diagnostics)) return { ok: false, diagnostics };
  const { filename = [], recursive = false, maxInput } = flags;
  const { FileFeed } = await import("@tierwall/server");
  if (flags.example === true) {
    const folder = exampleFolder();
    if (folder === undefined) return { ok: false, diagnostics: [diagnostic("TW1004", exampleIsMissing)] };
    return FileFeed.open({ paths: [folder], recursive: true, title: "Example cluster", state });
  }
  if (filename.length === 0) return liveFeed(flags, state);
  return FileFeed.open({ paths: filename, recursive, maxInput, state, onUnreadable: printUnreadable });
}

async function liveFeed(flags: FeedFlags, state: StateOptions): Promise<FoundFeed> {
  const connected = await connectLive(flags);
  if (!connected.ok) return { ok: false, diagnostics: [connected.diagnostic] };
  const { openCluster } = await import("@tierwall/server");
  const opened = await openCluster(connected.value, state, printHealth);
  if (opened.ok) return opened;
  return { ok: false, diagnostics: [outOfReach(connected.value, opened.message)] };
}

/** What cannot be read is not shown: this is reported here, and on the page. */
function printHealth(resource: string, { state, message }: KindHealth): void {
  if (state === "forbidden")
    printMessage(`${resource} may not be read, and are left out: ${message ?? "forbidden"}`);
  if (state === "failing")
    printMessage(`${resource} cannot be read now: ${message ?? "no answer"}; trying again`);
}

function printUnreadable(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return printMessage("everything can be read again");
  printDiagnostics(diagnostics, [], true);
  printMessage("The page evaluates nothing until this can be read again.");
}
