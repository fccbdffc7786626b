import { readState } from "@tierwall/core/state";
import { findFeed } from "../page/page-feed.js";
import { isRead, printMessage } from "../output/terminal.js";
import { isUsable, type Loaded, type StateFlags, printDiagnostics } from "./state.js";
import { stopSignal } from "./stop-signal.js";

/**
 * Answers now, and again whenever the files or the cluster of the flags change, until a signal ends the process. Returns the
 * exit status of the last answer.
 */
export async function watchState(flags: StateFlags, answer: (loaded: Loaded) => number): Promise<number> {
  if (flags.live === true && flags.filename !== undefined) {
    printMessage("--watch follows files or a cluster, not both; leave --live or -f out");
    return 2;
  }
  const found = await findFeed(flags);
  if (!found.ok) {
    printDiagnostics(found.diagnostics, [], true);
    return 2;
  }
  const { feed } = found;
  let status = 0;
  let answered = 0;
  const again = () => {
    const { sources, options, provenance, unread = [] } = feed.shown();
    const state = readState(sources, options);
    const diagnostics = [...unread, ...state.diagnostics];
    const loaded: Loaded = { state, sources, live: provenance === "cluster", diagnostics };
    if (answered++ > 0) printMessage("", `changed at ${new Date().toLocaleTimeString("en-GB")}`, "");
    // What cannot be read is reported, and the next change may put it right.
    status = isUsable(loaded) ? answer(loaded) : 2;
    if (!isRead(process.stdout)) process.kill(process.pid, "SIGTERM");
  };
  const stopped = stopSignal();
  await feed.start(() => answered > 0 && again());
  again();
  await stopped;
  await feed.stop();
  return status;
}
