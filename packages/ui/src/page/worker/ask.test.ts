import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message, Reply } from "./message.js";

/** Answers when a test has it answer. */
class FakeWorker extends EventTarget {
  static readonly started: FakeWorker[] = [];
  readonly received: Message[] = [];
  isEnded = false;

  constructor() {
    super();
    FakeWorker.started.push(this);
  }

  postMessage(message: Message): void {
    this.received.push(message);
  }

  terminate(): void {
    this.isEnded = true;
  }

  get last(): string {
    const message = this.received.at(-1);
    return message?.kind === "ask" ? message.name : (message?.kind ?? "");
  }

  progress(objects: number): void {
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

const patience = { timeout: 300_000, interval: 5 };

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

test("a question that is not wanted any more never reaches the worker", async () => {
  const { ask } = await import("./ask.js");
  const first = ask("policies", {});
  const unwanted = new AbortController();
  const dropped = ask("ports", { to: "a/b" }, { signal: unwanted.signal });
  const wanted = ask("ports", { to: "c/d" });
  unwanted.abort();
  await expect(dropped).rejects.toThrow("not wanted any more");
  const [worker] = FakeWorker.started;
  worker!.reply({ answer: 1 });
  await first;
  worker!.reply({ answer: 2 });
  expect(await wanted).toBe(2);
  expect(worker!.received).toHaveLength(2);
});

test("an answer under way that is not wanted any more is dropped, and is not taken for the next one", async () => {
  const { ask } = await import("./ask.js");
  const unwanted = new AbortController();
  const dropped = ask("ports", { to: "a/b" }, { signal: unwanted.signal });
  const next = ask("policies", {});
  unwanted.abort();
  await expect(dropped).rejects.toThrow("not wanted any more");
  const [worker] = FakeWorker.started;
  worker!.reply({ answer: "late" });
  worker!.reply({ answer: "right" });
  expect(await next).toBe("right");
});

test("the progress of reading a state is reported", async () => {
  const { load } = await import("./ask.js");
  const heard: number[] = [];
  const loaded = load({ files: [] }, (objects) => heard.push(objects));
  const [worker] = FakeWorker.started;
  worker!.progress(500);
  worker!.progress(1000);
  worker!.reply({ answer: "summary" });
  expect(await loaded).toBe("summary");
  expect(heard).toEqual([500, 1000]);
});

test("a patient question goes to the thread that has read the state, and another one reads it for quick questions", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  FakeWorker.started[0]!.reply({ answer: "summary" });
  await loaded;
  expect(FakeWorker.started).toHaveLength(1);
  const findings = ask("findings", {}, { lane: "patient" });
  const [first, second] = FakeWorker.started;
  expect(first!.last).toBe("findings");
  expect(second!.last).toBe("load");
  second!.reply({ answer: "summary" });
  const ports = ask("ports", { to: "a/b" });
  await vi.waitFor(() => expect(second!.last).toBe("ports"), patience);
  second!.reply({ answer: "at once" });
  expect(await ports).toBe("at once");
  first!.reply({ answer: "at last" });
  expect(await findings).toBe("at last");
});

test("while the thread that has read the state is busy, another one reads it for a patient question", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  const [first] = FakeWorker.started;
  first!.reply({ answer: "summary" });
  await loaded;
  const ports = ask("ports", { to: "a/b" });
  const findings = ask("findings", {}, { lane: "patient" });
  const second = FakeWorker.started[1]!;
  expect(second.last).toBe("load");
  first!.reply({ answer: "at once" });
  expect(await ports).toBe("at once");
  second.reply({ answer: "summary" });
  await vi.waitFor(() => expect(second.last).toBe("findings"), patience);
  second.reply({ answer: "at last" });
  expect(await findings).toBe("at last");
});

test("both threads get another state", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  const [first] = FakeWorker.started;
  first!.reply({ answer: "summary" });
  await loaded;
  const uses = ask("rule-use", {}, { lane: "patient" });
  const second = FakeWorker.started[1]!;
  second.reply({ answer: "summary" });
  const again = load({ files: [{ file: "a.yaml", text: "" }] });
  await vi.waitFor(() => expect(second.received).toHaveLength(2), patience);
  first!.reply({ answer: "of the state before" });
  await uses;
  const next = ask("rule-use", {}, { lane: "patient" });
  expect(first!.last).toBe("load");
  second.reply({ answer: "another summary" });
  await again;
  first!.reply({ answer: "another summary" });
  await vi.waitFor(() => expect(first!.last).toBe("rule-use"), patience);
  first!.reply({ answer: "of the state now" });
  expect(await next).toBe("of the state now");
});

test("a long proof that is not wanted any more is ended with its thread, and another one reads the state", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  FakeWorker.started[0]!.reply({ answer: "summary" });
  await loaded;
  const unwanted = new AbortController();
  const proof = { key: "a", budget: 60 };
  const dropped = ask("guarantee-proof", proof, { signal: unwanted.signal, lane: "patient" });
  const [busy, reading] = FakeWorker.started;
  expect(busy!.last).toBe("guarantee-proof");
  reading!.reply({ answer: "summary" });
  unwanted.abort();
  await expect(dropped).rejects.toThrow("not wanted any more");
  const next = ask("guarantee-proof", { ...proof, key: "b" }, { lane: "patient" });
  await vi.waitFor(() => expect(busy!.isEnded).toBe(true), patience);
  const fresh = FakeWorker.started[2]!;
  expect(fresh.last).toBe("load");
  busy!.reply({ answer: "late" });
  fresh.reply({ answer: "summary" });
  await vi.waitFor(() => expect(fresh.last).toBe("guarantee-proof"), patience);
  fresh.reply({ answer: "right" });
  expect(await next).toBe("right");
});

test("a proof that ends soon after it is not wanted any more does not end its thread", async () => {
  const { ask, load } = await import("./ask.js");
  const loaded = load({ files: [] });
  FakeWorker.started[0]!.reply({ answer: "summary" });
  await loaded;
  const unwanted = new AbortController();
  const dropped = ask("guarantees", {}, { signal: unwanted.signal, lane: "patient" });
  unwanted.abort();
  await expect(dropped).rejects.toThrow("not wanted any more");
  const [worker] = FakeWorker.started;
  worker!.reply({ answer: "in time" });
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(worker!.isEnded).toBe(false);
});
