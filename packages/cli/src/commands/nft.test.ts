import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cluster = (port: string) => `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop, labels: { app: web } }
spec: { nodeName: worker-1, containers: [{ name: main }] }
status: { phase: Running, podIPs: [{ ip: 10.0.0.1 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: other, namespace: shop, labels: { app: other } }
spec: { nodeName: worker-2, containers: [{ name: main }] }
status: { phase: Running, podIPs: [{ ip: 10.0.1.2 }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web, namespace: shop }
spec:
  podSelector: { matchLabels: { app: web } }
  ingress: [{ ports: [{ port: ${port} }] }]
`;
const cwd = folderOf({ "now.yaml": cluster("80"), "later.yaml": cluster("81") });
const nft = (...args: readonly string[]) => tierwall(["nft", "-f", "now.yaml", ...args], { cwd });

describe("tierwall nft", () => {
  it("prints a table, and names who is behind its parts", () => {
    const { status, stdout } = nft("--node", "worker-1");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^table inet tierwall \{\n/);
    expect(stdout).toContain("# Allow (ingress): NetworkPolicy shop/web rule 1 · now.yaml:19\n");
    expect(stdout).toContain("# shop/web\n");
  });

  it("--no-annotate leaves that out", () => {
    const { stdout } = nft("--node", "worker-1", "--no-annotate");
    expect(stdout).toContain("tcp dport 80 counter name");
    expect(stdout).not.toContain("#");
  });

  it("holds nothing of rules that are about pods of other nodes", () => {
    expect(nft("--node", "worker-2").stdout).toBe("table inet tierwall {\n}\n");
    const { stdout } = nft("--node", "worker-2", "--pod-range", "10.0.1.0/24");
    expect(stdout).not.toContain("shop/web");
    expect(stdout).toContain("10.0.1.2 # shop/other");
  });

  it("holds back unknown pods in the range that the Node has, and in another that is given, as the agent does", () => {
    const folder = folderOf({
      "now.yaml": `${cluster("80")}---\napiVersion: v1\nkind: Node\nmetadata: { name: worker-1 }\nspec: { podCIDRs: [10.0.0.0/24] }\n`,
    });
    const of = (...more: readonly string[]) =>
      tierwall(["nft", "-f", "now.yaml", "--node", "worker-1", ...more], { cwd: folder }).stdout;
    expect(of()).toContain("ip saddr 10.0.0.0/24 goto unknown_egress");
    expect(of("--pod-range", "10.0.0.0/28")).toContain("ip saddr 10.0.0.0/28 goto unknown_egress");
    expect(of("--pod-range", "10.0.0.0/28")).not.toContain("10.0.0.0/24");
    expect(of("--unknown-pods", "allow")).not.toContain("unknown_egress");
    // A range that holds a pod of another node says nothing.
    expect(of("--pod-range", "10.0.0.0/16")).not.toContain("10.0.0.0/16");
  });

  it("has what sends DNS queries to the agent, where a rule names a domain", () => {
    const names = `
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: { name: outside }
spec:
  tier: Admin
  priority: 1
  subject: { namespaces: {} }
  egress: [{ action: Accept, to: [{ domainNames: [example.com] }] }]
`;
    const folder = folderOf({ "now.yaml": cluster("80") + names });
    const { stdout } = tierwall(["nft", "-f", "now.yaml", "--node", "worker-1"], { cwd: folder });
    expect(stdout).toContain("chain dns_in {");
    expect(nft("--node", "worker-1").stdout).not.toContain("chain dns_in");
  });

  it("--diff prints what another state changes, and is status 1", () => {
    const { status, stdout } = nft("--node", "worker-1", "--diff", "later.yaml");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^- {5}tcp dport 80 counter name "r_\w+" goto stamp$/m);
    expect(stdout).toMatch(/^\+ {5}tcp dport 81 counter name "r_\w+" goto stamp$/m);
  });

  it("--diff is status 0 where nothing differs on the node", () => {
    const { status, stdout, stderr } = nft("--node", "worker-2", "--diff", "later.yaml");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("nothing differs on this node");
  });

  it("takes the options of the node", () => {
    const options = ["--deny", "reject", "--pod-range", "10.0.0.0/24", "--log-group", "7"];
    const { stdout } = nft("--node", "worker-1", ...options, "--connmark-mask", "0x00ff0000");
    expect(stdout).toContain("reject with icmpx 3");
    expect(stdout).toContain("ip saddr 10.0.0.0/24 goto unknown_egress");
    expect(stdout).toContain("group 7");
    expect(stdout).toContain("ct mark & 0x00fd0000 == 0x00040000 accept");
  });

  it.each([
    ["no node", [], "required option '--node <name>' not specified"],
    ["a node that is not there", ["--node", "worker-3"], "there is no node `worker-3`"],
    ["a mask with a hole", ["--node", "worker-1", "--connmark-mask", "0xff0f0000"], "bits in a row"],
    ["a mask that is too small", ["--node", "worker-1", "--connmark-mask", "0x7f"], "bits in a row"],
    ["a group that is no number", ["--node", "worker-1", "--log-group", "x"], "not a whole number"],
    ["another state that is not there", ["--node", "worker-1", "--diff", "gone.yaml"], "gone.yaml"],
  ])("%s is status 2, with what to do", (_, args, message) => {
    const { status, stdout, stderr } = nft(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
