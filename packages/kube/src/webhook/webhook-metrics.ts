import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Admitted } from "./admit.js";

/** What is counted of admission; docs/webhook.md has the table. */
export class WebhookMetrics {
  private readonly requests: Counter;
  private readonly durations: Histogram;
  private readonly warnings: Counter;
  private readonly fallbacks: Counter;
  private readonly expiry: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      name: "tierwall_webhook_requests_total",
      help: "Requests that were answered, by operation and outcome (allowed, refused, bad).",
      labelNames: ["operation", "outcome"],
      registers,
    });
    this.durations = new Histogram({
      name: "tierwall_webhook_duration_seconds",
      help: "How long answers took.",
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.warnings = new Counter({
      name: "tierwall_webhook_warnings_total",
      help: "What was found out about edits, by topic.",
      labelNames: ["about"],
      registers,
    });
    this.fallbacks = new Counter({
      name: "tierwall_webhook_fallbacks_total",
      help: "Answers that say less than there is to know, by reason (time, not-ready, failed, busy).",
      labelNames: ["reason"],
      registers,
    });
    this.expiry = new Gauge({
      name: "tierwall_webhook_certificate_expiry_seconds",
      help: "When the certificate that is served expires, in seconds since 1970.",
      registers,
    });
  }

  answered(operation: string, { answer, judgement, fallback }: Admitted, seconds: number): void {
    this.requests.inc({ operation, outcome: answer.allowed ? "allowed" : "refused" });
    this.durations.observe(seconds);
    for (const { about } of judgement?.warnings ?? []) this.warnings.inc({ about });
    if (fallback !== undefined) this.fallbacks.inc({ reason: fallback });
  }

  bad(): void {
    this.requests.inc({ operation: "", outcome: "bad" });
  }

  serves(expiry: number): void {
    this.expiry.set(Math.floor(expiry / 1000));
  }
}
