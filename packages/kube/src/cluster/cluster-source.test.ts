import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@tierwall/core/manifest";
import { expect, it } from "vitest";
import { ClusterSource } from "./cluster-source.js";
import type { Connection } from "./connection.js";
import { foreignWatchedKinds } from "./foreign-kinds.js";
import { guaranteeKind, watchedKinds } from "./kinds.js";
import { scriptedConnection } from "../../testing/scripted-connection.js";

/* What does not need a real API server, which test/cluster/list-watch.test.ts has. */

const times = {
  idleMilliseconds: 2000,
  absentMilliseconds: 20,
  firstPauseMilliseconds: 5,
  longestPauseMilliseconds: 20,
};

const kinds = [...watchedKinds.filter(({ kind }) => kind === "Namespace"), ...foreignWatchedKinds];

/** Watches stay open and say nothing, and what is of other projects comes last. */
const quiet = (connection: Connection): Connection => ({
  ...connection,
  send: async (request) => {
    if (!request.path.includes("watch=1")) {
      if (request.path !== "/apis" && !request.path.startsWith("/api/")) await sleep(50);
      return connection.send(request);
    }
    const open = new PassThrough();
    request.signal?.addEventListener("abort", () => open.end());
    return Object.assign(open, { statusCode: 200, headers: {} }) as unknown as IncomingMessage;
  },
});

const calico = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: { name: "crd.projectcalico.org" },
      versions: [{ version: "v1", resources: [{ resource: "globalnetworkpolicies" }], freshness: "Current" }],
    },
  ],
};

it.each([
  [
    "its API server is unavailable",
    503,
    calico,
    { forbidden: ["globalnetworkpolicies.crd.projectcalico.org"] },
  ],
  ["it may not be read", 403, calico, { forbidden: ["globalnetworkpolicies.crd.projectcalico.org"] }],
  ["what is served is not known", 200, undefined, { forbidden: [], undiscovered: "no" }],
])(
  "a policy API of another project is not waited for where %s, and is named",
  async (_, status, apis, wanted) => {
    const connection = scriptedConnection(({ path }) => {
      if (path === "/apis")
        return apis === undefined ? { status: 403, body: { message: "no" } } : { status: 200, body: apis };
      if (path.startsWith("/api/v1/namespaces"))
        return { status: 200, body: { apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] } };
      return { status, body: { message: "no" } };
    });
    const source = new ClusterSource(quiet(connection), { kinds, times, keepsObjects: true });
    await source.start(() => undefined);
    expect(source.listing()).toMatchObject(wanted);
    await source.stop();
  },
);

it.each([
  ["may be read now", 403, 200, []],
  ["may not be read any more", 200, 403, ["globalnetworkpolicies.crd.projectcalico.org"]],
] as const)(
  "a policy API of another project that %s is another situation, although no object changed",
  async (_, before, after, forbidden) => {
    let status: number = before;
    const connection = scriptedConnection(({ path }) => {
      if (path === "/apis") return { status: 200, body: calico };
      // It is listed again after each watch.
      if (path.includes("watch=1")) return { status: 410, body: { message: "too old" } };
      const isNamespaces = path.startsWith("/api/v1/namespaces");
      return isNamespaces || status === 200
        ? { status: 200, body: { apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] } }
        : { status, body: { message: "no" } };
    });
    const ending: Connection = {
      ...connection,
      send: async (request) =>
        (request.path.includes("projectcalico") ? connection : quiet(connection)).send(request),
    };
    const source = new ClusterSource(ending, { kinds, times, keepsObjects: true });
    const reported: (readonly string[])[] = [];
    const unread: (readonly string[])[] = [];
    await source.start(({ unreadForeign }) => {
      reported.push(source.listing().forbidden);
      unread.push(unreadForeign.map(({ kind }) => kind));
    });
    expect(reported).toHaveLength(1);
    status = after;
    await expect.poll(() => reported.at(-1)).toEqual(forbidden);
    expect(reported).toHaveLength(2);
    expect(unread.at(-1)).toEqual(forbidden.map(() => "GlobalNetworkPolicy"));
    await source.stop();
  },
);

it("a guarantee that changes is another situation for a program that lists objects; its status is not", async () => {
  const connection = scriptedConnection(({ path }) =>
    path === "/apis"
      ? { status: 200, body: { kind: "APIGroupDiscoveryList", items: [] } }
      : { status: 200, body: { apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] } },
  );
  const own = watchedKinds.filter(({ kind }) => kind === "Namespace");
  const source = new ClusterSource(quiet(connection), {
    kinds: [...own, guaranteeKind],
    times,
    keepsObjects: true,
  });
  let situations = 0;
  await source.start(() => void situations++);
  const object = (verdict: string, status: JsonObject) => ({
    apiVersion: "tierwall.dev/v1",
    kind: "Guarantee",
    metadata: { name: "closed" },
    spec: { from: [{ namespaces: {} }], to: [{ namespaces: {} }], verdict },
    status,
  });
  const key = source.keyOf(object("Deny", {}));
  expect(situations).toBe(1);
  source.set(guaranteeKind, key, object("Deny", {}));
  await expect.poll(() => situations).toBe(2);
  source.set(guaranteeKind, key, object("Deny", { restsOn: ["x"] }));
  await sleep(100);
  expect(situations).toBe(2);
  source.set(guaranteeKind, key, object("Allow", {}));
  await expect.poll(() => situations).toBe(3);
  source.remove(guaranteeKind, key);
  await expect.poll(() => situations).toBe(4);
  await source.stop();
});
