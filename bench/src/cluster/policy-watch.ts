import { createInterface } from "node:readline";
import type { IncomingMessage } from "node:http";
import type { ApiServer } from "./api-server.js";

interface Policy {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly observedGeneration?: number }[];
  };
}

/** Sees conditions as any client does that watches policies. */
export class PolicyWatch {
  private readonly policies = new Map<string, Policy>();
  private onEvent: () => void = () => undefined;

  private constructor(private readonly response: IncomingMessage) {}

  static async start(server: ApiServer, collection: string): Promise<PolicyWatch> {
    const list = JSON.parse(await server.send("GET", collection)) as {
      metadata: { resourceVersion: string };
      items: readonly Policy[];
    };
    const from = list.metadata.resourceVersion;
    const watch = new PolicyWatch(await server.open("GET", `${collection}?watch=1&resourceVersion=${from}`));
    for (const policy of list.items) watch.policies.set(policy.metadata.name, policy);
    createInterface({ input: watch.response }).on("line", (line) => {
      const { object } = JSON.parse(line) as { object: Policy };
      watch.policies.set(object.metadata.name, object);
      watch.onEvent();
    });
    return watch;
  }

  names(): readonly string[] {
    return [...this.policies.keys()];
  }

  /** Resolves with the time at which all these conditions are about this version. */
  async until(name: string, generation: number, types: readonly string[]): Promise<number> {
    const isSo = () => {
      const conditions = this.policies.get(name)?.status?.conditions ?? [];
      return types.every((type) =>
        conditions.some((one) => one.type === type && one.observedGeneration === generation),
      );
    };
    while (!isSo()) await new Promise<void>((resolve) => (this.onEvent = resolve));
    return performance.now();
  }

  stop(): void {
    this.response.destroy();
  }
}
