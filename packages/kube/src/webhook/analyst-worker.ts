import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../cluster/connection.js";
import { proofBudget } from "../guarantees/cluster-guarantees.js";
import { Analyst } from "./analyst.js";
import type { AnalystOptions, FromAnalyst, Question, ToAnalyst } from "./analyst-thread.js";

/*
 * The thread in which edits are judged. An engine of a large cluster may take a second over one of them, and nobody else
 * shall wait for that.
 */

const port = parentPort!;
const { judges, ...options } = workerData as AnalystOptions;
const analyst = new Analyst(options);
const tell = (message: FromAnalyst) => port.postMessage(message);

/** Milliseconds after which the engine takes what came: not at once, as more often comes together. */
const idle = 200;
let timer: NodeJS.Timeout | undefined;

function catchUpSoon(wait = idle): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    // What cannot be compiled now is tried again when somebody asks, who is then told.
    try {
      if (judges) analyst.catchUp();
      if (analyst.decideNext()) catchUpSoon(0);
    } catch (cause) {
      tell({ what: "trouble", message: messageOf(cause) });
    }
  }, wait);
}

/** How long guarantees may take of the time of one request. */
function answerTo(question: Question, deadline: number): ReturnType<typeof answer> {
  const by = Math.min(deadline, Date.now() + proofBudget);
  return answer(question, by);
}

function answer(question: Question, deadline: number) {
  switch (question.what) {
    case "check":
      return analyst.check(question.edit, deadline);
    case "holds":
      return analyst.holds(question.key, deadline);
    case "try":
      return analyst.wouldHold(question.object, deadline);
  }
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
      return catchUpSoon();
    }
    case "ask": {
      const { id, question, deadline } = message;
      try {
        tell({ what: "answer", id, answer: answerTo(question, deadline) });
      } catch (cause) {
        tell({ what: "failed", id, message: messageOf(cause) });
      }
    }
  }
});
