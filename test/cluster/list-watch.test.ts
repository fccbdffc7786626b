import { setTimeout as sleep } from "node:timers/promises";
import {
  ClusterSource,
  type ClusterSourceOptions,
  type KindHealth,
  type Situation,
  usualTimes,
} from "@tierwall/kube";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { ApiClient } from "./api-client.js";
import { Churn } from "./churn.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { FaultProxy } from "./fault-proxy.js";

/** As in a cluster, with shorter times. */
const times = {
  idleMilliseconds: 2000,
  absentMilliseconds: 300,
  firstPauseMilliseconds: 20,
  longestPauseMilliseconds: 500,
};

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`a cluster through list and watch${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let proxy: FaultProxy;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
  }, startTimeout);
  afterAll(async () => plane?.stop());
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function watched(options: ClusterSourceOptions = {}, user: "admin" | "guest" = "admin") {
    proxy = await FaultProxy.before(await plane.connect(user));
    ends.push(async () => proxy.stop());
    return following(new ClusterSource(await plane.connect(user, proxy.url), { times, ...options }));
  }

  function following(source: ClusterSource) {
    const seen: Situation[] = [];
    ends.push(async () => source.stop());
    const started = source.start((situation) => void seen.push(situation));
    return { source, seen, started, latest: () => textOf(seen.at(-1)) };
  }

  /** What a new source reads from the API server itself. */
  async function fresh(): Promise<string> {
    const source = new ClusterSource(await plane.connect(), { times });
    let found: Situation | undefined;
    await source.start((situation) => void (found ??= situation));
    await source.stop();
    return textOf(found);
  }

  it("gives the first situation when all lists are in, large ones page by page", async () => {
    await api.create("/api/v1/namespaces", { metadata: { name: "large" } });
    const policies = Array.from({ length: 510 }, (_, i) => ({
      metadata: { name: `policy-${i}` },
      spec: { podSelector: { matchLabels: { app: `${i}` } } },
    }));
    const collection = "/apis/networking.k8s.io/v1/namespaces/large/networkpolicies";
    for (let i = 0; i < policies.length; i += 30)
      await Promise.all(policies.slice(i, i + 30).map(async (policy) => api.create(collection, policy)));
    const { seen, started } = await watched();
    await started;
    expect(seen).toHaveLength(1);
    expect(seen[0]!.policies).toHaveLength(510);
    expect(
      proxy.requests.filter((path) => path.includes("networkpolicies?limit=500&continue=")),
    ).toHaveLength(1);
    await api.delete("/api/v1/namespaces/large");
    await api.delete(collection);
  });

  it("gives out one situation for changes that come together, and what did not change as the same objects", async () => {
    await api.create("/api/v1/namespaces", { metadata: { name: "one" } });
    await api.create("/api/v1/namespaces", { metadata: { name: "two" } });
    const { seen, started } = await watched({ delivery: { quiet: 1500, longest: 6000 } });
    await started;
    await Promise.all(
      ["one", "two"].map(async (name) =>
        api.create(`/apis/networking.k8s.io/v1/namespaces/${name}/networkpolicies`, {
          metadata: { name: "isolate" },
          spec: { podSelector: {} },
        }),
      ),
    );
    await expect.poll(() => seen.length, patience).toBe(2);
    const [before, after] = seen as [Situation, Situation];
    expect(after.policies).toHaveLength(before.policies.length + 2);
    expect(after.cluster).toBe(before.cluster);
    await api.patch("/api/v1/namespaces/one", { metadata: { annotations: { unread: "is not read" } } });
    await api.patch("/api/v1/namespaces/one", { metadata: { labels: { team: "red" } } });
    await expect.poll(() => seen.length, patience).toBe(3);
    expect(seen[2]!.tiers).toBe(after.tiers);
    expect(seen[2]!.cluster.namespaces.get("two")).toBe(before.cluster.namespaces.get("two"));
    expect(seen[2]!.cluster.namespaces.get("one")!.labels).toMatchObject({ team: "red" });
  });

  /** What goes wrong while things change; it is over when the function is. */
  const faults: Record<string, (steps: () => Promise<void>) => Promise<void>> = {
    "connections break": async (steps) => {
      const breaking = setInterval(() => proxy.breakAll(), 40);
      for (let i = 0; i < 5; i++) await steps();
      clearInterval(breaking);
    },
    "lines are cut in the middle": async (steps) => {
      proxy.breakAfter = 1500;
      await steps();
      proxy.breakAfter = 20;
      await steps();
      proxy.breakAfter = Number.POSITIVE_INFINITY;
    },
    "connections stand still": async (steps) => {
      proxy.isStalled = true;
      await steps();
      await sleep(times.idleMilliseconds);
      proxy.isStalled = false;
    },
    "the API server says 429 with Retry-After": async (steps) => {
      proxy.refuse = () => ({ status: 429, headers: { "retry-after": "1" } });
      proxy.breakAll();
      await steps();
      proxy.refuse = () => undefined;
    },
    "the API server says 503, now and then": async (steps) => {
      let n = 0;
      proxy.refuse = () => (n++ % 3 === 0 ? undefined : { status: 503, body: "busy" });
      for (let i = 0; i < 4; i++) {
        proxy.breakAll();
        await steps();
      }
      proxy.refuse = () => undefined;
    },
    "answers are no JSON": async (steps) => {
      proxy.refuse = () => ({ status: 200, body: "<html>\nplease log in\n</html>\n" });
      proxy.breakAll();
      await steps();
      proxy.refuse = () => undefined;
    },
    "lists are something else": async (steps) => {
      proxy.refuse = (path) =>
        path.includes("watch=1")
          ? { status: 410 }
          : { status: 200, body: JSON.stringify({ kind: "Welcome", items: [] }) };
      proxy.breakAll();
      await steps();
      await sleep(300);
      proxy.refuse = () => undefined;
    },
    "kinds seem to be gone": async (steps) => {
      proxy.refuse = (path) =>
        path.includes("/api/v1/") ? { status: 404, body: "404 page not found" } : undefined;
      proxy.breakAll();
      await steps();
      proxy.refuse = () => undefined;
    },
    "the API server is killed and comes back": async (steps) => {
      await steps();
      await plane.stopApiServer();
      await sleep(300);
      await plane.startApiServer();
    },
    "the version it watched from is gone (410)": async (steps) => {
      // The server cannot be reached while it forgets.
      proxy.refuse = () => ({ status: 503 });
      proxy.breakAll();
      await steps();
      await plane.stopApiServer();
      await plane.compact();
      await plane.startApiServer();
      await steps();
      const before = proxy.requests.length;
      proxy.refuse = () => undefined;
      const lists = () =>
        proxy.requests.slice(before).filter((path) => path.startsWith("GET /api/v1/pods?limit=500"));
      await expect.poll(() => lists().length, patience).toBeGreaterThan(0);
    },
    "the API server says during a watch that the version is gone": async (steps) => {
      const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
      proxy.refuse = (path) =>
        path.includes("watch=1")
          ? { status: 200, body: `${JSON.stringify({ type: "ERROR", object: status })}\n` }
          : undefined;
      proxy.breakAll();
      await steps();
      proxy.refuse = () => undefined;
    },
  };

  it.each(Object.entries(faults))(
    "ends with what a fresh list says when %s",
    onlyInFull,
    async (name, fault) => {
      const namespace = `faults-${Object.keys(faults).indexOf(name)}`;
      const churn = new Churn(api, namespace, 7);
      await churn.begin();
      await churn.steps(8);
      const { source, seen, started, latest } = await watched();
      await started;
      const sizes = () => seen.map(({ cluster }) => cluster.namespaces.size);
      await fault(async () => churn.steps(6));
      await churn.steps(3);
      const wanted = await fresh();
      await expect.poll(latest, patience).toBe(wanted);
      const states = () => [...source.health().values()].map(({ state }) => state);
      await expect
        .poll(() => states().filter((state) => state !== "missing" && state !== "synced"), patience)
        .toEqual([]);
      // Nothing of what stayed was ever gone in between.
      expect(Math.min(...sizes())).toBe(sizes()[0]);
    },
  );

  describe("what is said of watches", onlyInFull, () => {
    /** All that is heard of kinds that are not what they should be. */
    async function listening(change: Partial<typeof times> & { readonly watchSeconds?: number } = {}) {
      const heard: KindHealth[] = [];
      const isTrouble = ({ state }: KindHealth) => state !== "synced" && state !== "missing";
      let restarts = 0;
      const { source, started } = await watched({
        times: { ...usualTimes, ...times, ...change },
        onHealth: (_kind, health) => isTrouble(health) && heard.push(health),
        onRestart: () => void restarts++,
      });
      await started;
      const watches = () =>
        proxy.requests.filter((path) => path.startsWith("GET /api/v1/pods?watch=1")).length;
      await expect.poll(watches, patience).toBeGreaterThan(0);
      heard.length = 0;
      return { source, heard, watches, restarts: () => restarts };
    }

    it("nothing, where the server ends them in its time and they are renewed", async () => {
      const { heard, watches } = await listening({ idleMilliseconds: 60_000, watchSeconds: 2 });
      await expect.poll(watches, patience).toBeGreaterThan(3);
      expect(heard).toEqual([]);
    });

    it("nothing, where they break off and are renewed at once; it is counted", async () => {
      const { heard, watches, restarts } = await listening({ idleMilliseconds: 60_000 });
      // One that breaks sooner than a second after it began has failed.
      await sleep(1500);
      const before = watches();
      proxy.breakAll();
      await expect.poll(watches, patience).toBeGreaterThan(before);
      await expect.poll(restarts, patience).toBeGreaterThan(0);
      expect(heard).toEqual([]);
    });

    it("nothing, where the version is gone and a list helps", async () => {
      const { heard, watches } = await listening({ idleMilliseconds: 60_000 });
      await sleep(1500);
      const [before, lists] = [
        watches(),
        () => proxy.requests.filter((path) => path.includes("pods?limit=500")),
      ];
      const listed = lists().length;
      let left = 1;
      proxy.refuse = (path) =>
        path.startsWith("/api/v1/pods?watch=1") && left-- > 0 ? { status: 410 } : undefined;
      proxy.breakAll();
      await expect.poll(() => lists().length, patience).toBeGreaterThan(listed);
      await expect.poll(watches, patience).toBeGreaterThan(before + 1);
      expect(heard).toEqual([]);
    });

    it("that they fail, why and since when, where they cannot be renewed; and no more when they can", async () => {
      const { source, heard } = await listening();
      await sleep(1500);
      const before = Date.now();
      proxy.refuse = () => ({ status: 503, body: "busy" });
      proxy.breakAll();
      const pods = () => source.health().get("pods");
      await expect.poll(() => pods()?.state, patience).toBe("failing");
      expect(pods()?.isKnown).toBe(true);
      expect(pods()?.message).toContain("busy");
      const since = pods()!.since!;
      expect(since).toBeGreaterThanOrEqual(before);
      // Once for each time that it begins, however often it is tried again.
      const tries = proxy.requests.length;
      await expect.poll(() => proxy.requests.length, patience).toBeGreaterThan(tries + 30);
      expect(pods()?.since).toBe(since);
      expect(new Set(heard.map(({ state }) => state))).toEqual(new Set(["failing"]));
      proxy.refuse = () => undefined;
      await expect.poll(() => pods()?.state, patience).toBe("synced");
      expect(pods()).not.toHaveProperty("since");
    });
  });

  it("follows a cluster that is put back to an earlier time", onlyInFull, async () => {
    await api.create("/api/v1/namespaces", { metadata: { name: "before-backup" } });
    const restore = await plane.backup();
    const churn = new Churn(api, "after-backup");
    await churn.begin();
    await churn.steps(10);
    const { seen, started, latest } = await watched();
    await started;
    expect(seen.at(-1)!.cluster.namespaces.has("after-backup")).toBe(true);
    await restore();
    const wanted = await fresh();
    expect(wanted).not.toContain("after-backup");
    await expect.poll(latest, patience).toBe(wanted);
  });

  it(
    "waits for kinds it may not read, says which, and keeps what it knew when a role is taken away",
    onlyInFull,
    async () => {
      const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
      const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["list", "watch"] }];
      const { source, seen, started } = await watched({}, "guest");
      await expect
        .poll(() => source.health().get("pods"), patience)
        .toMatchObject({
          state: "forbidden",
          isKnown: false,
          message: expect.stringContaining("guest") as string,
        });
      expect(seen).toEqual([]);
      const goingOn = await watched({ whenForbidden: "go on" }, "guest");
      await goingOn.started;
      expect(goingOn.seen[0]!.cluster.namespaces.size).toBe(0);

      await api.create(roles, { metadata: { name: "reads-all" }, rules });
      await api.create(bindings, {
        metadata: { name: "guest-reads-all" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reads-all" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
      });
      await started;
      const known = textOf(seen.at(-1));
      expect(known).toBe(await fresh());
      await expect.poll(() => textOf(goingOn.seen.at(-1)), patience).toBe(known);

      await api.delete(`${bindings}/guest-reads-all`);
      await expect
        .poll(async () => {
          proxy.breakAll();
          return [...goingOn.source.health().values()].map(({ state }) => state);
        }, patience)
        .toContain("forbidden");
      expect(textOf(goingOn.seen.at(-1))).toBe(known);
    },
  );

  it("finds kinds whose definitions come later, and lets go of their objects when they go", async () => {
    const { source, seen, started } = await watched();
    await started;
    const resource = "adminnetworkpolicies.policy.networking.k8s.io";
    expect(source.health().get(resource)).toMatchObject({ state: "missing" });
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const collection = "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies";
    await api.create(definitions, adminNetworkPolicyDefinition);
    await expect.poll(async () => api.statusOf(collection), patience).toBe(200);
    await api.create(collection, {
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
      metadata: { name: "guard" },
      spec: {
        priority: 1,
        subject: { namespaces: {} },
        ingress: [{ action: "Deny", from: [{ somethingNewer: {} }] }],
      },
    });
    const names = () => seen.at(-1)!.policies.map(({ kind, name }) => `${kind} ${name}`);
    await expect.poll(names, patience).toContain("AdminNetworkPolicy guard");
    expect(source.health().get(resource)).toMatchObject({ state: "synced" });
    // S3.6: what is not understood fails closed, and is reported.
    const [rule] = seen.at(-1)!.tiers.ingress.find(({ name }) => name === "admin")!.rules;
    expect(rule).toMatchObject({ action: "Deny", peers: [{ kind: "everything" }] });
    expect(seen.at(-1)!.diagnostics.map(({ code }) => code)).toContain("TW2015");
    await api.delete(`${definitions}/${resource}`);
    await expect.poll(names, patience).not.toContain("AdminNetworkPolicy guard");
    await expect.poll(() => source.health().get(resource)!.state, patience).toBe("missing");
  });
});

const adminNetworkPolicyDefinition = {
  metadata: {
    name: "adminnetworkpolicies.policy.networking.k8s.io",
    annotations: { "api-approved.kubernetes.io": "unapproved, for tests" },
  },
  spec: {
    group: "policy.networking.k8s.io",
    scope: "Cluster",
    names: { kind: "AdminNetworkPolicy", plural: "adminnetworkpolicies", singular: "adminnetworkpolicy" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** All of a situation, in an order that does not matter. */
function textOf(situation: Situation | undefined): string {
  if (situation === undefined) return "nothing yet";
  const { cluster, tiers, policies, podRanges } = situation;
  const entries = (map: ReadonlyMap<string, unknown>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    {
      ...cluster,
      namespaces: entries(cluster.namespaces),
      pods: entries(cluster.pods),
      nodes: entries(cluster.nodes),
      tiers,
      policies,
      podRanges: entries(podRanges),
    },
    (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value),
    1,
  );
}
