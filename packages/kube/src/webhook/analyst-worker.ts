import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../cluster/connection.js";
import { proofBudget } from "../guarantees/cluster-guarantees.js";
import { Analyst } from "./analyst.js";
import type { AnalystOptions, FromAnalyst, Question, ToAnalyst } from "./analyst-thread.js";

/*
 * The thread in which edits are judged. The engine of a large cluster may need a second for one of them, and other work
 * must not wait for that.
 */

const port = parentPort!;
const { judges, ...options } = workerData as AnalystOptions;
const analyst = new Analyst(options);
const send = (message: FromAnalyst) => port.postMessage(message);

/** Milliseconds after which the engine takes changes: not at once, as changes often come together. */
const idle = 200;
let timer: NodeJS.Timeout | undefined;

function catchUpSoon(wait = idle): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    // What cannot be compiled now is tried again for the next edit, whose answer then reports it.
    try {
      if (judges) analyst.catchUp();
      if (analyst.decideNext()) catchUpSoon(0);
    } catch (cause) {
      send({ what: "trouble", message: messageOf(cause) });
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
            send({ what: "found", id, found });
            if (Date.now() >= deadline) break;
          }
        send({ what: "done", id });
      } catch (cause) {
        send({ what: "failed", id, message: messageOf(cause) });
      }
      return catchUpSoon();
    }
    case "ask": {
      const { id, question, deadline } = message;
      try {
        send({ what: "answer", id, answer: answerTo(question, deadline) });
      } catch (cause) {
        send({ what: "failed", id, message: messageOf(cause) });
      }
    }
  }
});
