import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Observer } from "@tierwall/agent";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

/* Metrics that a page or a dashboard names are there, and those that are there are on the page. */

const folder = mkdtempSync(join(tmpdir(), "tierwall-metrics-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { metrics } = new Observer({
  node: "n1",
  shadow: false,
  stateFile: join(folder, "hits.json"),
  readCounters: () => Promise.resolve({ ok: true, value: new Map() }),
  every: 60_000,
  series: 10,
  cut: { list: () => Promise.resolve({ ok: true, value: [] }), onCut: () => undefined },
  onTrouble: (message) => expect.unreachable(message),
});
const exported = new Set(
  [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === "histogram" ? [name!, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
  ),
);
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const namedIn = (text: string) => [...new Set(text.match(/\b(?:tierwall|process)_\w+\b/g))];

describe.each([
  "docs/reference/metrics-agent.md",
  "deploy/grafana/tierwall-agent.json",
  "deploy/prometheus/tierwall-agent.rules.yaml",
])("%s", (path) => {
  it.each(namedIn(read(path)).filter((name) => name !== "tierwall_dns_"))(
    "names %s, which is exported",
    (name) => {
      expect(exported).toContain(name);
    },
  );
});

it("the page has every metric of the agent", () => {
  const named = new Set(namedIn(read("docs/reference/metrics-agent.md")));
  const ours = [...exported].filter((name) => /^tierwall_(?!dns_)/.test(name));
  const bases = ours.filter((name) => !/_(bucket|count|sum)$/.test(name));
  expect(bases.filter((name) => !named.has(name))).toEqual([]);
});

it.each([
  ["an agent that does not answer", 'up{job="tierwall-agent"} == 0'],
  ["a node without an agent", 'count(kube_node_info) > (count(up{job="tierwall-agent"} == 1) or vector(0))'],
  ["a problem of a node", "tierwall_node_problem == 1"],
])("there is an alert about %s", (_, expression) => {
  const { groups } = parse(read("deploy/prometheus/tierwall-agent.rules.yaml")) as {
    groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
  };
  expect(groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))).toContain(expression);
});

it("the dashboard is what Grafana imports: panels of known kinds, none of which covers another", () => {
  interface Panel {
    readonly id: number;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }
  const { panels, uid } = JSON.parse(read("deploy/grafana/tierwall-agent.json")) as {
    panels: readonly Panel[];
    uid: string;
  };
  expect(uid).toBe("tierwall-agent");
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { type, gridPos } of panels) {
    expect(["row", "stat", "timeseries", "table"]).toContain(type);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken).not.toContain(`${x} ${y}`);
        taken.add(`${x} ${y}`);
      }
  }
});
