import { setTimeout as sleep } from "node:timers/promises";
import type { Inventory } from "@tierwall/core/model";
import { readState, type State } from "@tierwall/core/state";
import { replacePolicy } from "../cases/replace-policy.js";
import { clusterPoliciesOf, editedClusterPolicy } from "../generate/cluster-policies.js";
import type { Manifest } from "../generate/json.js";
import { editedNetworkPolicy, networkPoliciesOf } from "../generate/network-policies.js";
import type { Pod } from "../generate/parsed.js";
import { Random } from "../generate/random.js";
import type { Shape } from "../generate/shape.js";
import { type Figure, median } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { dualStack, nodeCluster } from "./cluster.js";
import { EmptyNode } from "./empty-node.js";
import { ProgrammedNode, type Turn } from "./programmed-node.js";

const timesLoaded = 5;

/** Longer than it takes until what a change left over is gone, in milliseconds. */
const untilSettled = 400;

const total = ({ compute, nft }: Turn): number => compute + nft;

/** What it takes to bring changes of a cluster into the kernel, from the changed state to the answer of nft. */
export async function measureChanges(shape: Shape, seed: number): Promise<Omit<RowResult, "row">> {
  const { plan, state } = nodeCluster(shape, seed);
  const space = new EmptyNode();
  const loads: Turn[] = [];
  for (let i = 1; i < timesLoaded; i++) {
    const one = await ProgrammedNode.open(space.name);
    loads.push(await one.enforce(state.cluster, state.tiers));
    await one.close();
  }
  const node = await ProgrammedNode.open(space.name);
  try {
    const random = new Random(seed).fork("dataplane");
    let { cluster, tiers } = state;
    loads.push(await node.enforce(cluster, tiers));
    const turn = async () => total(await node.enforce(cluster, tiers));
    const times = async (count: number, change: () => void, pause = 0) => {
      const found: number[] = [];
      for (let i = 0; i < count; i++) {
        if (pause > 0) await sleep(pause);
        change();
        found.push(await turn());
      }
      return found;
    };
    const added = new Addition(cluster);
    const one = await times(20, () => {
      cluster = added.to(cluster, 1);
    });
    const alone = await times(
      10,
      () => {
        cluster = added.to(cluster, 1);
      },
      untilSettled,
    );
    const other = await times(20, () => {
      cluster = added.to(cluster, 1, "of its own kind");
    });
    // They go again each time, so that the cluster stays as large as it is said to be.
    const [without, thousand] = [cluster, [] as number[]];
    for (let i = 0; i < 7; i++) {
      cluster = added.to(without, 1000);
      thousand.push(await turn());
      cluster = without;
      await turn();
    }
    const [written, clusterWide] = [[...networkPoliciesOf(plan)], [...clusterPoliciesOf(plan)]];
    const edit = (next: () => Manifest) => () => {
      tiers = replacePolicy(tiers, readOne(next()));
    };
    const networkPolicy = await times(
      40,
      edit(() => editedNetworkPolicy(plan, written, random)),
    );
    const admin = await times(
      30,
      edit(() => editedClusterPolicy(random.pick(clusterWide), random)),
    );
    const counters: number[] = [];
    for (let i = 0; i < 10; i++) counters.push(await node.readCounters());
    const { elements, chains, counters: counted } = node.size;
    const figure = (what: string, measured: number, atMost: number): Figure => ({
      what,
      measured,
      unit: "ms",
      bar: { atMost },
    });
    return {
      figures: [
        figure("full load, by a process that has just begun", total(loads[0]!), 1000),
        figure("a pod added, median", median(one), 25),
        figure("the same after a while without changes", median(alone), 25),
        figure("a pod unlike all others added, median", median(other), 25),
        figure("a thousand pods added, median", median(thousand), 60),
        figure("NetworkPolicy edited, median", median(networkPolicy), 50),
        figure("cluster policy edited, worst", Math.max(...admin), 300),
        figure("counters read, median", median(counters), 20),
      ],
      notes: [
        `${elements.toLocaleString("en")} elements, ${chains.toLocaleString("en")} chains and ${counted} counters in the kernel; ` +
          `of the full load, ${Math.round(median(loads.map(({ nft }) => nft)))} ms are nft's; ` +
          `once more, later, it takes ${Math.round(median(loads.slice(1).map(total)))} ms`,
      ],
    };
  } finally {
    await node.close();
    space.close();
  }
}

/** KEP-2091's worry: one rule of an administrator about every pod, so that every node has to know them all. */
export async function measureBaselineDeny(shape: Shape, seed: number): Promise<Omit<RowResult, "row">> {
  const { state } = nodeCluster({ ...shape, policiesPerNamespace: 0, clusterPolicies: 0 }, seed);
  const { tiers } = readOne(baselineDeny);
  const space = new EmptyNode();
  const node = await ProgrammedNode.open(space.name);
  try {
    let { cluster } = state;
    const load = total(await node.enforce(cluster, tiers));
    const added = new Addition(cluster);
    const found: number[] = [];
    for (let i = 0; i < 10; i++) {
      cluster = added.to(cluster, 1);
      found.push(total(await node.enforce(cluster, tiers)));
    }
    return {
      figures: [
        { what: "full load", measured: load, unit: "ms" },
        { what: "a pod added, median", measured: median(found), unit: "ms" },
      ],
      notes: [`${node.size.elements.toLocaleString("en")} elements in the kernel`],
    };
  } finally {
    await node.close();
    space.close();
  }
}

const baselineDeny: Manifest = {
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  kind: "ClusterNetworkPolicy",
  metadata: { name: "tenants-apart" },
  spec: {
    tier: "Baseline",
    priority: 1,
    subject: { namespaces: {} },
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  },
};

/** Copies of existing pods, at free addresses of the cluster's range. */
class Addition {
  private count = 0;
  private readonly models: readonly Pod[];

  constructor(cluster: Inventory) {
    this.models = [...cluster.pods.values()].filter((pod) => !pod.hostNetwork);
  }

  /** `of its own kind`: with labels that no other pod has, so that rules can select it alone. */
  to(cluster: Inventory, many: number, kind: "replica" | "of its own kind" = "replica"): Inventory {
    const pods = new Map(cluster.pods);
    for (let i = 0; i < many; i++) {
      const number = this.count++;
      const model = this.models[(number * 37) % this.models.length]!;
      const name = `${model.name}-again-${number}`;
      const labels = kind === "replica" ? model.labels : { ...model.labels, app: name };
      const addresses = [{ family: 4 as const, value: freeAddresses + BigInt(number) }];
      pods.set(`${model.namespace}/${name}`, dualStack({ ...model, name, labels, addresses }, model.node));
    }
    return { ...cluster, pods };
  }
}

/** The upper half of the pods' range, which no generated cluster is large enough for. */
const freeAddresses = 0x0ac0_0000n;

function readOne(policy: Manifest): State {
  return readState([{ file: "edited.json", text: JSON.stringify(policy) }]);
}
