import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, linesIn } from "./connection.js";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tierwall-kube-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function kubeconfig(server: string, context = "one"): string {
  const path = join(folder, "config");
  writeFileSync(
    path,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: { token: "secret" } }],
      contexts: ["one", "two"].map((name) => ({ name, context: { cluster: "c", user: "u" } })),
      "current-context": context,
    }),
  );
  return path;
}

describe("how to get to a cluster", () => {
  it("comes from a kubeconfig and one of its contexts", async () => {
    const connected = await connect({ kubeconfig: kubeconfig("https://one.example:6443"), context: "two" });
    expect(connected).toMatchObject({ ok: true, connection: { server: "https://one.example:6443" } });
  });

  it.each([
    ["there is no such file", () => join(folder, "none"), undefined, "cannot be read as a kubeconfig"],
    ["there is no such context", () => kubeconfig("https://c"), "three", "there are: `one`, `two`"],
    ["it has no current context", () => kubeconfig("https://c", ""), undefined, "choose a context"],
  ])("is reported as wrong where %s", async (_, path, context, message) => {
    const connected = await connect({ kubeconfig: path(), ...(context === undefined ? {} : { context }) });
    expect(connected).toMatchObject({ ok: false, message: expect.stringContaining(message) as string });
  });
});

describe("without a configured cluster", () => {
  const { HOME, KUBECONFIG } = process.env;
  afterEach(() => void Object.assign(process.env, { HOME, KUBECONFIG: KUBECONFIG ?? "" }));

  it("no default is assumed", async () => {
    Object.assign(process.env, { HOME: folder, KUBECONFIG: "" });
    expect(await connect()).toMatchObject({
      ok: false,
      message: expect.stringContaining("--kubeconfig") as string,
    });
  });
});

describe("a request", () => {
  const server = createServer((request, response) => {
    if (request.url === "/silent") return;
    response.writeHead(200).write(request.headers.authorization ?? "anonymous");
    if (request.url !== "/half") response.end();
  });
  beforeEach(async () => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function send(path: string, idleMilliseconds = 30_000): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const connected = await connect({ kubeconfig: kubeconfig(`http://127.0.0.1:${port}/`) });
    if (!connected.ok) throw new Error(connected.message);
    return connected.connection.send({ path, idleMilliseconds });
  }

  async function bodyText(response: IncomingMessage): Promise<string> {
    let text = "";
    for await (const chunk of response) text += String(chunk);
    return text;
  }

  it("says who we are", async () => {
    expect(await bodyText(await send("/"))).toBe("Bearer secret");
  });

  it("is given up when nothing comes, before the answer or in the middle of it", async () => {
    await expect(send("/silent", 100)).rejects.toThrow("did not answer for 0.1 s");
    await expect(bodyText(await send("/half", 2000))).rejects.toThrow("aborted");
  });
});

const cases: readonly [what: string, chunks: readonly string[], lines: readonly string[]][] = [
  ["nothing", [], []],
  ["a line in one piece", ["a\n"], ["a"]],
  ["several in one piece", ["a\nb\n\nc\n"], ["a", "b", "", "c"]],
  ["a line in pieces", ["a", "b", "c\nd", "\n"], ["abc", "d"]],
  ["a line that was cut off", ["a\nb"], ["a"]],
];

it.each(cases)("%s", async (_, chunks, lines) => {
  expect(await collected(chunks.map((text) => Buffer.from(text)))).toEqual(lines);
});

it("a character in two pieces", async () => {
  const bytes = Buffer.from("grün\n");
  expect(await collected([bytes.subarray(0, 3), bytes.subarray(3)])).toEqual(["grün"]);
});

async function collected(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of linesIn(streamOf(chunks))) found.push(line);
  return found;
}

async function* streamOf(chunks: readonly Buffer[]): AsyncIterable<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}
