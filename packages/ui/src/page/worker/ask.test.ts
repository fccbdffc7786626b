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

test("a patient question goes to whoever has read the state, and another thread reads it for the quick ones", async () => {
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

test("while the one who has read the state answers somebody, another reads it for a patient question", async () => {
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

test("both threads hear of another state", async () => {
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
  const anew = ask("rule-use", {}, { lane: "patient" });
  expect(first!.last).toBe("load");
  second.reply({ answer: "another summary" });
  await again;
  first!.reply({ answer: "another summary" });
  await vi.waitFor(() => expect(first!.last).toBe("rule-use"), patience);
  first!.reply({ answer: "of the state now" });
  expect(await anew).toBe("of the state now");
});
