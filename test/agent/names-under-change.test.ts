import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";

/* What names allowed outlives changes that leave it allowed, and ends with one that does not. */

const reason = noLabBecause("dnsmasq", "dig");
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout: 1_200_000 });

const [server, web] = ["192.0.2.53", "192.0.2.80"];

const policy = (...names: readonly string[]) => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: names}
spec:
  tier: Admin
  priority: 10
  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: a}}}}
  egress:
  - {name: dns, action: Accept, to: [{networks: [${server}/32, 10.9.0.53/32]}]}
  - {name: web, action: Accept, to: [{domainNames: ${JSON.stringify(names)}}]}
  - {name: nothing-else, action: Deny, to: [{networks: [0.0.0.0/0]}]}
`;

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

async function serveNames(node: NodeLab, where: string): Promise<void> {
  const records = ["--host-record=web.example.test,192.0.2.80,12"];
  const options = ["--no-daemon", "--no-resolv", "--no-hosts", "--conf-file=/dev/null", ...records];
  const dnsmasq = node.start(where, "dnsmasq", options);
  await once(dnsmasq.stderr!, "data");
}

const resolve = (node: NodeLab, from: string, at: string) =>
  node.run(from, "dig", "+short", "+tries=3", "+time=2", `@${at}`, "web.example.test").trim();

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((next) => setTimeout(next, 100));
}

describe.skipIf(reason)(`a connection that a name allowed${title}`, () => {
  it("survives its TTL, other policies, additional names and a lost table, until its name is removed", async () => {
    lab = await NodeLab.create({ a: "10.9.0.11", dns: server, web });
    const node = lab;
    node.write("manifests/pods.yaml", pods(["a", "10.9.0.11"]));
    node.write("manifests/policy.yaml", policy("web.example.test"));
    await serveNames(node, "dns");
    const agent = await RunningAgent.ready(node, "--dns-server", server);
    expect(resolve(node, "a", server)).toBe(web);
    const connection = node.talk("a", web, 8080);
    await connection.echo();

    await until(async () => !(await node.reaches("a", web, 8080)));
    await connection.echo();

    node.write("manifests/other.yaml", policy("other.example.test").replace("name: names", "name: zzz"));
    await agent.says("rules are in the kernel");
    await connection.echo();

    expect(resolve(node, "a", server)).toBe(web);
    node.write("manifests/policy.yaml", policy("web.example.test", "more.example.test"));
    await agent.says("rules are in the kernel");
    await connection.echo();
    await expect.poll(() => node.reaches("a", web, 8080)).toBe(true);

    const [, table] = /table inet (tierwall\S*)/.exec(node.nft("list", "tables"))!;
    node.nft("delete", "table", "inet", table!);
    await until(async () => Promise.resolve(node.nft("list", "tables").includes("inet tierwall")));
    await connection.echo();

    node.write("manifests/policy.yaml", policy("more.example.test"));
    await agent.says("rules are in the kernel");
    await until(async () => connection.isSilent());
  });
});

describe.skipIf(reason)(`DNS servers behind a Service${title}`, () => {
  const service = `
apiVersion: v1
kind: Namespace
metadata: {name: kube-system}
---
apiVersion: v1
kind: Pod
metadata: {name: dns, namespace: kube-system, labels: {k8s-app: kube-dns}}
spec: {nodeName: n1}
status: {phase: Running, podIPs: [{ip: 10.9.0.53}]}
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec:
  clusterIP: 10.96.0.10
  selector: {k8s-app: kube-dns}
  ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: dns, namespace: kube-system}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - from: [{namespaceSelector: {}, podSelector: {matchExpressions: [{key: app, operator: In, values: [a]}]}}]
`;

  it("are asked as the pod, where both its policies and theirs allow it", async () => {
    lab = await NodeLab.create({ a: "10.9.0.11", dns: "10.9.0.53", web });
    const node = lab;
    node.write("manifests/pods.yaml", pods(["a", "10.9.0.11"]));
    node.write("manifests/dns.yaml", service);
    node.write("manifests/policy.yaml", policy("web.example.test"));
    await serveNames(node, "dns");
    const agent = await RunningAgent.ready(node);
    expect(await node.reaches("a", web, 8080)).toBe(false);
    expect(resolve(node, "a", "10.96.0.10")).toBe(web);
    await expect.poll(() => node.reaches("a", web, 8080)).toBe(true);

    node.write("manifests/dns.yaml", service.replace("values: [a]", "values: [b]"));
    await agent.says("rules are in the kernel");
    expect(() => resolve(node, "a", "10.96.0.10")).toThrow("Command failed");
  });
});
