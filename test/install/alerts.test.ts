import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";

/* Alerting rules and dashboards, checked by Prometheus' own tool. */

const isMissing = spawnSync("promtool", ["--version"]).error !== undefined;
const skipNote = isMissing ? " (skipped: promtool is not installed)" : "";

const folder = mkdtempSync(join(tmpdir(), "tierwall-alerts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const deployed = (path: string) => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));
const ruleFiles = [
  deployed("prometheus/tierwall-agent.rules.yaml"),
  deployed("prometheus/tierwall-controller.rules.yaml"),
];

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** Samples of one minute each, in the notation of promtool: `0+1x10` is 0, 1 … 10. */
interface Situation {
  readonly alert: string;
  readonly when: string;
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** Labels of the alert that fires, or none. */
  readonly fires: Readonly<Record<string, string>> | undefined;
}

const slow = 'tierwall_programming_window_seconds_bucket{instance="n1",le=';
const situations: readonly Situation[] = [
  {
    alert: "TierwallAgentGone",
    when: "an agent does not answer for six minutes",
    series: { 'up{job="tierwall-agent",instance="n1"}': "1 0x10" },
    at: "7m",
    fires: { severity: "critical", job: "tierwall-agent", instance: "n1" },
  },
  {
    alert: "TierwallAgentGone",
    when: "an agent restarts",
    series: { 'up{job="tierwall-agent",instance="n1"}': "1 0 0 1x10" },
    at: "7m",
    fires: undefined,
  },
  {
    alert: "TierwallAgentsAbsent",
    when: "no agent is scraped",
    series: { 'up{job="other"}': "1x10" },
    at: "6m",
    fires: { severity: "critical", job: "tierwall-agent" },
  },
  {
    alert: "TierwallAgentMissing",
    when: "two nodes have one agent",
    series: {
      'kube_node_info{node="n1"}': "1x20",
      'kube_node_info{node="n2"}': "1x20",
      'up{job="tierwall-agent",instance="n1"}': "1x20",
    },
    at: "11m",
    fires: { severity: "critical" },
  },
  {
    alert: "TierwallAgentMissing",
    when: "every node has an agent",
    series: { 'kube_node_info{node="n1"}': "1x20", 'up{job="tierwall-agent",instance="n1"}': "1x20" },
    at: "11m",
    fires: undefined,
  },
  {
    alert: "TierwallNodeProblem",
    when: "kube-proxy is in IPVS mode",
    series: { 'tierwall_node_problem{instance="n1",kind="ipvs"}': "1x10" },
    at: "6m",
    fires: { severity: "warning", instance: "n1", kind: "ipvs" },
  },
  {
    alert: "TierwallRulesNotApplied",
    when: "the kernel refuses every change",
    series: { 'tierwall_apply_failures_total{instance="n1"}': "0+1x20" },
    at: "10m",
    fires: { severity: "critical", instance: "n1" },
  },
  {
    alert: "TierwallPodsWaiting",
    when: "a pod waits for two minutes",
    series: { 'tierwall_pods{instance="n1",state="waiting"}': "1x5" },
    at: "2m",
    fires: { severity: "warning", instance: "n1", state: "waiting" },
  },
  {
    alert: "TierwallNameResolvesInside",
    when: "a DNS answer has the address of a pod",
    series: { 'tierwall_dns_addresses_refused_total{instance="n1",inside="pod"}': "0 0 1x10" },
    at: "5m",
    fires: { severity: "warning", instance: "n1", inside: "pod" },
  },
  {
    alert: "TierwallRulesLate",
    when: "pods wait between 5 and 10 seconds",
    series: { [`${slow}"5"}`]: "0x40", [`${slow}"10"}`]: "0+3x40", [`${slow}"+Inf"}`]: "0+3x40" },
    at: "25m",
    fires: { severity: "warning", instance: "n1" },
  },
  {
    alert: "TierwallRulesLate",
    when: "pods wait less than 5 seconds",
    series: { [`${slow}"5"}`]: "0+3x40", [`${slow}"10"}`]: "0+3x40", [`${slow}"+Inf"}`]: "0+3x40" },
    at: "25m",
    fires: undefined,
  },
  {
    alert: "TierwallTableChanged",
    when: "another program changed the table once",
    series: { 'tierwall_drift_repairs_total{instance="n1"}': "0 0 1x10" },
    at: "5m",
    fires: { severity: "warning", instance: "n1" },
  },
  {
    alert: "TierwallConnectionsCut",
    when: "a change ends 500 connections",
    series: { 'tierwall_cut_connections_total{instance="n1"}': "0 0 500x10" },
    at: "5m",
    fires: { severity: "warning", instance: "n1" },
  },
  {
    alert: "TierwallConnectionsCut",
    when: "a change ends 5 connections",
    series: { 'tierwall_cut_connections_total{instance="n1"}': "0 0 5x10" },
    at: "5m",
    fires: undefined,
  },
  {
    alert: "TierwallUnknownPods",
    when: "packets of an unknown pod are dropped for twenty minutes",
    series: { 'tierwall_unknown_pod_dropped_packets_total{instance="n1",direction="egress"}': "0+10x30" },
    at: "20m",
    fires: { severity: "warning", instance: "n1" },
  },
  {
    alert: "TierwallUnknownPods",
    when: "a pod starts",
    series: { 'tierwall_unknown_pod_dropped_packets_total{instance="n1",direction="egress"}': "0 3x30" },
    at: "20m",
    fires: undefined,
  },
  {
    alert: "TierwallKindNotSynced",
    when: "the agent may not list NetworkPolicies",
    series: { 'tierwall_source_synced{instance="n1",kind="NetworkPolicy"}': "0x10" },
    at: "6m",
    fires: { severity: "critical", instance: "n1", kind: "NetworkPolicy" },
  },
  {
    alert: "TierwallWatchesRestart",
    when: "every watch ends after a few seconds",
    series: { 'tierwall_watch_restarts_total{instance="n1",kind="Pod"}': "0+12x30" },
    at: "25m",
    fires: { severity: "warning", instance: "n1" },
  },
  {
    alert: "TierwallWatchesRestart",
    when: "watches end every few minutes, as the API server does it",
    series: { 'tierwall_watch_restarts_total{instance="n1",kind="Pod"}': "0+1x30" },
    at: "25m",
    fires: undefined,
  },
  {
    alert: "TierwallGuaranteeBroken",
    when: "a guarantee does not hold",
    series: {
      'tierwall_guarantee_holds{instance="a",guarantee="pci"}': "0x5",
      'tierwall_guarantee_holds{instance="a",guarantee="dns"}': "1x5",
    },
    at: "2m",
    fires: { severity: "critical", guarantee: "pci" },
  },
  {
    alert: "TierwallNoLeader",
    when: "two controllers run and none leads",
    series: { 'tierwall_leader{instance="a"}': "0x10", 'tierwall_leader{instance="b"}': "0x10" },
    at: "6m",
    fires: { severity: "warning" },
  },
];

describe.skipIf(isMissing)(`alerting rules${skipNote}`, () => {
  it("are valid", () => {
    expect(promtool("check", "rules", ...ruleFiles)).toBe("");
  });

  it.each(situations.map((situation) => [situation.alert, situation.when, situation] as const))(
    "%s: %s",
    (alert, _, { series, at, fires }) => {
      const file = join(folder, "situation.yaml");
      const test = {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        // As expressions: promtool's own tests of alerts also compare every word of the annotations.
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
            eval_time: at,
            exp_samples: [{ labels: "{}", value: fires === undefined ? 0 : 1 }],
          },
          ...(fires === undefined
            ? []
            : [
                {
                  expr: `ALERTS{alertname="${alert}",alertstate="firing"}`,
                  eval_time: at,
                  exp_samples: [{ labels: firing(alert, fires), value: 1 }],
                },
              ]),
        ],
      };
      writeFileSync(
        file,
        stringify({ rule_files: ruleFiles, evaluation_interval: "1m", tests: [test] }, { lineWidth: 0 }),
      );
      expect(promtool("test", "rules", file)).toBe("");
    },
  );

  it("all have a situation in which they fire", () => {
    const alerts = ruleFiles.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/- alert: (\w+)/g)].map(([, name]) => name!),
    );
    const fired = new Set(situations.flatMap(({ alert, fires }) => (fires === undefined ? [] : [alert])));
    expect(alerts.filter((alert) => !fired.has(alert))).toEqual([]);
  });
});

function firing(alert: string, labels: Readonly<Record<string, string>>): string {
  const all = { alertname: alert, alertstate: "firing", ...labels };
  return `ALERTS{${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;
}

describe.skipIf(isMissing)(`the dashboard${skipNote}`, () => {
  interface Panel {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(readFileSync(deployed("grafana/tierwall-agent.json"), "utf8")) as {
    panels: readonly Panel[];
  };

  it("asks Prometheus what Prometheus understands", () => {
    const rules = panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => ({
        record: "panel",
        expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(instance|job)/g, ".*"),
      })),
    );
    expect(rules.length).toBeGreaterThan(20);
    const file = join(folder, "dashboard.yaml");
    // Each expression is in a group of its own: equal names in one group are an error.
    const groups = rules.map((rule, i) => ({ name: `panel-${i}`, rules: [rule] }));
    writeFileSync(file, stringify({ groups }, { lineWidth: 0 }));
    expect(promtool("check", "rules", "--lint=none", file)).toBe("");
  });
});
