import { answers } from "./answers.js";
import { givenState } from "./given-state.js";
import { HeldState } from "./held-state.js";
import type { Message, Reply } from "./message.js";
import { summaryOf } from "./summary.js";

/* The engine's thread: it reads the state, holds it, and answers questions, so that the page never waits. */

let held: HeldState | undefined;

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  void reply(data).then(send);
});

const send = (reply: Reply): void => postMessage(reply);

async function reply(message: Message): Promise<Reply> {
  const { number } = message;
  try {
    return { number, kind: "answer", answer: await answer(message) };
  } catch (error) {
    return { number, kind: "failure", message: error instanceof Error ? error.message : String(error) };
  }
}

async function answer(message: Message): Promise<unknown> {
  if (message.kind === "load") {
    const { number } = message;
    held = new HeldState(await givenState(message.source), (objects) =>
      send({ number, kind: "progress", objects }),
    );
    return summaryOf(held);
  }
  if (held === undefined) throw new Error("nothing is loaded yet");
  // Here, once for all views: none of them can show a verdict about a part of what there is.
  if (!held.usable) throw new Error("nothing is evaluated until the errors are fixed");
  // The name says which request it is; the compiler cannot follow from one to the other.
  const answered: unknown = answers[message.name](held, message.request as never);
  return answered;
}
