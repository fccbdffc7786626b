import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { KernelTable } from "@tierwall/agent";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fewerRuns } from "../slice.mjs";
import { NetworkNamespace, whyNoNamespaces } from "../../packages/agent/testing/network-namespace.js";
import { rulesetOf } from "./varying-rulesets.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const reason = whyNoNamespaces();
const rounds = Number(process.env.KILLS ?? fewerRuns(6));

describe.skipIf(reason)(`an agent that is killed${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  let agent: ChildProcess | undefined;

  beforeAll(() => {
    if (!existsSync(here("../../packages/agent/dist/index.js"))) throw new Error("`npm run build` first");
    node = new NetworkNamespace("twk");
  });

  afterAll(() => {
    agent?.kill("SIGKILL");
    node.remove();
  });

  async function open(): Promise<KernelTable> {
    const opened = await KernelTable.open({
      table: "tierwall",
      connectionMask: 0xffff0000,
      enter: node.enter,
      bridges: () => ({ ok: true, value: [] }),
    });
    if (!opened.ok) throw new Error(opened.message);
    return opened.value;
  }

  const judged = (): { denied: boolean; allowed: boolean } => ({
    denied: !node.lets(7),
    allowed: node.lets(9),
  });
  const asItShould = { denied: true, allowed: true };

  test(`leaves whole rules at any moment of ${rounds}, and the next one finds its way`, {
    timeout: 600_000,
  }, async () => {
    let table = await open();
    await table.apply(rulesetOf(0));
    await table.close();
    for (let round = 1; round <= rounds; round++) {
      agent = spawn(
        "ip",
        [...node.enter.slice(1), process.execPath, here("changing-agent.mjs"), `${round}000`],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const ended = once(agent, "exit").then(([status]) => `the agent ended with status ${status}`);
      const first = once(agent.stdout!, "data").then(([text]) => String(text));
      expect(await Promise.race([first, ended])).toBe("ready\n");
      await sleep(Math.random() * 500);
      // First one of the processes it started, which it must survive, then itself.
      const children = childrenOf(agent.pid!);
      const child = children[Math.floor(Math.random() * children.length)];
      if (child !== undefined) killIfThere(child);
      expect(judged()).toEqual(asItShould);
      agent.kill("SIGKILL");
      expect(judged()).toEqual(asItShould);
      // What it had started goes with it.
      await vi.waitFor(() => expect(node.processes.map(commandOf)).toEqual([]), { timeout: 60_000 });

      table = await open();
      expect(judged()).toEqual(asItShould);
      expect(await table.apply(rulesetOf(round))).toMatchObject({ ok: true });
      // An nft that the dead agent had begun may have come in after that.
      await sleep(100);
      await table.verify();
      expect(await table.verify()).toEqual({ ok: true, value: [] });
      expect(await table.apply(rulesetOf(round))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
      expect(judged()).toEqual(asItShould);
      expect(node.run("nft", "list", "tables").trim().split("\n")).toHaveLength(1);
      await table.close();
    }
  });
});

function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\0", " ") : "";
}

/** Of its threads and their children some are gone by the time one looks. */
function childrenOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const file = `/proc/${pid}/task/${task}/children`;
    return existsSync(file) ? readFileSync(file, "utf8").split(" ") : [];
  });
  return children.filter((child) => child !== "").map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}
