import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";

/* Domain names in the agent as a whole: a pod may reach what its own DNS server said the names of a rule are. */

const reason = noLabBecause("dnsmasq", "dig");
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

const policy = `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: names}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {}}
  egress:
  - {name: dns, action: Accept, to: [{networks: [192.0.2.53/32]}]}
  - {name: web, action: Accept, to: [{domainNames: ["*.example.test"]}]}
  - {name: nothing-else, action: Deny, to: [{networks: [0.0.0.0/0]}]}
`;

vi.setConfig({ testTimeout: 1_200_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

async function labWithNames(): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", dns: "192.0.2.53", web: "192.0.2.80", other: "192.0.2.90" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"]));
  lab.write("manifests/policy.yaml", policy);
  const records = [
    "--host-record=web.example.test,192.0.2.80,60",
    "--host-record=web.example.org,192.0.2.90,60",
  ];
  const server = lab.start("dns", "dnsmasq", [
    "--no-daemon",
    "--no-resolv",
    "--no-hosts",
    "--conf-file=/dev/null",
    ...records,
  ]);
  await once(server.stderr!, "data");
  return lab;
}

const resolve = (node: NodeLab, name: string) =>
  node.run("a", "dig", "+short", "+tries=3", "+time=2", "@192.0.2.53", name).trim();

describe.skipIf(reason)(`a pod under a rule with domain names${title}`, () => {
  it("reaches an address once a name of the rule resolved to it, and no other, also after a restart", async () => {
    const node = await labWithNames();
    const agent = await RunningAgent.ready(node, "--dns-server", "192.0.2.53");
    expect(await node.reaches("a", "192.0.2.80", 8080)).toBe(false);
    expect([resolve(node, "web.example.test"), resolve(node, "web.example.org")]).toEqual([
      "192.0.2.80",
      "192.0.2.90",
    ]);
    const reaches = (address: string) => node.reaches("a", address, 8080);
    const expectOneOfBoth = async () => {
      expect(await reaches("192.0.2.90")).toBe(false);
      await expect.poll(() => reaches("192.0.2.80")).toBe(true);
    };
    await expectOneOfBoth();
    await agent.stop("SIGKILL");
    await RunningAgent.ready(node, "--dns-server", "192.0.2.53");
    await expectOneOfBoth();
    expect(resolve(node, "web.example.test")).toBe("192.0.2.80");
  });
});
