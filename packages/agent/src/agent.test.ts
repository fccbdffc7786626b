import { readState } from "@tierwall/core/state";
import type { Situation, SituationSource } from "@tierwall/kube";
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import { Agent, type AgentParts, type Programmed, type Turn } from "./agent.js";
import type { NodeOptions } from "./ruleset/program.js";
import { plainOptions, podYaml } from "../testing/node-world.js";

const pod = (name: string, address: string) => podYaml(`shop/${name}`, address, { node: "n1" });

function situation(pods: readonly string[], more: Partial<Situation> = {}): Situation {
  const state = readState([{ file: "state.yaml", text: pods.join("\n") }]);
  return {
    cluster: state.cluster,
    tiers: state.tiers,
    policies: state.policies,
    foreign: [],
    unreadForeign: [],
    diagnostics: [],
    complaints: new Map(),
    podRanges: new Map([["n1", ["10.0.0.0/24"]]]),
    since: 0,
    ...more,
  };
}

const options: NodeOptions = { ...plainOptions, node: "n1" };

const emptyRuleset = { chains: new Map(), sets: new Map(), counters: new Set<string>() };

/** An agent with a simulated kernel, whose source is the test. */
function setup(
  enforce: (turn: Turn) => Promise<string | undefined> = () => Promise.resolve(undefined),
  given = options,
  now: () => number = () => 1_000,
) {
  let take: (one: Situation) => Promise<void> | void = () => undefined;
  const source: SituationSource = {
    start: (onSituation) => {
      take = onSituation;
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };
  const programmed: Programmed[] = [];
  const failures: string[] = [];
  const warnings: string[] = [];
  const compilers: NodeOptions[] = [];
  const parts: AgentParts = {
    options: given,
    source,
    compilerFor: (of) => {
      compilers.push(of);
      return {
        compile: () => ({
          ruleset: emptyRuleset,
          book: new Map(),
          ranges: { 4: "", 6: "" },
          local: { 4: "", 6: "" },
          sharedAddresses: new Map(),
          names: [],
        }),
      };
    },
    enforce: async (turn) => {
      const refusal = await enforce(turn);
      if (refusal !== undefined) return { ok: false, message: refusal };
      const generation = programmed.length + 1;
      const milliseconds = { compute: 1, nft: 1 };
      return { ok: true, value: { kind: "changed", table: "tierwall", generation, milliseconds } };
    },
    onProgrammed: (one) => programmed.push(one),
    onFailure: (cause) => failures.push((cause as Error).message),
    onProblem: () => undefined,
    log: pino({}, { write: (line) => warnings.push((JSON.parse(line) as { msg: string }).msg) }),
    now,
  };
  const agent = new Agent(parts);
  const see = async (one: Situation) => {
    await take(one);
  };
  return { agent, see, programmed, failures, warnings, compilers };
}

describe("a turn of the agent", () => {
  it("writes the rules of a situation to the kernel, and reports how long pods waited", async () => {
    const { agent, see, programmed } = setup();
    await agent.start();
    await see(situation([pod("a", "10.0.0.1")], { since: 400 }));
    expect(programmed.map(({ waited, sinceSeen }) => ({ waited, sinceSeen }))).toEqual([
      { waited: [600], sinceSeen: 600 },
    ]);
    expect(agent.pods).toEqual({ programmed: 1, waiting: 0 });
  });

  it("that fails is reported and retried, and the pods wait", async () => {
    let broken = true;
    const { agent, see, programmed, failures } = setup(() =>
      Promise.resolve(broken ? "nft is busy" : undefined),
    );
    await agent.start();
    await see(situation([pod("a", "10.0.0.1")], { since: 100 }));
    expect([failures, programmed.length, agent.pods.waiting]).toEqual([["nft is busy"], 0, 1]);
    broken = false;
    await see(situation([pod("a", "10.0.0.1"), pod("b", "10.0.0.2")], { since: 700 }));
    expect(programmed.map(({ waited, sinceSeen }) => ({ waited, sinceSeen }))).toEqual([
      { waited: [900, 300], sinceSeen: 900 },
    ]);
    await agent.stop();
  });
});

describe("a node without a Node object", () => {
  it.each([
    ["a warning if no pod runs on it", "n9", 1],
    ["no warning if pods run on it", "n1", 0],
  ])("%s", async (_, node, count) => {
    const { agent, see, warnings } = setup(undefined, { ...options, node });
    await agent.start();
    await see(situation([pod("a", "10.0.0.1")]));
    expect(warnings.filter((line) => line.includes("check --node"))).toHaveLength(count);
  });
});

describe("the ranges of a node's pods", () => {
  it("are those of its Node, and one compiler serves while they stay", async () => {
    const { agent, see, compilers } = setup();
    await agent.start();
    await see(situation([]));
    await see(situation([pod("a", "10.0.0.1")]));
    await see(situation([], { podRanges: new Map([["n1", ["10.0.1.0/24"]]]) }));
    expect(compilers.map((of) => of.localRanges)).toEqual([
      [{ family: 4, first: 0x0a000000n, prefix: 24 }],
      [{ family: 4, first: 0x0a000100n, prefix: 24 }],
    ]);
  });

  it("are the configured ones, if there are any", async () => {
    const localRanges = [{ family: 4, first: 0x0a090000n, prefix: 24 }] as const;
    const { agent, see, compilers } = setup(undefined, { ...options, localRanges });
    await agent.start();
    await see(situation([]));
    expect(compilers.map((of) => of.localRanges)).toEqual([localRanges]);
  });

  it("that a pod contradicted are trusted again in a quiet cluster", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { agent, see, compilers } = setup(undefined, options, () => performance.now());
      await agent.start();
      await see(situation([pod("a", "10.7.0.1")]));
      await see(situation([pod("a", "10.0.0.1")]));
      await vi.advanceTimersByTimeAsync(599_000);
      expect(compilers.map((of) => of.rangesDoubted)).toEqual([true]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(compilers.map((of) => of.rangesDoubted)).toEqual([true, undefined]);
      await agent.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ["deny", 1],
    ["allow", 0],
  ] as const)("that are not known are worth a warning with --unknown-pods %s", async (unknownPods, count) => {
    const { agent, see, warnings } = setup(undefined, { ...options, unknownPods });
    await agent.start();
    await see(situation([], { podRanges: new Map() }));
    await see(situation([], { podRanges: new Map() }));
    expect(warnings.filter((line) => line.includes("--pod-range"))).toHaveLength(count);
  });
});
