import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type SavedCounts, serveControl } from "@tierwall/agent";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const rule = (name: string, packets: number) => ({
  decider: {
    policies: [{ kind: "NetworkPolicy", namespace: "shop", name }],
    rule: "rule 1",
    direction: "ingress" as const,
    tier: "network-policy",
    verdict: "Allow" as const,
    shadow: false,
  },
  packets,
  bytes: packets * 60,
  firstSeen: "2026-01-01T00:00:00.000Z",
  ...(packets > 0 ? { lastHit: "2026-01-01T03:00:00.000Z" } : {}),
});
const state = (...rules: readonly ReturnType<typeof rule>[]): SavedCounts => ({
  version: 1,
  node: "n1",
  at: "2026-01-01T04:00:00.000Z",
  sums: Object.fromEntries(rules.map((one, i) => [`r_${i}`, one])),
});
const folder = folderOf({
  "counts.json": JSON.stringify(state(rule("web", 12), rule("old", 0))),
  "busy.json": JSON.stringify(state(rule("web", 12))),
  "broken.json": "{",
});
const hits = (...args: readonly string[]) => tierwall(["hits", ...args], { cwd: folder });

describe("what an agent left behind", () => {
  it("is shown by policy", () => {
    expect(hits("--state", "counts.json")).toEqual({
      status: 0,
      stderr: "",
      stdout: `2 rules on n1 at 2026-01-01T04:00:00.000Z: 1 used, 1 never used

NetworkPolicy shop/old
  ingress  rule 1  Allow  never       in 4h

NetworkPolicy shop/web
  ingress  rule 1  Allow  12 packets  720B   last 60m ago
`,
    });
  });

  it("--never shows what was never hit, or says that there is nothing of the kind", () => {
    const { rules } = JSON.parse(hits("--state", "counts.json", "--never", "-o", "json").stdout) as {
      rules: readonly { policies: readonly { name: string }[] }[];
    };
    expect(rules.map(({ policies }) => policies[0]?.name)).toEqual(["old"]);
    expect(hits("--state", "busy.json", "--never").stdout).toBe("All rules on n1 have decided something.\n");
  });

  it.each([
    ["is not there", "none.json", "`none.json` does not exist: no agent has counted there yet\n"],
    ["is broken", "broken.json", /^cannot read `broken\.json`: /],
  ])("that %s is bad input", (_what, file, message) => {
    const { status, stdout, stderr } = hits("--state", file);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("an agent that runs", () => {
  const socket = join(folder, "agent.sock");
  let served: Awaited<ReturnType<typeof serveControl>> | undefined;
  afterEach(() => served?.close());

  /** This process is the agent: it cannot wait for the command without answering it. */
  function asked(): Promise<string> {
    const bin = fileURLToPath(new URL("../../bin/tierwall.js", import.meta.url));
    const child = spawn(process.execPath, [bin, "hits", "--control", socket]);
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    return new Promise((resolve) => child.on("close", (status) => resolve(`${said}${status}`)));
  }

  it("is asked", async () => {
    const nothing = () => expect.unreachable("not requested");
    served = await serveControl(socket, {
      status: nothing,
      confirm: nothing,
      giveUp: nothing,
      hits: () => Promise.resolve({ version: 1, node: "n7", at: "2026-01-01T04:00:00.000Z", rules: [] }),
    });
    expect(await asked()).toBe("No rule applies to a pod of n7.\n0");
  });

  it("is missed", () => {
    expect(hits("--control", "agent.sock")).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "no agent listens on `agent.sock`: check that `tierwall agent` runs, or set --control to its socket\n",
    });
  });
});
