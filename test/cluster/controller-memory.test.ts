import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout } from "./control-plane.js";
import {
  createPod,
  createPolicy,
  definitionsIn,
  guarding,
  install,
  kinds,
  populate,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
/** Pods get other labels, go, and come again under other names. */
const changes = Number(process.env.CHANGES ?? 10_000);
const pods = 100;
const atOnce = 10;

describe.skipIf(noControlPlane)(`a controller in a cluster in which pods come and go${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let controller: RunningController;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(api, definitionsIn(""));
    await populate(api);
    for (let i = 0; i < 10; i++)
      await createPolicy(
        api,
        kinds.cluster,
        `guard-${i}`,
        guarding("db", i, ["Deny", "web"], ["Accept", "job"]),
      );
    controller = RunningController.startTidy(plane);
    await controller.says("leading");
  }, startTimeout);
  afterAll(async () => {
    await controller?.stop("SIGKILL");
    await plane?.stop();
  });

  it(`holds no more after ${changes.toLocaleString("en")} changes of pods than after the first few`, async () => {
    const present: string[] = [];
    let done = 0;
    /** One of: a pod comes, one gets other labels, one goes. */
    const change = async () => {
      const i = done++;
      const other = present[i % present.length];
      if (other === undefined || present.length < pods) {
        const name = `job-${i}`;
        await createPod(api, name, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
        present.push(name);
      } else if (i % 5 === 0) {
        present.splice(present.indexOf(other), 1);
        await api.delete(`/api/v1/namespaces/shop/pods/${other}`);
      } else {
        const labels = { app: ["job", "web", "cart"][i % 3], only: `${i}` };
        await api
          .patch(`/api/v1/namespaces/shop/pods/${other}`, { metadata: { labels } })
          .catch(() => undefined);
      }
    };
    const tenths: Megabytes[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      const seen: Megabytes[] = [];
      for (let i = 0; i < changes / 10; i += atOnce) {
        await Promise.all(Array.from({ length: atOnce }, change));
        seen.push(await megabytes(controller));
      }
      tenths.push({ heap: least(seen, "heap"), resident: least(seen, "resident") });
    }
    const listedIn = (kind: keyof Megabytes) => tenths.map((tenth) => Math.round(tenth[kind])).join(", ");
    console.log(`heap in use, in MB: ${listedIn("heap")}; resident: ${listedIn("resident")}`);
    // What is made once, and what is made slowly, is there after a while.
    const [early, late] = [tenths.slice(2, 5), tenths.slice(7)];
    expect(least(late, "heap")).toBeLessThan(least(early, "heap") * 1.15 + 3);
    // What operators see. Pages come back late, so that only growth counts that goes on.
    expect(least(late, "resident")).toBeLessThan(most(early, "resident") * 1.1 + 10);
  }, 1_200_000);
});

/** What was in use at a moment. */
interface Megabytes {
  readonly heap: number;
  readonly resident: number;
}

async function megabytes(controller: RunningController): Promise<Megabytes> {
  return {
    heap: (await controller.metric("nodejs_heap_size_used_bytes")) / 1e6,
    resident: (await controller.metric("process_resident_memory_bytes")) / 1e6,
  };
}

/** The least is what no collection takes away. */
const least = (all: readonly Megabytes[], kind: keyof Megabytes): number =>
  Math.min(...all.map((one) => one[kind]));
const most = (all: readonly Megabytes[], kind: keyof Megabytes): number =>
  Math.max(...all.map((one) => one[kind]));
