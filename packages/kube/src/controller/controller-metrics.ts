import { ServiceMetrics } from "../service/service-metrics.js";

/** Everything the controller exports, in one place. */
export class ControllerMetrics extends ServiceMetrics {
  readonly policies = this.gauge("tierwall_policies", "Policies of the cluster, by kind", ["kind"]);
  readonly conditions = this.gauge(
    "tierwall_policy_conditions",
    "Policies by the status of their conditions; from the leader",
    ["type", "status"],
  );
  readonly guarantees = this.gauge(
    "tierwall_guarantee_holds",
    "Whether a guarantee holds (1) or not (0); absent while it is not known; from the leader",
    ["guarantee"],
  );
  readonly foreign = this.gauge(
    "tierwall_foreign_policies",
    "Policies of other projects in the cluster, which are not evaluated",
    ["group", "kind"],
  );
  readonly pods = this.gauge("tierwall_pods", "Pods of the cluster that can be an endpoint of a connection");
  readonly nodes = this.gauge("tierwall_nodes", "Nodes of the cluster");
  readonly agents = this.gauge("tierwall_agents", "Nodes whose agent reports what it enforces");

  readonly recompute = this.histogram(
    "tierwall_recompute_seconds",
    "Time in which the engine applied a change of the cluster",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  readonly analysis = this.histogram(
    "tierwall_analysis_seconds",
    "Time to prove which rules conflict, are shadowed, or override",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );
  readonly statusLag = this.histogram(
    "tierwall_status_lag_seconds",
    "From a version of a policy being seen to its condition Accepted being written",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );

  readonly statusWrites = this.counter(
    "tierwall_status_writes_total",
    "Writes of conditions to policies, by result: written, failed",
    ["result"],
  );
  readonly events = this.counter(
    "tierwall_events_total",
    "Events, by reason and result: written, failed, dropped",
    ["reason", "result"],
  );
  readonly leader = this.gauge("tierwall_leader", "Whether this replica is the leader (1) or not (0)");
}
