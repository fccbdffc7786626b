import { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { ciliumOptions, withCiliumFlags } from "./cilium-flags.js";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

function parsed(...args: readonly string[]) {
  const command = withCiliumFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse([...args], { from: "user" });
  return ciliumOptions(command.opts());
}

describe("how Cilium is set up", () => {
  it.each([
    [[], {}],
    [["--cilium-enforcement", "never"], { ciliumEnforcement: "never" }],
    [["--cilium-cluster-name", "east"], { ciliumClusterName: "east" }],
    [["--cilium-labels", "k8s:app"], { ciliumLabels: ["k8s:app"] }],
    [
      ["--cilium-labels", " k8s:app  !team ", "--cilium-labels", "k8s:!x{1,2}"],
      { ciliumLabels: ["k8s:app", "!team", "k8s:!x{1,2}"] },
    ],
  ])("%j is %j", (args, options) => {
    expect(parsed(...args)).toEqual(options);
  });

  it.each([
    ["k8s:["],
    ["k8s:"],
    [""],
    ["app team("],
    ["(a+)+$"],
    ["(a|a)(a|a)"],
    [".*.*.*x"],
    [`a${"b".repeat(256)}`],
  ])("S7.15: `%s` is no expression for labels", (text) => {
    expect(() => parsed("--cilium-labels", text)).toThrow("is not an expression for labels");
  });

  it("S7.15, S7.16: verdicts follow from it", () => {
    const cwd = folderOf({
      "all.yaml": `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: shop, labels: {app: db}}
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: db, namespace: shop}
spec:
  endpointSelector: {matchLabels: {app: db}}
  ingress: [{fromEndpoints: [{matchLabels: {io.cilium.k8s.policy.cluster: east}}]}]
`,
    });
    const verdict = (...options: readonly string[]) => {
      const { stdout } = tierwall(
        ["explain", "-f", "all.yaml", "--from", "shop/web", "--to", "shop/db:80", "-o", "json", ...options],
        { cwd },
      );
      return (JSON.parse(stdout) as { verdict: string }).verdict;
    };
    expect(verdict()).toBe("Deny");
    expect(verdict("--cilium-cluster-name", "east")).toBe("Allow");
    expect(verdict("--cilium-labels", "k8s:!app")).toBe("Allow");
  });
});
