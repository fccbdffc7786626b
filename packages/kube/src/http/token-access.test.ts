import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { scriptedConnection } from "../../testing/scripted-connection.js";
import { TokenAccess } from "./token-access.js";

/** An API server that knows two tokens, only one of which may read metrics. */
function access() {
  const asked: string[] = [];
  const server = { isUp: true, now: 0, may: true };
  const connection = scriptedConnection(({ path, body }) => {
    if (!server.isUp) throw new Error("connection refused");
    const { spec } = JSON.parse(body!) as { spec: JsonObject & { token: string } };
    if (path.endsWith("/tokenreviews")) {
      asked.push(`token ${spec.token}`);
      const user = { good: "prometheus", rotated: "prometheus", poor: "guest" }[spec.token];
      return {
        status: 201,
        body: {
          status:
            user === undefined
              ? { authenticated: false }
              : { authenticated: true, user: { username: user, groups: ["a"] } },
        },
      };
    }
    asked.push(`access ${JSON.stringify(spec)}`);
    return { status: 201, body: { status: { allowed: server.may && spec.user === "prometheus" } } };
  });
  const made = new TokenAccess(connection, () => server.now);
  return {
    server,
    asked,
    check: (token: string, address = "10.0.0.1") => made.check(`Bearer ${token}`, address),
    made,
  };
}

describe("access with a token", () => {
  it("is for accounts that may get the URL /metrics", async () => {
    const { check, asked } = access();
    expect(await check("good")).toBe("allowed");
    expect(asked).toEqual([
      "token good",
      'access {"user":"prometheus","groups":["a"],"extra":{},"nonResourceAttributes":{"path":"/metrics","verb":"get"}}',
    ]);
    expect(await check("poor")).toBe("forbidden");
    expect(await check("made-up")).toBe("unauthenticated");
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer a b",
    "Bearer \u00e9",
    `Bearer ${"x".repeat(9000)}`,
  ])("is refused to `%.20s` without a question to the API server", async (header) => {
    const { made, asked } = access();
    expect(await made.check(header, "10.0.0.1")).toBe("unauthenticated");
    expect(asked).toEqual([]);
  });

  it("is remembered for a moment, in both ways", async () => {
    const { check, asked, server } = access();
    await Promise.all([check("good"), check("good"), check("poor")]);
    await check("good");
    await check("poor");
    expect(asked.filter((text) => text.startsWith("token"))).toEqual(["token good", "token poor"]);
    server.now = 61_000;
    server.may = false;
    expect(await check("good")).toBe("forbidden");
  });

  it("is refused to all while the API server does not answer", async () => {
    const { check, server } = access();
    server.isUp = false;
    expect(await check("good")).toBe("unavailable");
    server.isUp = true;
    expect(await check("good")).toBe("allowed");
    server.isUp = false;
    server.now = 30_000;
    expect(await check("good")).toBe("allowed");
    server.now = 61_000;
    expect(await check("good")).toBe("unavailable");
  });

  it("does not become load on the API server, and tokens that are made up keep no good one out", async () => {
    const { check, asked, server } = access();
    expect(await check("good")).toBe("allowed");
    const flood = await Promise.all(Array.from({ length: 2000 }, (_, i) => check(`made-up-${i}`)));
    expect(new Set(flood)).toEqual(new Set(["unauthenticated", "unavailable"]));
    expect(asked.length).toBeLessThan(30);
    server.now = 61_000;
    await Promise.all(Array.from({ length: 2000 }, (_, i) => check(`more-${i}`)));
    expect(await check("good")).toBe("allowed");
  });

  it("is decided for a token that is new while another client makes tokens up", async () => {
    const { check } = access();
    for (let i = 0; i < 2000; i++) await check(`made-up-${i}`, "10.0.0.66");
    expect(await check("made-up", "10.0.0.66")).toBe("unavailable");
    expect(await check("good", "10.0.0.1")).toBe("allowed");
  });

  it("is decided for a client that was admitted before while many others make tokens up", async () => {
    const { check, asked, server } = access();
    expect(await check("good", "10.0.0.1")).toBe("allowed");
    server.now = 600_000;
    for (let i = 0; i < 2000; i++) await check(`made-up-${i}`, `10.0.1.${i % 200}`);
    expect(asked.length).toBeLessThan(30);
    // The budget of addresses without an admitted client is used up.
    expect(await check("made-up", "10.0.0.2")).toBe("unavailable");
    expect(await check("rotated", "10.0.0.1")).toBe("allowed");
    server.now = 30_000_000;
    for (let i = 0; i < 2000; i++) await check(`more-${i}`, `10.0.1.${i % 200}`);
    expect(await check("made-up", "10.0.0.1")).toBe("unavailable");
  });
});
