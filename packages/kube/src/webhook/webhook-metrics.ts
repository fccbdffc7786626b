import type { ServiceMetrics } from "../service/service-metrics.js";
import type { Admitted } from "./admitting.js";

/** Counts what becomes of admission; docs/reference/metrics-controller.md has the table. */
export function webhookMetrics(metrics: ServiceMetrics) {
  const requests = metrics.counter(
    "tierwall_webhook_requests_total",
    "Requests that were answered, by operation and outcome (allowed, refused, bad).",
    ["operation", "outcome"],
  );
  const durations = metrics.histogram(
    "tierwall_webhook_duration_seconds",
    "How long answers took.",
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  const warnings = metrics.counter(
    "tierwall_webhook_warnings_total",
    "What was found out about edits, by topic.",
    ["about"],
  );
  const fallbacks = metrics.counter(
    "tierwall_webhook_fallbacks_total",
    "Answers that say less than there is to know, by reason (time, not-ready, failed, busy).",
    ["reason"],
  );
  const expiry = metrics.gauge(
    "tierwall_webhook_certificate_expiry_seconds",
    "When the certificate that is served expires, in seconds since 1970.",
  );
  return {
    answered: (operation: string, { answer, judgement, fallback }: Admitted, seconds: number): void => {
      requests.inc({ operation, outcome: answer.allowed ? "allowed" : "refused" });
      durations.observe(seconds);
      for (const { about } of judgement?.warnings ?? []) warnings.inc({ about });
      if (fallback !== undefined) fallbacks.inc({ reason: fallback });
    },
    bad: (): void => requests.inc({ operation: "", outcome: "bad" }),
    /** In milliseconds since 1970. */
    serves: (until: number): void => expiry.set(Math.floor(until / 1000)),
  };
}
