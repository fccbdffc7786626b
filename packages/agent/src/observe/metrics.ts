import { ServiceMetrics } from "@tierwall/kube/service";
import { Gauge } from "prom-client";

/*
 * Everything the agent exports, in one place. Who knows a figure sets it here; what rules count comes in bulk from
 * rule-series.ts.
 */
export class AgentMetrics extends ServiceMetrics {
  /** From the moment a local pod is seen with an address until its rules are in the kernel. */
  readonly programmingWindow = this.histogram(
    "tierwall_programming_window_seconds",
    "From a pod of this node being seen with an address to its rules being in the kernel",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );
  readonly applySeconds = this.histogram(
    "tierwall_apply_seconds",
    "From a changed state to the kernel having it, by what was written: nothing, difference, whole table",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ["kind"],
  );
  readonly applyFailures = this.counter("tierwall_apply_failures_total", "Changes that the kernel refused");
  readonly driftRepairs = this.counter(
    "tierwall_drift_repairs_total",
    "Times somebody else had changed our table, and it was made right again",
  );
  readonly generation = this.gauge("tierwall_generation", "Generation of the rules in the kernel");

  readonly pods = this.gauge("tierwall_pods", "Pods of this node, programmed or waiting for it", ["state"]);
  readonly policies = this.gauge("tierwall_policies", "Policies known, of the whole cluster");
  readonly rules = this.gauge(
    "tierwall_rules",
    "Rules and isolations that can decide about a pod of this node",
  );

  readonly foreignApis = this.gauge(
    "tierwall_foreign_policy_apis",
    "Policy APIs of other projects that the cluster serves (1); their policies apply beside ours",
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
    "Whether something is wrong with the network of this node (1), or not (0), by what it concerns",
    ["kind"],
  );
  readonly cutConnections = this.counter(
    "tierwall_cut_connections_total",
    "Established connections that a change of policy ended",
  );

  readonly auditLines = this.counter("tierwall_audit_lines_total", "Lines of the audit log", ["verdict"]);
  readonly auditSuppressed = this.counter(
    "tierwall_audit_suppressed_total",
    "Decisions that should have been logged and were not, for the limit on the rate or for a lost message",
  );
  readonly auditRunning = this.gauge(
    "tierwall_audit_running",
    "Whether packets are being logged (1), or not (0)",
  );

  readonly dnsQueries = this.counter("tierwall_dns_queries_total", "Questions of pods about names", [
    "protocol",
  ]);
  readonly dnsAnswers = this.counter(
    "tierwall_dns_answers_total",
    "What became of questions: answered, or why not",
    ["outcome"],
  );
  readonly dnsIgnored = this.counter("tierwall_dns_ignored_total", "Answers that were not trusted", [
    "reason",
  ]);
  readonly dnsAddresses = this.counter(
    "tierwall_dns_addresses_total",
    "Addresses learned for names of rules",
  );
  readonly dnsInside = this.counter(
    "tierwall_dns_addresses_refused_total",
    "Addresses in answers that were not learned, because they are not outside the cluster",
    ["inside"],
  );
  readonly dnsSeconds = this.histogram(
    "tierwall_dns_seconds",
    "From the question of a pod to its answer",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );

  /** Identities are counted when somebody asks: a large node has tens of thousands of addresses to look at. */
  constructor(countIdentities: () => number) {
    super();
    const identities = new Gauge({
      name: "tierwall_identities",
      help: "Different peers that the rules of this node tell apart",
      registers: [],
      collect() {
        this.set(countIdentities());
      },
    });
    this.registry.registerMetric(identities);
  }
}
