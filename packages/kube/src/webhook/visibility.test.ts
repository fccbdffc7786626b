import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { scriptedConnection } from "../../testing/scripted-connection.js";
import { ReviewedVisibility } from "./visibility.js";

const user = { username: "dave", uid: "7", groups: ["devs"], extra: { scope: ["x"] } };
const soon = () => Date.now() + 60_000;

/** An API server that lets everyone list what is named here: `pods`, `pods in shop`. */
function visibility(allowed: (what: string) => boolean) {
  const asked: string[] = [];
  const troubles: string[] = [];
  const specs: JsonObject[] = [];
  const connection = scriptedConnection(({ body }) => {
    const { spec } = JSON.parse(body!) as {
      spec: { resourceAttributes: Record<string, string> } & JsonObject;
    };
    specs.push(spec);
    const { resource, namespace } = spec.resourceAttributes;
    const what = `${resource}${namespace === undefined ? "" : ` in ${namespace}`}`;
    asked.push(what);
    return { status: 201, body: { status: { allowed: allowed(what) } } };
  });
  return {
    asked,
    troubles,
    specs,
    made: new ReviewedVisibility(connection, (message) => void troubles.push(message)),
  };
}

describe("what a user may read", () => {
  it("is everything where they may list all kinds in the whole cluster", async () => {
    const { made, specs } = visibility(() => true);
    expect(await made.readableBy(user, "shop", soon())).toBe("everything");
    expect(specs[0]).toMatchObject({
      user: "dave",
      uid: "7",
      groups: ["devs"],
      extra: { scope: ["x"] },
      resourceAttributes: { verb: "list" },
    });
  });

  it("is asked for by kind, in the whole cluster and in the namespace of the policy", async () => {
    const { made } = visibility((what) => ["nodes", "pods in shop", "networkpolicies"].includes(what));
    expect(await made.readableBy(user, "shop", soon())).toEqual(
      new Map<string, unknown>([
        [" Node", "all"],
        [" Pod", new Set(["shop"])],
        ["networking.k8s.io NetworkPolicy", "all"],
      ]),
    );
    const clusterWide = visibility((what) => what === "pods in shop");
    expect(await clusterWide.made.readableBy(user, undefined, soon())).toEqual(new Map());
    expect(clusterWide.asked.filter((what) => what.includes(" in "))).toEqual([]);
  });

  it("grows by namespaces that an edit touches, with no more reviews than a few", async () => {
    const { made, asked } = visibility((what) => what === "pods in two");
    const unread = (namespace: string) => ({ kind: " Pod", namespace });
    const readable = new Map([[" Pod", new Set(["one"])]]);
    expect(await made.extended(user, readable, [unread("two"), unread("three")], soon())).toEqual(
      new Map([[" Pod", new Set(["one", "two"])]]),
    );
    expect(await made.extended(user, readable, [unread("three"), { kind: " Node" }], soon())).toBeUndefined();
    asked.length = 0;
    const many = Array.from({ length: 1000 }, (_, i) => unread(`n${i}`));
    await made.extended(user, readable, many, soon());
    expect(asked).toHaveLength(24);
  });

  it("is nothing where the API server refuses to say, and that is reported seldom", async () => {
    const troubles: string[] = [];
    const failing = scriptedConnection(() => ({ status: 403, body: {} }));
    const made = new ReviewedVisibility(failing, (message) => void troubles.push(message));
    for (let i = 0; i < 10; i++) expect(await made.readableBy(user, "shop", soon())).toEqual(new Map());
    expect(troubles.length).toBeLessThanOrEqual(5);
    expect(troubles[0]).toContain("403");
  });

  it("is nothing where there is no time", async () => {
    const connection = { ...scriptedConnection(() => ({ status: 201, body: {} })) };
    const waiting = {
      ...connection,
      send: (request: { signal?: AbortSignal }) =>
        new Promise<never>((_, reject) => {
          request.signal!.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    };
    const made = new ReviewedVisibility(waiting, () => undefined);
    expect(await made.readableBy(user, "shop", Date.now() - 1)).toEqual(new Map());
  });
});
