import type { ApiClient } from "./api-client.js";

/** Things happen in a namespace, one after the other: the same for the same seed. */
export class Churn {
  private readonly present = new Set<string>();
  /** What is gone never comes back by the same name: who missed it would not be found out. */
  private gone = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly namespace: string,
    private state = 1,
  ) {}

  async begin(): Promise<void> {
    await this.api.create("/api/v1/namespaces", {
      metadata: { name: this.namespace, labels: { step: "0" } },
    });
  }

  /** Something always goes. */
  async steps(count: number): Promise<void> {
    for (const path of [...this.present].slice(0, 1)) await this.remove(path);
    for (let i = 0; i < count; i++) await this.step();
  }

  private async remove(path: string): Promise<void> {
    await this.api.delete(path);
    this.present.delete(path);
    this.gone++;
  }

  private async step(): Promise<void> {
    const kinds = ["pods", "services", "networkpolicies"] as const;
    const kind = kinds[this.dice(kinds.length)]!;
    const place = `${kind}-${this.dice(6)}`;
    const collection =
      kind === "networkpolicies"
        ? `/apis/networking.k8s.io/v1/namespaces/${this.namespace}/${kind}`
        : `/api/v1/namespaces/${this.namespace}/${kind}`;
    const known = [...this.present].find((path) => path.includes(`/${place}-`));
    if (known === undefined) {
      const name = `${place}-${this.gone}`;
      const path = `${collection}/${name}`;
      await this.api.create(collection, this.object(kind, name));
      if (kind === "pods") await this.api.patch(`${path}/status`, { status: this.podStatus() });
      this.present.add(path);
    } else if (this.dice(3) === 0) await this.remove(known);
    else await this.api.patch(known, { metadata: { labels: { step: `${this.dice(1000)}` } } });
    await this.api.patch(`/api/v1/namespaces/${this.namespace}`, {
      metadata: { labels: { step: `${this.dice(1000)}` } },
    });
  }

  private object(kind: "pods" | "services" | "networkpolicies", name: string): object {
    const metadata = { name, labels: { app: name } };
    const app = `pods-${this.dice(6)}`;
    switch (kind) {
      case "pods":
        return { metadata, spec: { nodeName: "node-1", containers: [{ name: "main", image: "none" }] } };
      case "services":
        return { metadata, spec: { selector: { app }, ports: [{ port: 80 }] } };
      case "networkpolicies": {
        const from = [{ podSelector: { matchLabels: { app } } }];
        return { metadata, spec: { podSelector: {}, ingress: [{ from }] } };
      }
    }
  }

  private podStatus(): object {
    const ip = `10.0.${this.dice(250)}.${this.dice(250)}`;
    return {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      hostIP: "192.0.2.9",
      hostIPs: [{ ip: "192.0.2.9" }],
    };
  }

  private dice(sides: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return (this.state >>> 8) % sides;
  }
}
