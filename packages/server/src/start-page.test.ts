import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileFeed } from "./file-feed.js";
import { startPage } from "./start-page.js";
import { dbPolicy, runPage, shop, type TestPage } from "../testing/running-page.js";

describe("the files of the page", () => {
  let page: TestPage;
  beforeAll(async () => {
    page = await runPage({ "cluster.yaml": shop });
  });
  afterAll(async () => page.close());

  const script = "/assets/index-Ab_12-cd.js";

  it("are what was built, and nothing else", async () => {
    expect((await page.get("/")).text).toContain("<title>Tierwall</title>");
    expect((await page.get("/assets/icon.svg")).headers["content-type"]).toBe("image/svg+xml");
    expect((await page.get("/index.html")).status).toBe(404);
  });

  it.each([
    "/../manifests/cluster.yaml",
    "/assets/../../manifests/cluster.yaml",
    "/%2e%2e/manifests/cluster.yaml",
    "/assets/%2e%2e%2f%2e%2e%2fmanifests/cluster.yaml",
    "/assets\\..\\..\\manifests\\cluster.yaml",
    "//etc/passwd",
    "/assets/index-Ab_12-cd.js/",
    "/assets/index-Ab_12-cd.js%00",
    "/assets",
    "/constructor",
    "/__proto__",
  ])("do not include %s", async (path) => {
    const { status, text } = await page.get(path);
    expect([status, text]).toEqual([404, expect.not.stringContaining("podIP")]);
  });

  it("that are named after their content are kept for ever, others are asked for again", async () => {
    expect((await page.get(script)).headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const { headers } = await page.get("/");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await page.get("/", { headers: { "If-None-Match": `"other", ${String(headers.etag)}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await page.get("/", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  it.each([
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
  ])("are packed for who accepts %s", async (accepted, encoding, unpack) => {
    const plain = await page.get(script);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const packed = await page.get(script, { headers: { "Accept-Encoding": accepted } });
    expect(packed.headers["content-encoding"]).toBe(encoding);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect(unpack(packed.bytes)).toEqual(plain.bytes);
  });

  it("come with what keeps everything else out, as all answers do", async () => {
    for (const path of ["/", script, "/api/v1/state", "/nothing"]) {
      const { headers } = await page.get(path);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; connect-src 'self'; " +
          "img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    }
  });

  it.each([
    ["POST", "/", 405, "GET, HEAD"],
    ["DELETE", "/api/v1/state", 405, "GET, HEAD"],
    ["GET", "/api/v1/preview", 405, "POST"],
    ["OPTIONS", "/api/v1/preview", 405, "POST"],
    ["GET", "/api/v1/nothing", 404, undefined],
    ["GET", "/api/v2/state", 404, undefined],
  ])("%s %s: %i", async (method, path, status, allowed) => {
    const got = await page.get(path, { method });
    expect([got.status, got.headers.allow]).toEqual([status, allowed]);
    expect(got.headers["content-type"]).toBe("application/problem+json");
  });

  it.each(["/", "/api/v1/state", "/api/v1/matrix", "/api/v1/events"])("HEAD %s has no body", async (path) => {
    const { status, bytes } = await page.get(path, { method: "HEAD" });
    expect([status, bytes.length]).toEqual([200, 0]);
  });

  it("are not looked for under names that are too long", async () => {
    expect((await page.get(`/api/v1/explain?from=${"a".repeat(9000)}`)).status).toBe(414);
  });

  it("are not given to who asks for another server", async () => {
    expect((await page.get("/api/v1/state", { headers: { Host: "attacker.example" } })).status).toBe(403);
  });
});

describe("a token", () => {
  let page: TestPage;
  beforeAll(async () => {
    page = await runPage({ "cluster.yaml": shop }, { address: "0.0.0.0" });
  });
  afterAll(async () => page.close());

  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const logIn = async (token: string) =>
    page.get("/", { method: "POST", headers: form, body: new URLSearchParams({ token }).toString() });

  it("is made where others can reach the page, and is long enough", () => {
    expect(page.token).toMatch(/^[\w-]{32}$/);
  });

  it.each(["/api/v1/state", "/api/v1/events", "/assets/index-Ab_12-cd.js", "/nothing"])(
    "is needed for %s",
    async (path) => {
      const { status, headers, text } = await page.get(path);
      expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="tierwall"']);
      expect(text).not.toContain("podIP");
    },
  );

  it.each([
    ["the token", () => `Bearer ${page.token}`, 200],
    ["another", () => `Bearer ${page.token}x`, 401],
    ["a part of it", () => `Bearer ${page.token!.slice(0, -1)}`, 401],
    ["nothing", () => "Bearer ", 401],
    ["a password", () => `Basic ${page.token}`, 401],
  ])("%s as a header", async (_, authorization, status) => {
    const { status: got } = await page.get("/api/v1/state", { headers: { Authorization: authorization() } });
    expect(got).toBe(status);
  });

  it("is asked for in a form that sets a cookie", async () => {
    const asked = await page.get("/");
    expect([asked.status, asked.text]).toEqual([401, expect.stringContaining('<form method="post">')]);
    expect(asked.headers["content-security-policy"]).toContain("form-action 'self'");
    expect(asked.headers["referrer-policy"]).toBe("same-origin");
    const { status, headers } = await logIn(page.token!);
    expect([status, headers.location]).toEqual([303, "/"]);
    const cookie = headers["set-cookie"]![0]!;
    expect(cookie).toMatch(/^tierwall=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(page.token);
    const kept = { Cookie: `other=1; ${cookie.split(";")[0]}` };
    expect((await page.get("/", { headers: kept })).text).toContain("<title>Tierwall</title>");
    expect((await page.get("/api/v1/state", { headers: kept })).status).toBe(200);
    expect((await page.get("/api/v1/state", { headers: { Cookie: "tierwall=no" } })).status).toBe(401);
  });

  it("that is wrong sets none", async () => {
    const { status, headers, text } = await logIn("guess");
    expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
    expect(text).toContain("That is not the token of this server.");
  });

  it("has an end", async () => {
    expect((await logIn("a".repeat(5000))).status).toBe(413);
  });

  it("is sent slowly by one client on many connections, and others are served", async () => {
    const begun = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${form["Content-Type"]}\r\nContent-Length: 50\r\n\r\ntoken=`;
    const slow = Array.from({ length: 450 }, () => {
      const socket = connect({ port: page.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
      socket.on("error", () => undefined).resume();
      socket.write(begun);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      return { socket, closed, connected: new Promise((resolve) => socket.once("connect", resolve)) };
    });
    await Promise.all(slow.map(({ connected }) => connected));
    expect((await logIn(page.token!)).status).toBe(303);
    const headers = { Authorization: `Bearer ${page.token}` };
    expect((await page.get("/api/v1/state", { headers })).status).toBe(200);
    // None of them is waited for, as long as each goes on sending: this test does not end them.
    await Promise.all(slow.map(({ closed }) => closed));
  });

  it("is not taken from another site", async () => {
    const body = new URLSearchParams({ token: page.token! }).toString();
    const headers = { ...form, Origin: "https://attacker.example" };
    expect((await page.get("/", { method: "POST", headers, body })).status).toBe(403);
  });
});

describe("the state", () => {
  it("is what the files say, with their mistakes", async () => {
    const page = await runPage({ "a.yaml": shop, "b/c.yaml": "a: [\n", "notes.txt": "no manifest" });
    const { version, title, provenance, sources } = (await page.get("/api/v1/state")).value() as Record<
      string,
      unknown
    >;
    expect({ version, title, provenance, sources }).toEqual({
      version: 1,
      title: "Test",
      provenance: "file",
      sources: [
        {
          file: expect.stringMatching(/a\.yaml$/) as string,
          // What network policy has no use for is left out, and everything else stays where it is.
          text: shop.replace(" {matchLabels: {app: web}}", " null".padEnd(26)),
        },
        // What it holds is not known, and so it is not handed out: only that it cannot be read.
        {
          file: expect.stringMatching(/c\.yaml$/) as string,
          text: expect.stringContaining("this cannot be read") as string,
        },
      ],
    });
    await page.close();
  });

  it("has no Secret in it, and nothing else that network policy has no use for", async () => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n";
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {containers: [{name: c, env: [{name: P, value: hunter2}]}]}\n";
    const page = await runPage({
      "a.yaml": shop,
      "b.yaml": `${secret}---\n${pod}`,
      "c.yaml": `${secret}  broken: [\n`,
    });
    for (const path of ["state", "lint", "summary", "policies", "explain?from=shop/a&to=shop/b"]) {
      const { text } = await page.get(`/api/v1/${path}`);
      expect(text).not.toContain("hunter2");
    }
    await page.close();
  });

  it("comes with its options, for the same verdicts elsewhere", async () => {
    const page = await runPage({ "a.yaml": shop }, { state: { ciliumEnforcement: "always" } });
    const { options } = (await page.get("/api/v1/state")).value() as { options: unknown };
    expect(options).toEqual({ ciliumEnforcement: "always" });
    const question = "from=shop/cart&to=shop/db&port=5432";
    const { verdict } = (await page.get(`/api/v1/explain?${question}`)).value() as { verdict: string };
    expect(verdict).toBe("Deny");
    await page.close();
  });

  it("has a revision, which is its ETag, as long as it is the same", async () => {
    const page = await runPage({ "a.yaml": shop });
    const { headers } = await page.get("/api/v1/state");
    const known = { "If-None-Match": String(headers.etag) };
    expect((await page.get("/api/v1/state", { headers: known })).status).toBe(304);
    const events = await Events.listen(page);
    await events.next();
    page.write("b.yaml", dbPolicy);
    await events.next();
    events.close();
    expect((await page.get("/api/v1/state", { headers: known })).status).toBe(200);
    await page.close();
  });
});

describe("events", () => {
  it("report each change of the files, and the state at the beginning", async () => {
    const page = await runPage({ "a.yaml": shop });
    const events = await Events.listen(page);
    const first = await events.next();
    const { revision } = (await page.get("/api/v1/state")).value() as { revision: string };
    expect(first).toBe(`id: ${revision}\nevent: state\ndata: {"revision":"${revision}"}`);
    const question = "/api/v1/explain?from=shop/Deployment/web&to=shop/db&port=5432";
    const verdict = async () => ((await page.get(question)).value() as { verdict: string }).verdict;
    expect(await verdict()).toBe("Allow");
    page.write("db.yaml", dbPolicy);
    expect(await events.next()).not.toBe(first);
    expect(await verdict()).toBe("Deny");
    page.remove("db.yaml");
    await events.next();
    expect(await verdict()).toBe("Allow");
    events.close();
    await page.close();
  });

  it("begin with nothing for who knows the present state, and with it for who knows another", async () => {
    const page = await runPage({ "a.yaml": shop });
    const { revision } = (await page.get("/api/v1/state")).value() as { revision: string };
    const knowing = await Events.listen(page, revision);
    const behind = await Events.listen(page, "another");
    expect(await behind.next()).toContain(revision);
    page.write("b.yaml", dbPolicy);
    expect(await knowing.next()).not.toContain(`id: ${revision}\n`);
    knowing.close();
    behind.close();
    await page.close();
  });

  it("are not silent for long", async () => {
    const page = await runPage(
      { "a.yaml": shop },
      { eventTimes: { heartbeatMilliseconds: 10, retryMilliseconds: 123 } },
    );
    const events = await Events.listen(page, undefined, () => true);
    expect(await events.next()).toBe("retry: 123");
    await events.next();
    expect(await events.next()).toBe(": still here");
    events.close();
    await page.close();
  });

  it("end with the page, however many listen", async () => {
    const page = await runPage({ "a.yaml": shop });
    const listeners = await Promise.all([1, 2, 3].map(async () => Events.listen(page)));
    await page.close();
    for (const events of listeners) await expect(events.ended).resolves.toBeUndefined();
  });
});

describe("a page that cannot start", () => {
  it.each([
    ["its port is taken", "127.0.0.1", /^port \d+ of 127\.0\.0\.1 is taken; choose another with --port/],
    ["its address is not of this machine", "192.0.2.1", /`192\.0\.2\.1` is no address of this machine/],
  ])("says that %s", async (_, address, message) => {
    const page = await runPage({ "a.yaml": shop });
    const opened = FileFeed.open({ paths: ["."] });
    if (!opened.ok) throw new Error("there are manifests here");
    const started = await startPage({ feed: opened.feed, port: page.port, address });
    await page.close();
    expect(started).toEqual({ ok: false, message: expect.stringMatching(message) as string });
  });

  it("says which path is not there", () => {
    expect(FileFeed.open({ paths: ["no/such/folder"] })).toMatchObject({
      ok: false,
      diagnostics: [{ code: "TW1004", message: "`no/such/folder` cannot be read: it does not exist" }],
    });
    expect(FileFeed.open({ paths: ["-"] })).toMatchObject({ ok: false });
  });
});

/** Reads server-sent events one by one. */
class Events {
  private constructor(
    private readonly blocks: AsyncGenerator<string, undefined>,
    private readonly ending: AbortController,
  ) {}

  static async listen(
    { port }: TestPage,
    known?: string,
    isWanted = (block: string) => block.includes("event:"),
  ): Promise<Events> {
    const ending = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events`, {
      headers: known === undefined ? {} : { "Last-Event-ID": known },
      signal: ending.signal,
    });
    return new Events(blocksOf(answer, isWanted), ending);
  }

  async next(): Promise<string> {
    const { value } = await this.blocks.next();
    if (value === undefined) throw new Error("the stream has ended");
    return value;
  }

  get ended(): Promise<void> {
    return (async () => {
      try {
        for await (const _ of this.blocks) continue;
      } catch {
        // Cut off is ended too.
      }
    })();
  }

  close(): void {
    this.ending.abort();
  }
}

async function* blocksOf(
  answer: Response,
  isWanted: (block: string) => boolean,
): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  const pieces: AsyncIterable<Uint8Array> = answer.body!;
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop()!;
    yield* blocks.filter(isWanted);
  }
}
