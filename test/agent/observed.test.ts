import { once } from "node:events";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AuditLine, SuppressedLine } from "@tierwall/agent";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";

/* What can be seen of an agent from outside, with real packets: its audit log, its counts, its metrics. */

const reason = noLabBecause("ulogd", "setpriv");
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const patience = { timeout: 300_000, interval: 50 };

// Each test starts agents, pods and commands, a process each: that takes a while where others are at work too.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });

let lab: NodeLab;
beforeEach(async () => {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/policy.yaml", ingressOfB([8080]));
});
afterEach(() => lab.destroy());

const auditLog = () => `${lab.folder}/audit.jsonl`;
const logging = () => ["--audit-log", auditLog(), "--log-rate", "5"];

function linesIn(file: string): readonly (AuditLine | SuppressedLine)[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditLine | SuppressedLine);
}

const decisions = (file = auditLog()) =>
  linesIn(file).filter((line): line is AuditLine => !("suppressed" in line));

/** Until a packet of this connection is logged; ulogd may still be about to start. */
async function loggedWhen(knock: () => Promise<unknown>, file = auditLog()): Promise<AuditLine> {
  return vi.waitFor(async () => {
    await knock();
    await new Promise((next) => setTimeout(next, 300));
    const [line] = decisions(file);
    expect(line).toBeDefined();
    return line!;
  }, patience);
}

const knock = (port: number) => () => lab.reaches("a", lab.addressOf("b"), port, 200);

async function said(...args: readonly string[]): Promise<string> {
  const child = lab.tierwall(...args, "--control", lab.control);
  let text = "";
  child.stdout!.on("data", (part: Buffer) => (text += part.toString()));
  await once(child, "close");
  return text;
}

/** Packets by rule, as `tierwall hits` has them. */
async function hits(): Promise<Readonly<Record<string, number>>> {
  const { rules } = JSON.parse(await said("hits", "-o", "json")) as {
    rules: readonly { rule: string; packets: number }[];
  };
  return Object.fromEntries(rules.map(({ rule, packets }) => [rule, packets]));
}

describe.skipIf(reason)(`the audit log${title}`, () => {
  it("has what was denied, with both pods, and the policy with its place", async () => {
    await RunningAgent.ready(lab, ...logging());
    const line = await loggedWhen(knock(9090));
    expect(line).toMatchObject({
      node: "n1",
      verdict: "Deny",
      direction: "ingress",
      protocol: "TCP",
      source: { address: "10.9.0.11", kind: "pod", pod: "shop/a", node: "n1" },
      destination: { address: "10.9.0.12", port: 9090, kind: "pod", pod: "shop/b" },
      by: {
        kind: "isolation",
        tier: "network-policy",
        policies: [{ kind: "NetworkPolicy", namespace: "shop", name: "b" }],
      },
    });
    const [policy] = line.by.kind === "isolation" ? line.by.policies : [];
    expect(policy?.place).toMatch(/policy\.yaml:2$/);
  });

  it("has what was allowed where a policy asks for it, and nothing where it asks for nothing", async () => {
    lab.write("manifests/policy.yaml", ingressOfB([8080, 7070], { "tierwall.dev/audit": "all" }));
    const agent = await RunningAgent.ready(lab, ...logging());
    expect(await loggedWhen(knock(8080))).toMatchObject({
      verdict: "Allow",
      by: { kind: "rule", number: 1 },
    });
    lab.write("manifests/policy.yaml", ingressOfB([8080, 7070], { "tierwall.dev/audit": "none" }));
    await agent.says("rules are in the kernel");
    for (const port of [7070, 9090]) await knock(port)();
    await agent.stop();
    expect(decisions().filter(({ destination }) => destination.port !== 8080)).toEqual([]);
  });

  it("says of a policy in shadow mode what it would do", onlyInFull, async () => {
    lab.write("manifests/policy.yaml", ingressOfB([8080], { "tierwall.dev/enforcement": "shadow" }));
    await RunningAgent.ready(lab, ...logging());
    expect(await loggedWhen(knock(9090))).toMatchObject({ verdict: "Deny", shadow: true });
    await expect.poll(knock(9090)).toBe(true);
  });

  it("says of a node in shadow mode what it would do", onlyInFull, async () => {
    await RunningAgent.ready(lab, ...logging(), "--shadow");
    expect(await loggedWhen(knock(9090))).toMatchObject({ verdict: "Deny", shadow: true });
    await expect.poll(knock(9090)).toBe(true);
  });

  it("lines and the number suppressed add up to what was counted", async () => {
    const agent = await RunningAgent.ready(lab, ...logging());
    await loggedWhen(knock(9090));
    const flood = `
      const socket = require("node:dgram").createSocket("udp4");
      let left = 500;
      const send = () => left-- > 0 ? socket.send("x", 9090, "10.9.0.12", send) : socket.close();
      send();`;
    lab.run("a", process.execPath, "-e", flood);
    // Lines come in the order of their packets: with one of TCP, all of the flood are there.
    const knocks = () => decisions().filter(({ protocol }) => protocol === "TCP").length;
    const before = knocks();
    await vi.waitFor(async () => {
      await knock(9090)();
      expect(knocks()).toBeGreaterThan(before);
    }, patience);
    await hits();
    const { isolation: counted } = await hits();
    await agent.stop();
    const suppressed = linesIn(auditLog()).map((line) => ("suppressed" in line ? line.suppressed : 1));
    expect(counted).toBeGreaterThanOrEqual(501);
    expect(decisions().length).toBeLessThan(100);
    expect(suppressed.reduce((a, b) => a + b, 0)).toBe(counted);
  });

  it("the same of what was allowed, where that is logged, also while rules change", onlyInFull, async () => {
    const allowing = (port: number) => ingressOfB([8080, port], { "tierwall.dev/audit": "all" });
    lab.write("manifests/policy.yaml", allowing(7070));
    const agent = await RunningAgent.ready(lab, ...logging());
    const talker = lab.talk("a", lab.addressOf("b"), 8080);
    await talker.echo();
    await loggedWhen(knock(8080));
    const flood = `
      const { connect } = require("node:net");
      let left = 60;
      const open = () => left-- > 0 && connect(8080, "10.9.0.12", function () { this.destroy(); open(); });
      open();`;
    lab.run("a", process.execPath, "-e", flood);
    // The connection that is open is judged again, which is counted, and no news.
    lab.write("manifests/policy.yaml", allowing(7071));
    await agent.says("rules are in the kernel");
    await talker.echo();
    const before = decisions().length;
    await vi.waitFor(async () => {
      await knock(8080)();
      expect(decisions().length).toBeGreaterThan(before);
    }, patience);
    await hits();
    const { "rule 1": counted } = await hits();
    const status = JSON.parse(await said("agent", "status", "-o", "json")) as {
      audit: { lines: number; suppressed: number };
    };
    await agent.stop();
    const amounts = linesIn(auditLog()).map((line) => ("suppressed" in line ? line.suppressed : 1));
    const sum = amounts.reduce((a, b) => a + b, 0);
    expect(decisions().length).toBeLessThan(sum);
    expect(sum).toBeGreaterThan(60);
    expect(counted).toBeGreaterThan(sum);
    expect(status.audit.lines + status.audit.suppressed).toBe(sum);
    expect(agent.said).not.toContain("please report this");
  });

  describe("after an edit", onlyInFull, () => {
    const admin = (rule: string, annotations = "{}") => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: admin, annotations: ${annotations}}
spec:
  tier: Admin
  priority: 1
  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: b}}}}
  ingress: [{${rule}, from: [{namespaces: {}}]}]
`;
    const [before, after] = ["name: keep-out, action: Deny", "name: ask-others, action: Pass"];
    const shadow = "{tierwall.dev/enforcement: shadow}";

    /** Sends datagrams from a to b, one after the other. */
    const send = (count: number) =>
      lab.run(
        "a",
        process.execPath,
        "-e",
        `const socket = require("node:dgram").createSocket("udp4");
         let left = ${count};
         const send = () => left-- > 0 ? socket.send("x", 8080, "10.9.0.12", send) : socket.close();
         send();`,
      );

    /** What was logged before the edit is read after it: ulogd stands still meanwhile. */
    async function readAfterTheEdit(agent: RunningAgent, sent: number, edited: string): Promise<void> {
      const children = readFileSync(`/proc/${agent.child.pid}/task/${agent.child.pid}/children`, "utf8");
      const ulogd = children
        .trim()
        .split(" ")
        .find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "ulogd");
      process.kill(Number(ulogd), "SIGSTOP");
      send(sent);
      lab.write("manifests/policy.yaml", edited);
      await agent.says("rules are in the kernel");
      process.kill(Number(ulogd), "SIGCONT");
    }

    it.each([
      ["another verdict and another name", admin(after)],
      ["only watched", admin(before, shadow)],
      ["gone", ingressOfB([8080])],
    ])("a packet is blamed on the rule that judged it: %s", async (_what, edited) => {
      lab.write("manifests/policy.yaml", admin(before));
      const agent = await RunningAgent.ready(lab, ...logging());
      await loggedWhen(knock(9090));
      const logged = decisions().length;
      await readAfterTheEdit(agent, 1, edited);
      const fresh = () =>
        decisions()
          .slice(logged)
          .filter(({ protocol }) => protocol === "UDP");
      await expect.poll(fresh, patience).not.toEqual([]);
      expect(fresh()).toMatchObject([{ verdict: "Deny", by: { kind: "rule", name: "keep-out", number: 1 } }]);
      expect(fresh()[0]).not.toHaveProperty("shadow");
    });

    it("suppressed lines are attributed to the rule that judged them, and hits start again", async () => {
      lab.write("manifests/policy.yaml", admin(before));
      const agent = await RunningAgent.ready(lab, ...logging());
      await loggedWhen(knock(9090));
      await hits();
      await readAfterTheEdit(agent, 300, admin(after, "{tierwall.dev/audit: all}"));
      const suppressed = () => linesIn(auditLog()).filter((line) => "suppressed" in line);
      await expect
        .poll(async () => {
          const counted = await hits();
          expect(counted['rule 1 "ask-others"']).toBe(0);
          expect(counted).not.toHaveProperty(['rule 1 "keep-out"']);
          return suppressed();
        }, patience)
        .not.toEqual([]);
      for (const line of suppressed()) expect(line).toMatchObject({ by: { name: "keep-out" } });
    });
  });

  it("goes on in a new file after SIGHUP", onlyInFull, async () => {
    const agent = await RunningAgent.ready(lab, ...logging());
    await loggedWhen(knock(9090));
    renameSync(auditLog(), `${auditLog()}.1`);
    agent.child.kill("SIGHUP");
    await loggedWhen(knock(9090));
    expect(decisions(`${auditLog()}.1`).length).toBeGreaterThan(0);
  });

  it("goes on after the agent was killed: its ulogd is gone with it", onlyInFull, async () => {
    const killed = await RunningAgent.ready(lab, ...logging());
    await loggedWhen(knock(9090));
    await killed.stop("SIGKILL");
    const agent = await RunningAgent.ready(lab, ...logging());
    const before = decisions().length;
    await vi.waitFor(async () => {
      await knock(9090)();
      await new Promise((next) => setTimeout(next, 300));
      expect(decisions().length).toBeGreaterThan(before);
    }, patience);
    expect(agent.said).not.toContain("ulogd ended");
  });
});

describe.skipIf(reason)(`a connection that a change of policy ends${title}`, () => {
  const cuts = () => decisions().filter(({ cut }) => cut === true);
  const opened = {
    cut: true,
    verdict: "Deny",
    source: { pod: "shop/a" },
    destination: { pod: "shop/b", port: 9090 },
    by: { kind: "isolation" },
  };

  /** Which rules judged it last; what was not answered is sent again by the kernel, under those that hold by then. */
  const markOfOpened = () =>
    /mark=(\d+)/.exec(lab.run("node", "conntrack", "-L", "-p", "tcp", "--dport", "9090"))![1];

  it("is logged once as cut, and counted", async () => {
    lab.write("manifests/policy.yaml", ingressOfB([8080, 9090]));
    const agent = await RunningAgent.ready(lab, ...logging());
    await loggedWhen(knock(7070));
    const talker = lab.talk("a", lab.addressOf("b"), 9090);
    await talker.echo();
    lab.write("manifests/policy.yaml", ingressOfB([8080]));
    await agent.says("rules are in the kernel");
    await vi.waitFor(() => expect(cuts()).toHaveLength(1), patience);
    expect(cuts()).toMatchObject([opened]);
    await hits();
    expect(await said("agent", "status")).toContain("1 established connection");
    expect(cuts()).toHaveLength(1);

    // A client that does not give up is dropped by all later rules, and is not reported by any of them.
    for (const port of [8081, 8082]) {
      const before = markOfOpened();
      lab.write("manifests/policy.yaml", ingressOfB([port]));
      await agent.says("rules are in the kernel");
      await vi.waitFor(() => expect(markOfOpened()).not.toBe(before), patience);
    }
    await hits();
    expect(await said("agent", "status")).toContain("1 established connection");
    expect(cuts()).toHaveLength(1);
  });

  it("is named by the agent itself, whether there is an audit log or not", onlyInFull, async () => {
    lab.write("manifests/policy.yaml", ingressOfB([8080, 9090]));
    const agent = await RunningAgent.ready(lab);
    const talker = lab.talk("a", lab.addressOf("b"), 9090);
    await talker.echo();
    lab.write("manifests/policy.yaml", ingressOfB([8080]));
    await agent.says("rules are in the kernel");
    const named = () =>
      agent.said.split("\n").filter((line) => line.includes("cut an established connection"));
    await vi.waitFor(async () => {
      await hits();
      expect(named()).toHaveLength(1);
    }, patience);
    expect(JSON.parse(named()[0]!)).toMatchObject({
      protocol: "TCP",
      source: { address: "10.9.0.11", kind: "pod", pod: "shop/a" },
      destination: { address: "10.9.0.12", port: 9090, kind: "pod", pod: "shop/b" },
    });
    expect(await said("agent", "status")).toMatch(
      /ago: shop\/a \(10\.9\.0\.11:\d+\) → shop\/b \(10\.9\.0\.12:9090\) TCP$/m,
    );
    // The next agent does not report it again.
    await agent.stop();
    const next = await RunningAgent.ready(lab);
    await hits();
    expect(next.said).not.toContain("cut an established connection");
  });

  it("is shown as it was opened, also where the other end speaks first", onlyInFull, async () => {
    lab.write("manifests/policy.yaml", ingressOfB([9091]));
    const server = lab.start("b", process.execPath, [
      fileURLToPath(new URL("greeting-server.mjs", import.meta.url)),
      "9091",
    ]);
    await once(server.stdout!, "data");
    const agent = await RunningAgent.ready(lab, ...logging());
    await loggedWhen(knock(7070));
    const client = lab.start("a", "bash", ["--norc", "-c", `exec cat < /dev/tcp/${lab.addressOf("b")}/9091`]);
    await once(client.stdout!, "data");
    lab.write("manifests/policy.yaml", ingressOfB([8080]));
    await agent.says("rules are in the kernel");
    await vi.waitFor(() => expect(cuts()).toHaveLength(1), patience);
    expect(cuts()).toMatchObject([{ ...opened, destination: { pod: "shop/b", port: 9091 } }]);
  });
});

describe.skipIf(reason)(`counts${title}`, () => {
  it("are those of packets, and go on after a restart", async () => {
    const first = await RunningAgent.ready(lab);
    for (let i = 0; i < 3; i++) await knock(8080)();
    expect(await hits()).toEqual({ "rule 1": 3, isolation: 0 });
    await first.stop("SIGKILL");
    const second = await RunningAgent.ready(lab);
    await knock(8080)();
    await knock(9090)();
    const now = await hits();
    expect(now["rule 1"]).toBe(4);
    expect(now.isolation).toBeGreaterThanOrEqual(1);
    expect(await said("hits", "--never")).toBe("All rules on n1 have decided something.\n");
    await second.stop();
    expect(await said("hits", "--state", `${lab.folder}/state/hits.json`)).toContain("2 rules on n1");
  });

  it("are there for Prometheus", onlyInFull, async () => {
    await RunningAgent.ready(lab);
    await knock(8080)();
    await hits();
    const ask = `fetch("http://127.0.0.1:9465/metrics").then((r) => r.text()).then((t) => console.log(t))`;
    const text = lab.run("node", process.execPath, "-e", ask);
    expect(text).toContain(
      'tierwall_rule_packets_total{policy="NetworkPolicy shop/b",rule="rule 1",direction="ingress",verdict="Allow"} 1\n',
    );
    expect(text).toMatch(/^tierwall_rules 2$/m);
    expect(text).toMatch(/^tierwall_pods\{state="programmed"\} 2$/m);
  });
});
