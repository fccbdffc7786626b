import { afterEach, describe, expect, it } from "vitest";
import { AnalystThread } from "./analyst-thread.js";

/* The side of requests: what is answered whatever the thread does. Threads here are a line of JavaScript each. */

const edit = { key: "networking.k8s.io NetworkPolicy shop/web" };
const worker = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort as p } from "node:worker_threads"; ${code}`)}`,
  );
const onJudge = (code: string) =>
  worker(`p.on("message", (m) => { if (m.what !== "judge") return; ${code} });`);
const found = (stage: string) =>
  `p.postMessage({ what: "found", id: m.id, found: { stage: "${stage}", warnings: [{ about: "denied", text: "${stage}" }], unread: [] } });`;
const done = `p.postMessage({ what: "done", id: m.id });`;

describe("an analyst in a thread", () => {
  let thread: AnalystThread;
  const troubles: string[] = [];
  const start = (entry: URL) => (thread = new AnalystThread({}, (message) => troubles.push(message), entry));
  afterEach(async () => {
    troubles.length = 0;
    await thread.stop();
  });

  it.each([
    ["all that it finds", `${found("connections")} ${found("precedence")} ${done}`, 2, []],
    ["what it finds before it stops", `${found("connections")} ${done}`, 1, ["precedence"]],
    ["nothing, if it finds nothing in time", "", 0, ["connections", "precedence"]],
  ])("returns %s", async (_, code, warnings, missing) => {
    const patience = code === "" ? 100 : 600_000;
    const judgement = await start(onJudge(code)).judge(edit, "everything", Date.now() + patience);
    expect(judgement.missing).toEqual(missing);
    expect(judgement.warnings).toHaveLength(warnings);
    expect(judgement.failure).toBeUndefined();
  });

  it("reports why it failed, and continues", async () => {
    start(onJudge(`p.postMessage({ what: "failed", id: m.id, message: "too hard" });`));
    expect(await thread.judge(edit, "everything", Date.now() + 600_000)).toMatchObject({
      failure: "too hard",
    });
    expect(thread.broken).toBeUndefined();
  });

  it("is known to be gone, for requests that wait and for later ones", async () => {
    start(onJudge(`throw new Error("out of memory");`));
    expect(await thread.judge(edit, "everything", Date.now() + 600_000)).toMatchObject({
      failure: "out of memory",
    });
    expect(await thread.judge(edit, "everything", Date.now() + 600_000)).toMatchObject({
      failure: "out of memory",
    });
    expect([thread.broken, troubles]).toEqual(["out of memory", ["out of memory"]]);
  });

  it("has a queue that ends: what comes after is answered at once, also when no caller waits for the others any more", async () => {
    start(onJudge(""));
    const waiting = Array.from({ length: 32 }, () => thread.judge(edit, "everything", Date.now() + 100));
    const later = Date.now() + 3_600_000;
    expect(await thread.judge(edit, "everything", later)).toMatchObject({ busy: true, warnings: [] });
    await Promise.all(waiting);
    expect(await thread.judge(edit, "everything", later)).toMatchObject({ busy: true });
  });

  it("has a queue that is no larger than some edits of the largest size, and goes on when it is shorter", async () => {
    start(
      onJudge(
        `if (m.edit.key === "go") { for (const id of ids) p.postMessage({ what: "done", id }); } else (globalThis.ids ??= []).push(m.id);`.replace(
          "of ids",
          "of [...globalThis.ids, m.id]",
        ),
      ),
    );
    const large = { ...edit, bytes: 3 * 1024 * 1024 };
    const waiting = Array.from({ length: 5 }, () =>
      thread.judge(large, "everything", Date.now() + 3_600_000),
    );
    expect(await thread.judge(large, "everything", Date.now() + 3_600_000)).toMatchObject({ busy: true });
    await thread.judge({ key: "go" }, "everything", Date.now() + 3_600_000);
    await Promise.all(waiting);
    const after = thread.judge(large, "everything", Date.now() + 3_600_000);
    void thread.judge({ key: "go" }, "everything", Date.now() + 3_600_000);
    expect((await after).busy).toBeUndefined();
  });

  it("hears of objects before the edit that comes after them", async () => {
    const remember = `let seen = []; p.on("message", (m) => { if (m.what === "objects") seen.push(...m.changes); else p.postMessage({ what: "failed", id: m.id, message: seen.map((one) => one.kind ?? one).join() }); });`;
    start(worker(remember));
    thread.set({ kind: "Pod" });
    thread.remove("core Pod shop/web");
    expect(await thread.judge(edit, "everything", Date.now() + 600_000)).toMatchObject({
      failure: "Pod,core Pod shop/web",
    });
  });
});
