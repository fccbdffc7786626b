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
  `p.postMessage({ what: "found", id: m.id, found: { stage: "${stage}", warnings: [{ about: "denied", text: "${stage}" }] } });`;
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
    ["all that he finds", `${found("connections")} ${found("precedence")} ${done}`, 2, []],
    ["what he finds before he stops", `${found("connections")} ${done}`, 1, ["precedence"]],
    ["nothing, where he finds nothing in time", "", 0, ["connections", "precedence"]],
  ])("tells %s", async (_, code, warnings, missing) => {
    const patience = code === "" ? 100 : 600_000;
    const judgement = await start(onJudge(code)).judge(edit, Date.now() + patience);
    expect(judgement.missing).toEqual(missing);
    expect(judgement.warnings).toHaveLength(warnings);
    expect(judgement.failure).toBeUndefined();
  });

  it("says why he failed, and goes on", async () => {
    start(onJudge(`p.postMessage({ what: "failed", id: m.id, message: "too hard" });`));
    expect(await thread.judge(edit, Date.now() + 600_000)).toMatchObject({ failure: "too hard" });
    expect(thread.broken).toBeUndefined();
  });

  it("is known to be gone, to whoever waits and to whoever asks later", async () => {
    start(onJudge(`throw new Error("out of memory");`));
    expect(await thread.judge(edit, Date.now() + 600_000)).toMatchObject({ failure: "out of memory" });
    expect(await thread.judge(edit, Date.now() + 600_000)).toMatchObject({ failure: "out of memory" });
    expect([thread.broken, troubles]).toEqual(["out of memory", ["out of memory"]]);
  });

  it("hears of objects before the edit that comes after them", async () => {
    const remember = `let seen = []; p.on("message", (m) => { if (m.what === "objects") seen.push(...m.changes); else p.postMessage({ what: "failed", id: m.id, message: seen.map((one) => one.kind ?? one).join() }); });`;
    start(worker(remember));
    thread.set({ kind: "Pod" });
    thread.remove("core Pod shop/web");
    expect(await thread.judge(edit, Date.now() + 600_000)).toMatchObject({
      failure: "Pod,core Pod shop/web",
    });
  });
});
