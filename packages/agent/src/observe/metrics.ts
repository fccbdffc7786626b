import { ServiceMetrics } from "@tierwall/kube/service";
import { Gauge } from "prom-client";

/*
 * All metrics of the agent. The parts that know a value set it here; the counters of rules come from rule-series.ts.
 */
export class AgentMetrics extends ServiceMetrics {
  /** From the moment a local pod is seen with an address until its rules are in the kernel. */
  readonly programmingWindow = this.histogram(
    "tierwall_programming_window_seconds",
    "Time from when a pod of this node is seen with an address until its rules are in the kernel",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );
  readonly applySeconds = this.histogram(
    "tierwall_apply_seconds",
    "Time from a change of the state until the kernel has it, by what was written: nothing, difference, whole table",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ["kind"],
  );
  readonly applyFailures = this.counter(
    "tierwall_apply_failures_total",
    "Changes that could not be written to the kernel",
  );
  readonly driftRepairs = this.counter(
    "tierwall_drift_repairs_total",
    "Repairs of the table after another process changed it",
  );
  readonly generation = this.gauge("tierwall_generation", "Generation of the rules in the kernel");

  readonly pods = this.gauge(
    "tierwall_pods",
    "Pods of this node, by whether their rules are in the kernel (programmed) or not yet (waiting)",
    ["state"],
  );
  readonly policies = this.gauge("tierwall_policies", "Policies in the cluster");
  readonly rules = this.gauge("tierwall_rules", "Rules and isolations that apply to pods of this node");

  readonly foreignApis = this.gauge(
    "tierwall_foreign_policy_apis",
    "Policy APIs of other projects that the cluster serves (1); their policies apply in addition",
    ["group", "kind"],
  );

  readonly sourceChanged = this.gauge(
    "tierwall_source_last_change_timestamp_seconds",
    "When the state of the cluster last changed",
  );

  readonly unknownPodDrops = this.counter(
    "tierwall_unknown_pod_dropped_packets_total",
    "Packets of pods of this node that were dropped because their rules were not in the kernel yet",
    ["direction"],
  );
  readonly nodeProblem = this.gauge(
    "tierwall_node_problem",
    "Problems with the network of this node (1) or none (0), by kind",
    ["kind"],
  );
  readonly cutConnections = this.counter(
    "tierwall_cut_connections_total",
    "Established connections that were cut because the rules no longer allow them",
  );

  readonly auditLines = this.counter("tierwall_audit_lines_total", "Lines of the audit log", ["verdict"]);
  readonly auditSuppressed = this.counter(
    "tierwall_audit_suppressed_total",
    "Decisions that were not logged, because of the rate limit or a lost message",
  );
  readonly auditRunning = this.gauge("tierwall_audit_running", "Whether packets are logged (1) or not (0)");

  readonly dnsQueries = this.counter(
    "tierwall_dns_queries_total",
    "DNS queries of pods that the proxy received",
    ["protocol"],
  );
  readonly dnsAnswers = this.counter(
    "tierwall_dns_answers_total",
    "Results of DNS queries: answered, or why not",
    ["outcome"],
  );
  readonly dnsIgnored = this.counter(
    "tierwall_dns_ignored_total",
    "DNS answers that were ignored because they match no query",
    ["reason"],
  );
  readonly dnsAddresses = this.counter(
    "tierwall_dns_addresses_total",
    "Addresses learned for domain names in rules",
  );
  readonly dnsInside = this.counter(
    "tierwall_dns_addresses_refused_total",
    "Addresses in DNS answers that were not learned because they are inside the cluster",
    ["inside"],
  );
  readonly dnsSeconds = this.histogram(
    "tierwall_dns_seconds",
    "Time from the DNS query of a pod to its answer",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );

  /** Identities are counted only when metrics are read: a large node has tens of thousands of addresses. */
  constructor(countIdentities: () => number) {
    super();
    const identities = new Gauge({
      name: "tierwall_identities",
      help: "Different peers that the rules of this node distinguish",
      registers: [],
      collect() {
        this.set(countIdentities());
      },
    });
    this.registry.registerMetric(identities);
  }
}
