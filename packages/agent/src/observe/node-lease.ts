import type { PolicyRef } from "@tierwall/core/model";
import {
  agentLeaseOf,
  BackgroundTask,
  type Connection,
  jsonRequest,
  leasesOf,
  microTime,
  pause,
  programmedAnnotation,
  programmedText,
  refusalIn,
  shadowAnnotation,
  textAt,
} from "@tierwall/kube";
import type { Logger } from "pino";

interface NodeLeaseOptions {
  readonly node: string;
  readonly namespace: string;
  /** The node is in shadow mode: nothing is denied. */
  readonly shadow: boolean;
}

/** Milliseconds. */
const renewEvery = 10_000;
/** Faster changes are reported together. */
const shortestPause = 500;
const leaseSeconds = 40;

/** Reports to the cluster which policies the kernel of this node has, and that an agent runs. */
export class NodeLease extends BackgroundTask {
  #wanted: string | undefined;
  #reported: string | undefined;
  #wake: () => void = () => undefined;
  #isFailing = false;
  #owners: readonly object[] | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly options: NodeLeaseOptions,
    private readonly log: Logger,
  ) {
    super();
  }

  /** The kernel has all rules of these policies. */
  programmed(policies: readonly PolicyRef[]): void {
    this.#wanted = programmedText(policies);
    this.start();
    if (this.#wanted !== this.#reported) this.#wake();
  }

  /** When it is stopped, the Lease stays, as the rules do. */
  protected override async run(): Promise<void> {
    while (!this.isStopped) {
      const text = this.#wanted!;
      const trouble = await this.#write(text).catch(String);
      if (trouble === undefined) this.#reported = text;
      this.#logIfNew(trouble);
      await this.#pause(trouble === undefined ? shortestPause : 2 * shortestPause);
      if (this.#wanted === this.#reported) await this.#untilWoken(renewEvery);
    }
  }

  /** Undefined if it succeeded, otherwise the problem. */
  async #write(text: string): Promise<string | undefined> {
    const { node, namespace, shadow } = this.options;
    const name = agentLeaseOf(node);
    const { signal } = this.stopping;
    this.#owners ??= await this.#nodeAsOwner();
    const body = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        name,
        namespace,
        annotations: { [programmedAnnotation]: text, ...(shadow ? { [shadowAnnotation]: "true" } : {}) },
        ownerReferences: this.#owners,
      },
      spec: { holderIdentity: node, leaseDurationSeconds: leaseSeconds, renewTime: microTime(new Date()) },
    };
    const path = `${leasesOf(namespace)}/${name}?fieldManager=tierwall-agent&force=true`;
    const answer = await jsonRequest(this.connection, { method: "PATCH", path, as: "apply", body, signal });
    return answer.status < 300 ? undefined : refusalIn(answer);
  }

  /** The Lease is deleted with its node. */
  async #nodeAsOwner(): Promise<readonly object[]> {
    const { node } = this.options;
    const { signal } = this.stopping;
    const { status, body } = await jsonRequest(this.connection, { path: `/api/v1/nodes/${node}`, signal });
    const uid = textAt(body, "metadata", "uid");
    return status === 200 && uid !== "" ? [{ apiVersion: "v1", kind: "Node", name: node, uid }] : [];
  }

  #logIfNew(trouble: string | undefined): void {
    const isFailing = trouble !== undefined && !this.isStopped;
    if (isFailing && !this.#isFailing)
      this.log.warn(`cannot report to the cluster what this node enforces: ${trouble}`);
    if (!isFailing && this.#isFailing) this.log.info("reported to the cluster again what this node enforces");
    this.#isFailing = isFailing;
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, this.stopping.signal);
  }

  async #untilWoken(milliseconds: number): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    // With some jitter, so that not all nodes write at once.
    await Promise.race([woken, this.#pause(milliseconds * (0.8 + Math.random() / 5))]);
  }
}
