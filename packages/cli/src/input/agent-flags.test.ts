import { hostname } from "node:os";
import type { AgentOptions } from "@tierwall/agent";
import { Command } from "commander";
import { afterEach, describe, expect, it } from "vitest";
import { type AgentFlags, agentOptions, contradiction, withAgentFlags } from "./agent-flags.js";

const { NODE_NAME: nodeName } = process.env;
afterEach(() => {
  if (nodeName === undefined) delete process.env.NODE_NAME;
  else process.env.NODE_NAME = nodeName;
});

function optionsOf(...words: readonly string[]): AgentOptions {
  const command = withAgentFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return agentOptions(command.parse(words, { from: "user" }).opts<AgentFlags>());
}

describe("--unknown-pods-after", () => {
  it.each([
    [["--unknown-pods-after", "10m:allow"], 600_000],
    [["--unknown-pods-after", "10m:deny"], undefined],
    [["--unknown-pods-after", "10m:allow", "--unknown-pods", "allow"], undefined],
    [[], undefined],
  ] as const)("%s", (words, milliseconds) => {
    expect(optionsOf("--node", "n1", ...words).node.unknownPodsPassAfter).toBe(milliseconds);
  });

  it.each(["10m", "allow", "10m:drop", ":allow", "0s:allow", "2s:allow", "10:allow"])(
    "%s is refused",
    (text) => {
      expect(() => optionsOf("--node", "n1", "--unknown-pods-after", text)).toThrow(/unknown-pods-after/);
    },
  );

  it.each([
    [["--unknown-pods", "allow", "--unknown-pods-after", "1h:deny"], true],
    [["--unknown-pods", "allow", "--unknown-pods-after", "1h:allow"], false],
    [["--unknown-pods-after", "1h:deny"], false],
  ] as const)("contradictions: %s", (words, isOne) => {
    const command = withAgentFlags(new Command());
    const flags = command.parse([...words], { from: "user" }).opts<AgentFlags>();
    expect(contradiction(flags) !== undefined).toBe(isOne);
  });
});

describe("the options of an agent", () => {
  it("without options deny unknown pods, drop silently, and log no packets", () => {
    const { node, source, ...rest } = optionsOf("--node", "n1");
    expect(node).toEqual({
      node: "n1",
      connectionMask: 0xffff0000,
      deny: "drop",
      unknownPods: "deny",
      localRanges: [],
      shadow: false,
    });
    expect(source).toEqual({
      kind: "cluster",
      namespace: "tierwall-system",
      state: { facts: { podCidrs: [] } },
    });
    expect(rest).toEqual({
      table: "tierwall",
      metrics: { address: "127.0.0.1:9465", auth: "none" },
      control: "/run/tierwall/agent.sock",
      stateFolder: "/var/lib/tierwall",
      dnsServers: [],
      resync: 300_000,
    });
  });

  it("name the files to watch, or else the cluster", () => {
    expect(optionsOf("-f", "a", "-f", "b", "-R").source).toMatchObject({
      kind: "files",
      paths: ["a", "b"],
      recursive: true,
    });
    expect(optionsOf("--kubeconfig", "admin.conf", "--context", "prod").source).toMatchObject({
      kind: "cluster",
      kubeconfig: "admin.conf",
      context: "prod",
    });
  });

  it("of the audit log reach the rules, which log to its group at its rate", () => {
    const { auditLog, node } = optionsOf("--audit-log", "-", "--log-rate", "50", "--log-group", "7");
    expect([auditLog, node.log]).toEqual(["-", { group: 7, perSecond: 50, burst: 50 }]);
  });

  it.each(["x; flush ruleset", "Upper", "", "-b"])("do not take `%s` for the name of a table", (name) => {
    expect(() => optionsOf(`--table=${name}`)).toThrow("is not a name");
  });

  it("can turn metrics off", () => {
    expect(optionsOf("--metrics-address", "none")).not.toHaveProperty("metrics");
  });

  it("take the name of the node from the line, from $NODE_NAME, or from the host", () => {
    process.env.NODE_NAME = "from-the-environment";
    expect(optionsOf("--node", "from-the-line").node.node).toBe("from-the-line");
    expect(optionsOf().node.node).toBe("from-the-environment");
    delete process.env.NODE_NAME;
    expect(optionsOf().node.node).toBe(hostname().toLowerCase());
  });
});
