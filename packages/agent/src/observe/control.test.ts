import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { askAgent, type ControlHandlers, serveControl } from "./control.js";
import type { AgentStatus } from "./status.js";

const folder = mkdtempSync(join(tmpdir(), "tierwall-control-"));
afterAll(() => rmSync(folder, { recursive: true }));
const socket = join(folder, "run/agent.sock");

const status: AgentStatus = {
  version: 1,
  at: "2026-01-01T00:10:00.000Z",
  node: "n1",
  since: "2026-01-01T00:00:00.000Z",
  table: "tierwall",
  generation: 3,
  shadow: false,
  pods: { programmed: 2, waiting: 0 },
  policies: 1,
  rules: 2,
  driftRepairs: 0,
  source: [],
  cutConnections: 0,
  memory: 1,
};
const handlers: ControlHandlers = {
  status: () => status,
  hits: () => Promise.resolve({ version: 1, node: "n1", at: status.at, rules: [] }),
  confirm: () => Promise.resolve({ ok: true, value: "confirmed: the new rules stay" }),
  giveUp: () => Promise.resolve({ ok: false, message: "no rules are on trial" }),
};

describe("an agent that runs", () => {
  let served: Awaited<ReturnType<typeof serveControl>> | undefined;
  afterEach(async () => {
    await served?.close();
    served = undefined;
  });
  const serve = async (more: Partial<ControlHandlers> = {}) => {
    served = await serveControl(socket, { ...handlers, ...more });
  };

  it("answers over a socket that only its owner may open", async () => {
    await serve();
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await askAgent(socket, "GET /status")).toEqual({ ok: true, value: status });
    expect(await askAgent(socket, "GET /hits")).toMatchObject({ ok: true, value: { node: "n1", rules: [] } });
  });

  it("executes requests, or says why not", async () => {
    await serve();
    expect(await askAgent(socket, "POST /confirm")).toEqual({
      ok: true,
      value: "confirmed: the new rules stay",
    });
    expect(await askAgent(socket, "POST /give-up")).toEqual({ ok: false, message: "no rules are on trial" });
  });

  it("reports a failure, and continues", async () => {
    await serve({ hits: () => Promise.reject(new Error("counters cannot be read")) });
    expect(await askAgent(socket, "GET /hits")).toEqual({ ok: false, message: "counters cannot be read" });
    expect(await askAgent(socket, "GET /status")).toMatchObject({ ok: true });
  });

  it("of another version does not support every request", async () => {
    await serve();
    const asked = await askAgent(socket, "GET /future" as "GET /status");
    expect(asked).toEqual({ ok: false, message: expect.stringContaining("another version") as unknown });
  });

  it("is not replaced by a second one", async () => {
    await serve();
    await expect(serveControl(socket, handlers)).rejects.toThrow(`another agent listens on \`${socket}\``);
    expect(await askAgent(socket, "GET /status")).toMatchObject({ ok: true });
  });

  it("takes the socket of one that was killed", async () => {
    const file = join(folder, "run/agent.sock");
    writeFileSync(file, "");
    await serve();
    expect(await askAgent(socket, "GET /status")).toMatchObject({ ok: true });
  });
});

describe("no agent", () => {
  let other: Server | undefined;
  afterEach(() => other?.close());

  it("is reported, with what to do", async () => {
    const message = `no agent listens on \`${folder}/none.sock\`: check that \`tierwall agent\` runs, or set --control to its socket`;
    expect(await askAgent(join(folder, "none.sock"), "GET /status")).toEqual({ ok: false, message });
  });

  it("but something else behind the socket", async () => {
    const path = join(folder, "other.sock");
    const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    other = createServer((connection) => connection.end(hello));
    await new Promise((resolve) => other!.listen(path, () => resolve(0)));
    expect(await askAgent(path, "GET /status")).toEqual({
      ok: false,
      message: `the process that listens on \`${path}\` is not a Tierwall agent`,
    });
  });

  it("can listen where no folder can be made", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(serveControl(join(folder, "file/agent.sock"), handlers)).rejects.toThrow(
      new RegExp(`^cannot listen on \`${folder}/file/agent.sock\`: .*; set --control to another socket$`),
    );
  });
});
