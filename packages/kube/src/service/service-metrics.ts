import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What the agent and the controller export alike: the process, and what it reads of the cluster. */
export class ServiceMetrics {
  readonly registry = new Registry();

  readonly sourceSynced = this.gauge(
    "tierwall_source_synced",
    "Whether all objects of a kind are known and watched (1), or not (0)",
    ["kind"],
  );
  readonly watchRestarts = this.counter("tierwall_watch_restarts_total", "Watches that were begun again", [
    "kind",
  ]);

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter<Label>({ name, help, labelNames, registers: [this.registry] });
  }

  gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Gauge<Label>({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) {
    return new Histogram<Label>({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
