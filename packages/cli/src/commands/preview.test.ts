import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cluster = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: coredns, namespace: shop, labels: {k8s-app: kube-dns}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open, namespace: shop}
spec: {podSelector: {}, ingress: [{}]}
`;
const deny = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: deny}
spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}
`;

describe("tierwall preview", () => {
  const folder = folderOf({
    "cluster.yaml": cluster,
    "deny.yaml": deny,
    "broken.yaml": deny.replace("action: Deny", "action: Denied"),
    "same.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
  });
  const preview = (args: readonly string[], input = "") =>
    tierwall(["preview", "-f", "cluster.yaml", ...args], { cwd: folder, input });

  it("reports what would change, and exits with 0", () => {
    const { status, stdout, stderr } = preview(["--apply", "deny.yaml"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`+ ClusterNetworkPolicy deny · deny.yaml:1

newly denied  6 connections  from shop 6
  by ClusterNetworkPolicy deny rule 1 · deny.yaml:4
    6  every workload → every workload on every port
         was allowed by NetworkPolicy shop/open rule 1 · cluster.yaml:20

lockouts  1 finding
  DNS: 2 workloads lose it :53/UDP :53/TCP (4 connections): shop/cart, shop/web
      by ClusterNetworkPolicy deny rule 1 · deny.yaml:4
      for example shop/web → shop/coredns :53/UDP ← add a rule before this one
        that allows it

overrides  1 finding
  NetworkPolicy shop/open: 6 connections that it allows (ingress) are denied
      by ClusterNetworkPolicy deny rule 1 · deny.yaml:4
      for example shop/cart → shop/web :443/TCP

not checked: API server (not in the input)
`);
  });

  it.each([
    ["lockout", 1],
    ["newly-allowed,overrides", 1],
    ["newly-allowed,ambiguity", 0],
  ])("--fail-on %s exits with %d", (what, status) => {
    const ran = preview(["--apply", "deny.yaml", "--fail-on", what]);
    expect(ran.status).toBe(status);
    if (status === 1) expect(ran.stderr).toContain("failed on ");
  });

  it("takes what is to be applied from standard input", () => {
    const { status, stdout } = preview(["--apply", "-", "-o", "json"], deny);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Preview",
      edits: [{ what: "added", object: "ClusterNetworkPolicy deny" }],
      summary: { newlyDenied: 6 },
      overrides: [{ policy: { name: "open" }, intent: "allows", rule: { name: "deny", tier: "admin" } }],
      lockouts: [{ from: "DNS", after: "Deny", decidedAfter: { ingress: { verdict: "Deny" } } }],
      unchecked: ["API server"],
      cutOff: [],
    });
  });

  it("reports what deleting a whole kind would change", () => {
    const { stdout } = preview(["--delete", "networkpolicies"]);
    expect(stdout).toBe(`- NetworkPolicy shop/open · cluster.yaml:17

no difference: the same connections are allowed, denied and undecided

not checked: API server (not in the input)
`);
  });

  it("annotates errors where pods are locked out", () => {
    expect(preview(["--apply", "deny.yaml", "-o", "github"]).stdout).toMatch(
      /^::error file=deny\.yaml,line=1,col=1,endColumn=\d+,title=lockouts::DNS: 2 workloads lose it/,
    );
    expect(preview(["--apply", "deny.yaml", "-o", "md"]).stdout).toContain("### Lockouts: 1 finding");
  });

  it.each([
    [["--apply", "nowhere.yaml"], "`nowhere.yaml` cannot be read: it does not exist"],
    [["--apply", "broken.yaml"], "`Denied`"],
    [["--delete", "NetworkPolicy/shop/opne"], "did you mean `shop/open`?"],
    [["--delete", "Network"], "`Network` is not a known kind"],
    [["--apply", "deny.yaml", "--fail-on", "lockouts"], "`lockouts` is not one of newly-denied"],
    [["-f", "-", "--apply", "-"], "standard input can be read only once"],
  ])("exits with 2 on %j", (args, why) => {
    const { status, stdout, stderr } = preview(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(why);
  });

  const without = (args: readonly string[], cwd: string) =>
    tierwall(["preview", ...args], { cwd, env: { KUBECONFIG: "/nowhere/kubeconfig" } });

  it("exits with 2 where there is nothing to preview", () => {
    const { status, stderr } = without([], folder);
    expect([status, stderr]).toEqual([
      2,
      "nothing to preview; name objects with `--apply FILE`, or with `--delete KIND/NAME`\n",
    ]);
  });

  it("takes -f alone for what would be applied to the cluster", () => {
    const { status, stdout, stderr } = without(["-f", "deny.yaml"], folder);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^-f alone names what would be applied to the cluster[^]*TW1009[^]*\/nowhere\/kubeconfig/,
    );
  });

  it("takes what tierwall.yaml names for the state, not for what would be applied", () => {
    const configured = folderOf({ "tierwall.yaml": "filename: [cluster.yaml]\n", "cluster.yaml": cluster });
    const { status, stderr } = without([], configured);
    expect(status).toBe(2);
    expect(stderr).toContain("nothing to preview");
    expect(stderr).toContain("what `-f` names is the state that they change");
  });
});
