import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const pods = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: payments}
status: {podIP: 10.0.0.2}
`;
const admin = (name: string) => `# ${name} stays
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: ${name}}
spec:
  priority: 10
  subject: {namespaces: {}}
  ingress: [{action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: 22}}]}]
`;
const everySource = `apiVersion: netpol.networking.k8s.io/v1alpha1
kind: ClusterNetworkPolicy
metadata: {name: quarantine}
spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Deny}]}
`;
const conditional = `apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: http}
spec:
  endpointSelector: {}
  ingress: [{toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{path: /}]}}]}]
`;
const convert = (files: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  tierwall(["convert", "-f", ".", "--to", "cluster-network-policy", ...args], { cwd: folderOf(files) });

describe("convert", () => {
  it("prints the new policies alone, and says on stderr that they are proven", () => {
    const { status, stdout, stderr } = convert({ "pods.yaml": pods, "policies.yaml": admin("guard") });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^# guard stays\napiVersion: policy.networking.k8s.io\/v1alpha2\n/);
    expect(parseAllDocuments(stdout)).toHaveLength(1);
    expect(stderr).toContain("✓ proven: 1 policy became 1");
  });

  it("converts only the named policies, as kubectl names them", () => {
    const files = { "pods.yaml": pods, "a.yaml": admin("a"), "b.yaml": admin("b") };
    const { status, stdout } = convert(files, "--only", "adminnetworkpolicies/b");
    expect(status).toBe(0);
    expect(stdout).toContain("name: b");
    expect(stdout).not.toContain("name: a");
    expect(convert(files, "--only", "AdminNetworkPolicy").stdout).toContain("name: a");
  });

  it("a policy that is not there is an error", () => {
    const { status, stdout, stderr } = convert(
      { "pods.yaml": pods, "a.yaml": admin("a") },
      "--only",
      "AdminNetworkPolicy/x",
    );
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("TW1602  there is no policy `AdminNetworkPolicy/x` in the input");
  });

  it("prints nothing that is not proven, unless asked to, and says what differs", () => {
    const files = { "pods.yaml": pods, "policies.yaml": everySource };
    const { status, stdout, stderr } = convert(files);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("✗ not proven");
    expect(stderr).toContain("0.0.0.0 → shop/cart every port: Deny → Allow");
    const all = convert(files, "--unproven");
    expect(all.status).toBe(1);
    expect(all.stdout).toContain("name: quarantine");
  });

  it("without pods nothing is proven", () => {
    const { status, stdout, stderr } = convert({ "policies.yaml": admin("guard") });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("NOT PROVEN");
  });

  it("refuses with the place and the reason", () => {
    const { status, stdout, stderr } = convert({ "pods.yaml": pods, "policies.yaml": conditional });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("policies.yaml:6:13  error TW1601  `spec.ingress[0]` inspects requests (http)");
    expect(stderr).toContain("✗ refused");
  });

  it("reports everything as JSON, whatever the outcome", () => {
    const { status, stdout } = convert({ "pods.yaml": pods, "policies.yaml": everySource }, "-o", "json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "Conversion",
      proven: false,
      changedPairs: expect.any(Number) as number,
    });
  });

  it("reports nothing about a cluster without such policies", () => {
    const { status, stdout, stderr } = convert({ "pods.yaml": pods });
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("there is nothing to convert");
  });

  it.each([
    ["no target", ["convert", "-f", "."]],
    ["an unknown target", ["convert", "-f", ".", "--to", "iptables"]],
    ["a missing file", ["convert", "-f", "nowhere.yaml", "--to", "network-policy"]],
  ])("%s is an error", (_, args) => {
    const { status, stdout } = tierwall(args, { cwd: folderOf({ "pods.yaml": pods }) });
    expect([status, stdout]).toEqual([2, ""]);
  });
});
