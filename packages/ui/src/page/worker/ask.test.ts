import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message, Reply } from "./message.js";

/** Answers when it is told to, and not before. */
class FakeWorker extends EventTarget {
  static readonly started: FakeWorker[] = [];
  readonly received: Message[] = [];

  constructor() {
    super();
    FakeWorker.started.push(this);
  }

  postMessage(message: Message): void {
    this.received.push(message);
  }

  get last(): string {
    const message = this.received.at(-1);
    return message?.kind === "ask" ? message.name : (message?.kind ?? "");
  }

  tell(objects: number): void {
    const { number } = this.received.at(-1)!;
    const data: Reply = { number, kind: "progress", objects };
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  reply(part: { readonly answer: unknown } | { readonly message: string }): void {
    const { number } = this.received.at(-1)!;
    const data: Reply =
      "answer" in part ? { number, kind: "answer", ...part } : { number, kind: "failure", ...part };
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

beforeEach(() => {
  FakeWorker.started.length = 0;
  vi.stubGlobal("Worker", FakeWorker);
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

test("questions go to the worker one at a time, in the order in which they were asked", async () => {
  const { ask } = await import("./ask.js");
  const first = ask("ports", { to: "a/b" });
  const second = ask("policies", {});
  const [worker] = FakeWorker.started;
  expect(worker!.last).toBe("ports");
  worker!.reply({ answer: "one" });
  expect(await first).toBe("one");
  expect(worker!.last).toBe("policies");
  worker!.reply({ message: "oh no" });
  await expect(second).rejects.toThrow("oh no");
});

test("what nobody wants any more never gets there", async () => {
  const { ask } = await import("./ask.js");
  const first = ask("policies", {});
  const unwanted = new AbortController();
  const dropped = ask("ports", { to: "a/b" }, { signal: unwanted.signal });
  const wanted = ask("ports", { to: "c/d" });
  unwanted.abort();
  await expect(dropped).rejects.toThrow("nobody waits");
  const [worker] = FakeWorker.started;
  worker!.reply({ answer: 1 });
  await first;
  worker!.reply({ answer: 2 });
  expect(await wanted).toBe(2);
  expect(worker!.received).toHaveLength(2);
});

test("an answer under way that nobody waits for is thrown away, and does not pass for the next one", async () => {
  const { ask } = await import("./ask.js");
  const unwanted = new AbortController();
  const dropped = ask("ports", { to: "a/b" }, { signal: unwanted.signal });
  const next = ask("policies", {});
  unwanted.abort();
  await expect(dropped).rejects.toThrow("nobody waits");
  const [worker] = FakeWorker.started;
  worker!.reply({ answer: "late" });
  worker!.reply({ answer: "right" });
  expect(await next).toBe("right");
});

test("whoever waits for a state hears how far reading has come", async () => {
  const { load } = await import("./ask.js");
  const heard: number[] = [];
  const loaded = load({ files: [] }, (objects) => heard.push(objects));
  const [worker] = FakeWorker.started;
  worker!.tell(500);
  worker!.tell(1000);
  worker!.reply({ answer: "summary" });
  expect(await loaded).toBe("summary");
  expect(heard).toEqual([500, 1000]);
});

test("patient questions have a thread of their own, which reads the state when it is first asked", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  FakeWorker.started[0]!.reply({ answer: "summary" });
  await loaded;
  expect(FakeWorker.started).toHaveLength(1);
  const findings = ask("findings", {}, { lane: "patient" });
  const [quick, patient] = FakeWorker.started;
  expect(patient!.last).toBe("load");
  patient!.reply({ answer: "summary" });
  await vi.waitFor(() => expect(patient!.last).toBe("findings"));
  const ports = ask("ports", { to: "a/b" });
  quick!.reply({ answer: "at once" });
  expect(await ports).toBe("at once");
  patient!.reply({ answer: "at last" });
  expect(await findings).toBe("at last");
});
