import { parentPort, workerData } from "node:worker_threads";
import type { LiveOptions } from "@tierwall/core/state";
import { messageOf } from "../cluster/connection.js";
import { Analyst } from "./analyst.js";
import type { FromAnalyst, ToAnalyst } from "./analyst-thread.js";

/*
 * The thread in which edits are judged. An engine of a large cluster may take a second over one of them, and nobody else
 * shall wait for that.
 */

const port = parentPort!;
const analyst = new Analyst(workerData as LiveOptions);
const tell = (message: FromAnalyst) => port.postMessage(message);

/** Milliseconds after which the engine takes what came: not at once, as more often comes together. */
const idle = 200;
let timer: NodeJS.Timeout | undefined;

function catchUpSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    // What cannot be compiled now is tried again when somebody asks, who is then told.
    try {
      analyst.catchUp();
    } catch (cause) {
      tell({ what: "trouble", message: messageOf(cause) });
    }
  }, idle);
}

port.on("message", (message: ToAnalyst) => {
  switch (message.what) {
    case "objects":
      for (const change of message.changes)
        if (typeof change === "string") analyst.remove(change);
        else analyst.set(change);
      return catchUpSoon();
    case "judge": {
      const { id, edit, readable, deadline } = message;
      try {
        if (Date.now() < deadline)
          for (const found of analyst.judge(edit, readable)) {
            tell({ what: "found", id, found });
            if (Date.now() >= deadline) break;
          }
        tell({ what: "done", id });
      } catch (cause) {
        tell({ what: "failed", id, message: messageOf(cause) });
      }
      catchUpSoon();
    }
  }
});
