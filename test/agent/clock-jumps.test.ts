import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { expectReached } from "./reached.js";
import { RunningAgent, runFlags } from "./running-agent.js";

/* Clocks are set while an agent runs: by hand, by NTP, by a machine that was asleep. Its rules do not depend on them. */

/** In a folder named after the architecture. */
const faketime = readdirSync("/usr/lib")
  .map((folder) => join("/usr/lib", folder, "faketime/libfaketimeMT.so.1"))
  .find((file) => existsSync(file));
const reason = noLabBecause() ?? (faketime === undefined ? "needs libfaketime" : undefined);
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

describe.skipIf(reason)(`when the clock jumps${title}`, () => {
  it("forwards or back, packets follow the files as before", async () => {
    lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
    lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
    lab.write("manifests/policy.yaml", ingressOfB([8080]));
    lab.write("clock", "+0");
    const environment = {
      LD_PRELOAD: faketime!,
      FAKETIME_TIMESTAMP_FILE: join(lab.folder, "clock"),
      FAKETIME_NO_CACHE: "1",
      // The clock of the seconds since the start of the machine cannot be set.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    const agent = new RunningAgent(lab.tierwallWith(environment, "agent", ...runFlags(lab)));
    let before = await timeOf(agent);
    for (const [clock, hours, ports] of [
      ["+2d", 48, [9090]],
      ["-30d", -32 * 24, [8080, 9090]],
      ["+0", 30 * 24, []],
    ] as const) {
      lab.write("clock", clock);
      lab.write("manifests/policy.yaml", ingressOfB(ports));
      const now = await timeOf(agent);
      expect(Math.round((now - before) / 3_600_000)).toBe(hours);
      before = now;
      await expectReached(lab, lab.addressOf("b"), ports);
    }
    expect(await agent.stop()).toBe(0);
  });
});

/** What the agent takes the time to be when its next rules are in the kernel. */
async function timeOf(agent: RunningAgent): Promise<number> {
  const { time } = await agent.says("rules are in the kernel");
  return Date.parse(time as string);
}
