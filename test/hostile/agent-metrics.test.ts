import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ingressOfB, pods } from "../agent/manifests.js";
import { nodeAddress, NodeLab, noLabBecause } from "../agent/node-lab.js";
import { RunningAgent } from "../agent/running-agent.js";
import { hostileHeaders, hostileTargets, request } from "./raw-requests.js";

/* A real agent, and a pod of its node that sends what it likes to the port of the metrics. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const sender = fileURLToPath(new URL("raw-sender.mjs", import.meta.url));

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describe.skipIf(reason)(`a pod that attacks the agent of its node${title}`, () => {
  let lab: NodeLab;
  let agent: RunningAgent;
  beforeAll(async () => {
    lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
    lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
    lab.write("manifests/policy.yaml", ingressOfB([8080]));
    agent = await RunningAgent.ready(lab, "--metrics-address", "0.0.0.0:9465");
  });
  afterAll(async () => lab?.destroy());

  /** From the network of the pod: one connection for each message, and how many were opened. */
  function send(messages: readonly Buffer[]): number {
    lab.write("messages.json", JSON.stringify(messages.map((message) => message.toString("base64"))));
    const opened = lab.run("a", process.execPath, sender, nodeAddress, "9465", `${lab.folder}/messages.json`);
    return Number(opened);
  }

  const expectService = () => {
    expect([agent.child.exitCode, agent.child.signalCode]).toEqual([null, null]);
    expect(lab.get("http://127.0.0.1:9465/livez")).toBe("ok\n");
    expect(lab.get("http://127.0.0.1:9465/metrics")).toContain("tierwall_");
  };

  it("with `GET //` does not end it", () => {
    expect(send([request("GET // HTTP/1.1")])).toBe(1);
    expectService();
  });

  it("with request targets and headers of all forms does not end it", () => {
    const messages = [
      ...hostileTargets.map((target) => request(`GET ${target} HTTP/1.1`)),
      ...hostileHeaders.map((headers) => request("POST /metrics HTTP/1.1", headers, "body")),
      Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x01]),
    ];
    expect(send(messages)).toBe(messages.length);
    expectService();
  });

  it("with connections on which nothing comes keeps no probe out", () => {
    const messages = Array.from({ length: 600 }, () => Buffer.from("G"));
    expect(send(messages)).toBe(messages.length);
    expectService();
  });

  it("leaves rules in force and nothing in the log but what happened", async () => {
    expect(await lab.reaches("a", lab.addressOf("b"), 8080)).toBe(true);
    expect(await lab.reaches("a", lab.addressOf("b"), 9090)).toBe(false);
    expect(agent.said).not.toMatch(/uncaught|TypeError/i);
    expect(agent.said).toContain("every client that reaches this address can read the metrics");
    expect(await agent.stop()).toBe(0);
  });
});
