import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { planCluster } from "../generate/plan.js";
import type { Shape } from "../generate/shape.js";
import { writeSnapshot } from "../generate/snapshot-files.js";
import { snapshotOf } from "../generate/snapshot.js";
import type { Figure } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { EmptyNode } from "./empty-node.js";

/** The agent as users run it, on the snapshot of a cluster: what it has in memory once the node is programmed. */
export async function measureAgent(
  shape: Shape,
  seed: number,
  bar?: Figure["bar"],
): Promise<Omit<RowResult, "row">> {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-bench-"));
  const plan = planCluster(shape, seed);
  mkdirSync(join(folder, "state"));
  const snapshot = join(folder, "snapshot.json");
  writeSnapshot(snapshot, snapshotOf(plan), "json");
  const space = new EmptyNode();
  const bin = fileURLToPath(new URL("../../../packages/cli/bin/tierwall.js", import.meta.url));
  const words = [bin, "--no-config", "agent", "-f", snapshot, "--node", plan.nodes[0]!.name];
  const own = [
    "--control",
    join(folder, "agent.sock"),
    "--state-dir",
    join(folder, "state"),
    "--metrics-address",
    "none",
  ];
  const enter = [`--net=/run/netns/${space.name}`, process.execPath, ...words, ...own];
  const start = performance.now();
  const agent = spawn("nsenter", enter, { stdio: ["ignore", "ignore", "pipe"] });
  try {
    for await (const line of createInterface({ input: agent.stderr }))
      if (line.includes("rules are in the kernel")) break;
    const seconds = (performance.now() - start) / 1000;
    // What was needed for reading the files is given back after a while.
    await new Promise((settled) => setTimeout(settled, 15_000));
    const status = readFileSync(`/proc/${agent.pid}/status`, "utf8");
    const megabytes = (name: string) =>
      (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024) / 1e6;
    return {
      figures: [
        {
          what: "resident memory",
          measured: megabytes("VmRSS"),
          unit: "MB",
          ...(bar === undefined ? {} : { bar }),
        },
        { what: "at most, while it started", measured: megabytes("VmHWM"), unit: "MB" },
        { what: "start to first rules", measured: seconds, unit: "s" },
      ],
      notes: [],
    };
  } finally {
    agent.kill("SIGTERM");
    await once(agent, "exit");
    space.close();
    rmSync(folder, { recursive: true });
  }
}
