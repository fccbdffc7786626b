import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readState } from "@tierwall/core/state";
import { ClusterFeed, openCluster, type RunningPage, startPage } from "@tierwall/server";
import { onlyInFull } from "../slice.mjs";
import { RunningCommand } from "../../packages/cli/testing/running-command.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { createPolicy, definitionsIn, guarding, install, kinds } from "./policy-cluster.js";

/* The page, with a cluster behind a real API server. */

const title = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

const policies = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies";
const closed = {
  metadata: { name: "closed", annotations: { "example.com/owner": "shop" } },
  spec: { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"] },
};

interface State {
  readonly title: string;
  readonly revision: string;
  readonly provenance: string;
  readonly sources: readonly { readonly file: string; readonly text: string }[];
}

interface Guarantees {
  readonly guarantees: readonly {
    readonly name: string;
    readonly result: string;
    readonly restsOn?: readonly unknown[];
  }[];
}

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`the page of a live cluster${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let page: RunningPage;

  const ask = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${page.url}api/v1${path}`)).json()) as T;
  const state = async () => ask<State>("/state");
  const verdict = async () =>
    (await ask<{ verdict: string }>("/explain?from=shop/cart&to=shop/db&port=5432")).verdict;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await api.create("/api/v1/namespaces", { metadata: { name: "shop" } });
    await api.create("/api/v1/nodes", { metadata: { name: "n1" } });
    for (const app of ["cart", "db"])
      await api.create("/api/v1/namespaces/shop/pods", {
        metadata: { name: app, labels: { app } },
        spec: {
          nodeName: "n1",
          containers: [{ name: "c", image: "i", env: [{ name: "SECRET", value: "hidden" }] }],
        },
      });
    const opened = await openCluster(await plane.connect());
    if (!opened.ok) throw new Error(opened.message);
    const started = await startPage({ feed: opened.feed, port: 0 });
    if (!started.ok) throw new Error(started.message);
    page = started.page;
  }, startTimeout);
  afterAll(async () => {
    await page?.close();
    await plane?.stop();
  });

  it("shows what the cluster holds, and no more than verdicts depend on", async () => {
    const { provenance, sources } = await state();
    expect(provenance).toBe("cluster");
    const texts = sources.map(({ text }) => text).join("\n");
    expect(texts).toContain('"name":"cart"');
    expect(texts).not.toContain("hidden");
    const read = readState(sources);
    expect([...read.cluster.pods.keys()].toSorted()).toEqual(["shop/cart", "shop/db"]);
    expect(read.usable).toBe(true);
  });

  it("follows it: a policy comes and goes, and listeners are notified", async () => {
    expect(await verdict()).toBe("Allow");
    const events = await fetch(`${page.url}api/v1/events`);
    const reader = (events.body as ReadableStream<Uint8Array>).getReader();
    const before = await state();

    await api.create(policies, closed);
    while ((await verdict()) !== "Deny");
    const after = await state();
    expect(after.revision).not.toBe(before.revision);
    // A policy is what people read: it stands by itself, as YAML.
    const { text } = after.sources.find(({ file }) => file.endsWith("NetworkPolicy/shop/closed"))!;
    expect(text).toMatch(/^spec:\n {2}podSelector:\n {4}matchLabels:\n {6}app: db\n/m);
    for (let text = ""; !text.includes(`id: ${after.revision}\nevent: state\n`); )
      text += new TextDecoder().decode((await reader.read()).value);

    await api.delete(`${policies}/closed`);
    while ((await verdict()) !== "Allow");
    await reader.cancel();
  });

  it("is what `tierwall serve` shows, with the guarantees of the cluster and whether they hold now", async () => {
    await install(api, definitionsIn(""));
    const pods = (app: string) => ({
      pods: { namespaceSelector: {}, podSelector: { matchLabels: { app } } },
    });
    await createPolicy(api, kinds.guarantee, "db-is-closed", {
      from: [pods("cart")],
      to: [pods("db")],
      verdict: "Deny",
    });
    const command = new RunningCommand(["serve", "--port", "0", "--kubeconfig", plane.kubeconfig()]);
    const [, url] = await command.says(/(http:\S+) {2}/);
    const shown = (await (await fetch(`${url}api/v1/state`)).json()) as State;
    expect(shown.sources.map(({ text }) => text).join("\n")).toContain('"name":"cart"');

    const results = async () => {
      const answer = (await (await fetch(`${url}api/v1/guarantees`)).json()) as Guarantees;
      return answer.guarantees.map(({ name, result, restsOn = [] }) => [name, result, restsOn.length]);
    };
    expect(await results()).toEqual([["db-is-closed", "Refuted", 0]]);
    const guarded = await createPolicy(api, kinds.cluster, "guard", guarding("db", 10, ["Deny", "cart"]));
    await expect.poll(results, patience).toEqual([["db-is-closed", "Proven", 1]]);
    // A rule before it that accepts; then only the guarantee changes.
    await api.patch(guarded, { spec: guarding("db", 10, ["Accept", "cart"], ["Deny", "cart"]) });
    await expect.poll(results, patience).toEqual([["db-is-closed", "Refuted", 0]]);
    const nothing = { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "DoesNotExist" }] };
    await api.patch(`${kinds.guarantee.path}/db-is-closed`, { spec: { from: [{ namespaces: nothing }] } });
    await expect.poll(results, patience).toEqual([["db-is-closed", "Vacuous", 0]]);
    await api.delete(`${kinds.guarantee.path}/db-is-closed`);
    await expect.poll(results, patience).toEqual([]);
    expect(await command.stop()).toBe(0);
  });

  it("says why a cluster cannot be shown", async () => {
    expect(await openCluster(await plane.connect("guest"))).toMatchObject({ ok: false });
    const unreachable = await plane.connect("admin", "http://127.0.0.1:1");
    const opened = await openCluster(unreachable);
    expect(opened).toMatchObject({ ok: false, message: expect.stringContaining("ECONNREFUSED") as string });
  });

  it("can be that of another program that watches the cluster", onlyInFull, async () => {
    let notify: () => void = () => undefined;
    let object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "notified" } };
    const feed = new ClusterFeed({
      title: "elsewhere",
      state: {},
      watch: async (changed) => void (notify = changed),
      listing: () => ({ objects: [object], forbidden: ["nodes"], missing: [] }),
      stop: async () => undefined,
    });
    const started = await startPage({ feed, port: 0 });
    if (!started.ok) throw new Error(started.message);
    const { url, close } = started.page;
    const shown = async () => (await (await fetch(`${url}api/v1/state`)).json()) as State;
    const first = await shown();
    expect(first.sources[0]!.text).toContain('"forbidden":["nodes"]');
    object = { ...object, metadata: { name: "another" } };
    notify();
    const second = await shown();
    expect(second.sources[0]!.text).toContain("another");
    expect(second.revision).not.toBe(first.revision);
    await close();
  });
});
