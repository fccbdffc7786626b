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
    controller = RunningController.start(plane);
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
    /** Megabytes: the least that was in use while so many changes came, which is what no collection takes away. */
    const leastDuring = async (count: number) => {
      let least = Number.POSITIVE_INFINITY;
      for (const end = done + count; done < end; ) {
        await Promise.all(Array.from({ length: atOnce }, change));
        least = Math.min(least, (await controller.metric("nodejs_heap_size_used_bytes")) / 1e6);
      }
      return least;
    };
    const tenths: number[] = [];
    for (let i = 0; i < 10; i++) tenths.push(await leastDuring(changes / 10));
    console.log(`in use, in MB: ${tenths.map(Math.round).join(", ")}`);
    // What is made once, and what is made slowly, is there after a while.
    const [early, late] = [Math.min(...tenths.slice(2, 5)), Math.min(...tenths.slice(7))];
    expect(late).toBeLessThan(early * 1.15 + 3);
  }, 600_000);
});
