import { setTimeout as sleep } from "node:timers/promises";
import { agentLeaseOf, programmedAnnotation, programmedText } from "@tierwall/kube";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout } from "./control-plane.js";
import {
  conditionsOf,
  createPod,
  createPolicy,
  definitionsIn,
  type FoundCondition,
  guarding,
  install,
  kinds,
  populate,
  systemNamespace,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

/* API server and etcd are killed and come back, while pods and policies change. */

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
const patience = { timeout: 300_000, interval: 100 };

vi.setConfig({ testTimeout: 1_200_000 });

interface StoredPolicy {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
}

describe.skipIf(noControlPlane)(`a controller whose API server goes away${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let controller: RunningController;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(api, definitionsIn(""));
    await populate(api);
    for (let i = 0; i < 20; i++) await createPod(api, `job-${i}`, `10.0.1.${i + 1}`);
    controller = RunningController.start(plane, "--lease-duration", "5s");
    await controller.says("leading");
  }, startTimeout);
  afterAll(async () => {
    await controller?.stop("SIGKILL");
    await plane?.stop();
  });

  async function policies(): Promise<readonly StoredPolicy[]> {
    const { status, body } = await api.ask({ path: kinds.cluster.path });
    if (status !== 200) throw new Error(`${status}`);
    return body.items as readonly StoredPolicy[];
  }

  /** The conditions of all policies, without the example that one may choose in another way than another. */
  async function conditionsNow(
    ...parts: readonly (keyof FoundCondition)[]
  ): Promise<Record<string, unknown>> {
    const all = await policies();
    return Object.fromEntries(
      all.map((policy) => [
        policy.metadata.name,
        Object.entries(conditionsOf(policy)).map(([type, condition]) => [
          type,
          ...parts.map((part) => String(condition[part]).split("; for example ")[0]),
        ]),
      ]),
    );
  }

  const isSettled = async () =>
    (await policies()).every((policy) => {
      const found = Object.values(conditionsOf(policy));
      const { generation } = policy.metadata;
      return found.length === 4 && found.every((one) => one.observedGeneration === generation);
    });

  /** Both nodes say that their kernels hold everything. */
  async function enforceAll(): Promise<void> {
    const refs = (await policies()).map(({ metadata: { uid, generation, name } }) => ({
      dialect: "cluster-network-policy" as const,
      group: "",
      version: "",
      kind: "",
      name,
      annotations: {},
      place: () => undefined,
      stored: { uid, generation },
    }));
    for (const node of ["n1", "n2"]) {
      const name = agentLeaseOf(node);
      const { status } = await api.ask({
        method: "PATCH",
        path: `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/${name}?fieldManager=test`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify({
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name, annotations: { [programmedAnnotation]: programmedText(refs) } },
          spec: { holderIdentity: node },
        }),
      });
      expect(status).toBeLessThan(300);
    }
  }

  it("comes to what a fresh start comes to, and no condition is anything else in between", async () => {
    await createPolicy(api, kinds.cluster, "a", guarding("db", 5, ["Deny", "web"]));
    await createPolicy(api, kinds.cluster, "b", guarding("db", 5, ["Accept", "web"], ["Deny", "cart"]));
    await createPolicy(api, kinds.cluster, "c", guarding("db", 9, ["Deny", "cart"]));
    await createPolicy(api, kinds.cluster, "d", guarding("cart", 1, ["Deny", "web"]));
    await enforceAll();
    await expect.poll(isSettled, patience).toBe(true);
    await expect
      .poll(() => conditionsNow("status"), patience)
      .toEqual({
        a: statuses("True", "True", "True", "False"),
        b: statuses("True", "True", "True", "True"),
        c: statuses("True", "True", "False", "True"),
        d: statuses("True", "True", "False", "False"),
      });
    const before = await conditionsNow("status", "lastTransitionTime");

    const over = new AbortController();
    let changes = 0;
    const load = Array.from({ length: 4 }, async (_, worker) => {
      while (!over.signal.aborted) {
        const path = `/api/v1/namespaces/shop/pods/job-${(changes * 7 + worker) % 20}`;
        const labels = { app: ["web", "cart", "job"][changes % 3], step: `${changes}` };
        await api.patch(path, { metadata: { labels } }).then(
          () => changes++,
          () => sleep(100),
        );
      }
    });
    for (let round = 0; round < 3; round++) {
      const enough = changes + 20;
      await expect.poll(() => changes, patience).toBeGreaterThan(enough);
      await plane.stopApiServer();
      await sleep(1000);
      await plane.startApiServer();
      await sleep(1000);
      await plane.crash();
      // An edit that changes nothing that is said of it.
      const annotations = { round: `${round}` };
      await expect
        .poll(() => api.patch(`${kinds.cluster.path}/d`, { metadata: { annotations } }), patience)
        .toBe(undefined);
    }
    over.abort();
    await Promise.all(load);

    await expect.poll(isSettled, patience).toBe(true);
    // Time enough for whatever would be said late.
    await sleep(7000);
    expect(await conditionsNow("status", "lastTransitionTime")).toEqual(before);
    const after = await conditionsNow("status", "reason", "message", "observedGeneration");

    await controller.stop();
    for (const { metadata } of await policies())
      await api.patch(`${kinds.cluster.path}/${metadata.name}/status`, { status: { conditions: [] } });
    controller = RunningController.start(plane, "--lease-duration", "5s");
    await expect
      .poll(() => conditionsNow("status", "reason", "message", "observedGeneration"), patience)
      .toEqual(after);
  });
});

const statuses = (...values: readonly string[]) =>
  ["Accepted", "Programmed", "Conflicted", "Shadowed"].map((type, i) => [type, values[i]]);
