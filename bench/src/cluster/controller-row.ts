import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject, Manifest } from "../generate/json.js";
import { planCluster } from "../generate/plan.js";
import { podCount, type Shape } from "../generate/shape.js";
import { type Figure, median, quantile } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { ApiServer } from "./api-server.js";
import { clusterPolicies, fill, fillStorage, inParallel, podPath } from "./fill.js";
import { freePorts } from "./free-ports.js";
import { PolicyWatch } from "./policy-watch.js";
import { RunningController } from "./running-controller.js";

/** How many policies are edited, one after the other. */
const edits = 40;
const fewEdits = 5;
/** Pods are changed so often, so many times over. */
const podChanges = 10_000;
const tenThousands = 3;

/** The controller on a real API server with all the objects of a generated cluster. */
export async function measureController(
  shape: Shape,
  seed: number,
  talk: (text: string) => void,
): Promise<Omit<RowResult, "row">> {
  const server = await ApiServer.start();
  let controller: RunningController | undefined;
  try {
    talk(`creating ${podCount(shape).toLocaleString("en")} pods ...`);
    const pods = await fill(server, planCluster(shape, seed));
    const started = await RunningController.start(server.kubeconfig);
    controller = started.controller;
    await sleep(15_000);
    const atRest = controller.megabytes();
    talk("editing policies ...");
    const times = await editPolicies(server);
    talk(
      `… ${Math.round(median(times.accepted))} ms to Accepted, ${Math.round(median(times.all))} ms to all`,
    );
    talk(`changing pods, ${(tenThousands * podChanges).toLocaleString("en")} times ...`);
    await relabel(server, pods.slice(0, 1000));
    await sleep(15_000);
    const before = controller.megabytes().now;
    const after: Figure[] = [];
    let seconds = 0;
    for (let i = 0; i < tenThousands; i++) {
      seconds += await changePods(server, pods, i * podChanges);
      await sleep(15_000);
      const changes = ((i + 1) * podChanges).toLocaleString("en");
      after.push({ what: `memory after ${changes}`, measured: controller.megabytes().now, unit: "MB" });
    }
    const most = controller.megabytes().most;
    return {
      figures: [
        { what: "start to leading", measured: started.seconds, unit: "s" },
        { what: "resident memory", measured: atRest.now, unit: "MB" },
        { what: "at most, while it started", measured: atRest.most, unit: "MB" },
        { what: "edit to Accepted, p50", measured: median(times.accepted), unit: "ms" },
        { what: "edit to Accepted, p99", measured: quantile(times.accepted, 0.99), unit: "ms" },
        { what: "edit to all conditions, p50", measured: median(times.all), unit: "ms" },
        { what: "edit to all conditions, p99", measured: quantile(times.all, 0.99), unit: "ms" },
        { what: "memory before pods change", measured: before, unit: "MB" },
        ...after,
        { what: "at most, all the time", measured: most, unit: "MB" },
      ],
      notes: [
        `${edits} edits of a ClusterNetworkPolicy, from the answer of the API server to the condition being seen on a watch`,
        `the ${(tenThousands * podChanges).toLocaleString("en")} changes of pods took ${Math.round(seconds)} s`,
      ],
    };
  } finally {
    await controller?.stop();
    await server.stop();
  }
}

/** What the controller needs for a large cluster, with the webhook: the figures behind its resources in the chart. */
export async function measureLargeCluster(
  shape: Shape,
  seed: number,
  talk: (text: string) => void,
): Promise<Omit<RowResult, "row">> {
  const server = await ApiServer.start();
  let controller: RunningController | undefined;
  try {
    talk(`creating ${podCount(shape).toLocaleString("en")} pods ...`);
    await fillStorage(server, planCluster(shape, seed));
    const [webhookPort] = await freePorts(1);
    const started = await RunningController.start(server.kubeconfig, [`--webhook-port=${webhookPort}`]);
    controller = started.controller;
    talk("editing policies ...");
    await editPolicies(server, fewEdits);
    await sleep(15_000);
    const { now, most } = controller.megabytes();
    return {
      figures: [
        { what: "start to leading", measured: started.seconds, unit: "s" },
        { what: "resident memory", measured: now, unit: "MB" },
        { what: "at most, all the time", measured: most, unit: "MB" },
      ],
      notes: [
        `after ${fewEdits} edits of ClusterNetworkPolicies, each until all of its conditions are there`,
      ],
    };
  } finally {
    await controller?.stop();
    await server.stop();
  }
}

/** Milliseconds from the answer to each edit to conditions about that version. */
async function editPolicies(server: ApiServer, count = edits) {
  const watch = await PolicyWatch.start(server, clusterPolicies);
  const names = watch.names();
  const [accepted, all]: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i++) {
    const name = names[i % names.length]!;
    const text = await server.send("PATCH", `${clusterPolicies}/${name}`, { spec: { priority: 100 + i } });
    const began = performance.now();
    const { metadata } = JSON.parse(text) as { metadata: { generation: number } };
    const observed = (types: readonly string[]) => watch.until(name, metadata.generation, types);
    accepted.push((await observed(["Accepted"])) - began);
    all.push((await observed(["Accepted", "Conflicted", "Shadowed"])) - began);
    await sleep(1200);
  }
  watch.stop();
  return { accepted, all };
}

/** As a rollout does: the same pods get other labels, over and over. */
async function changePods(server: ApiServer, pods: readonly Manifest[], from: number): Promise<number> {
  const began = performance.now();
  for (let done = 0; done < podChanges; done += 1000) await relabel(server, pods.slice(0, 1000), from + done);
  return (performance.now() - began) / 1000;
}

async function relabel(server: ApiServer, pods: readonly Manifest[], round = -1): Promise<void> {
  await inParallel(pods, async (pod) => {
    const labels: JsonObject = { "bench-round": `round-${round}`, version: `v${Math.abs(round) % 3}` };
    await server.send("PATCH", podPath(pod), { metadata: { labels } });
  });
}
