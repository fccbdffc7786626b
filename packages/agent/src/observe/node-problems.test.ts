import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { AgentMetrics } from "./metrics.js";
import { NodeProblems } from "./node-problems.js";

function setup() {
  const said: string[] = [];
  const clock = { now: 0 };
  const metrics = new AgentMetrics(() => 0);
  const log = pino(
    {},
    {
      write: (line) => {
        const { level, msg } = JSON.parse(line) as { level: number; msg: string };
        said.push(`${level} ${msg}`);
      },
    },
  );
  const problems = new NodeProblems(log, metrics.nodeProblem, () => clock.now);
  const gauge = async (kind: string) =>
    new RegExp(`^tierwall_node_problem\\{kind="${kind}"\\} (\\d)`, "m").exec(await metrics.text())?.[1];
  return { problems, said, clock, gauge };
}

describe("problems of a node", () => {
  it("are logged when they begin and when they end, and counted meanwhile", async () => {
    const { problems, said, gauge } = setup();
    expect(await gauge("flowtables")).toBe("0");
    problems.report("flowtables", undefined);
    problems.report("flowtables", "others have flowtables");
    problems.report("flowtables", "others have flowtables");
    expect(await gauge("flowtables")).toBe("1");
    expect(problems.present).toMatchObject([{ kind: "flowtables", message: "others have flowtables" }]);
    problems.report("flowtables", undefined);
    expect([await gauge("flowtables"), problems.present]).toEqual(["0", []]);
    expect(said).toEqual(["40 others have flowtables", "30 resolved: others have flowtables"]);
  });

  it("whose message keeps changing are logged once a minute", () => {
    const { problems, said, clock } = setup();
    problems.report("shared-addresses", "one");
    clock.now = 59_000;
    problems.report("shared-addresses", "two");
    clock.now = 61_000;
    problems.report("shared-addresses", "three");
    expect(said).toEqual(["40 one", "40 three"]);
  });

  it("make the agent unready if packets bypass its rules", () => {
    const { problems } = setup();
    problems.report("pod-range", "the range is wrong");
    expect(problems.unready).toBeUndefined();
    problems.report("ipvs", "kube-proxy is in IPVS mode");
    expect(problems.unready).toBe("kube-proxy is in IPVS mode");
  });
});
