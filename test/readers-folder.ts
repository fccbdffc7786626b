import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { folderOf } from "../packages/cli/testing/run-command.js";

/* A folder with the files that documented commands name, in which they are run as a reader would. */

const root = fileURLToPath(new URL("..", import.meta.url));

const namespace = (name: string, labels = "") =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {team: ${name}${labels}}}}`;
const workload = (namespaceName: string, name: string, port: number) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}, namespace: ${namespaceName}}, spec: {template: {metadata: {labels: {app: ${name}}}, ` +
  `spec: {containers: [{name: c, ports: [{name: web, containerPort: ${port}}]}]}}}}`;
const networkPolicy = (name: string, spec: string) =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}`;

const workloads = [
  namespace("shop"),
  namespace("payments", ', pci: "true"'),
  namespace("team-a-dev"),
  "{apiVersion: v1, kind: Node, metadata: {name: worker-1}, spec: {podCIDRs: [10.244.1.0/24]}}",
  workload("shop", "cart", 8080),
  workload("shop", "web", 8080),
  workload("payments", "api", 8443),
  workload("team-a-dev", "tool", 80),
].join("\n---\n");
const ownPolicies = [
  networkPolicy("allow-all", "{podSelector: {}, ingress: [{}]}"),
  "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: tenants}, spec: {priority: 20, subject: {namespaces: " +
    "{matchLabels: {team: shop}}}, ingress: [{name: no-team-a, action: Deny, from: [{namespaces: {matchLabels: {team: team-a-dev}}}]}]}}",
].join("\n---\n");
const denyAll = networkPolicy("deny-all", "{podSelector: {}, policyTypes: [Ingress]}");
const test =
  "{apiVersion: tierwall.dev/v1, kind: ConnectivityTest, metadata: {name: t}, spec: {GIVEN expect: " +
  '[{from: shop/web, to: "shop/cart:8080/TCP", verdict: Allow}]}}\n';
const flows = '{"from": "shop/web", "to": "shop/cart", "port": 8080, "protocol": "TCP"}\n';
const conntrack =
  "tcp 6 431999 ESTABLISHED src=10.244.1.2 dst=10.244.1.3 sport=40000 dport=8080 src=10.244.1.3 dst=10.244.1.2 sport=8080 dport=40000 [ASSURED] mark=0 use=1\n";

/** What an installation brings; `npx` starts the same command, as it does in a clone (cluster/fresh-clone.test.ts has the real one). */
const installed = (): Readonly<Record<string, string>> => {
  const program = (name: string) => `exec ${process.execPath} ${join(root, "packages/cli/bin", name)} "$@"`;
  return {
    tierwall: program("tierwall.js"),
    "kubectl-tierwall": program("kubectl-tierwall.js"),
    npx: `shift\n${program("tierwall.js")}`,
  };
};

/** Programs that need something no test machine has: Cilium, connections of pods, a desktop. All others are the real ones. */
const standIns = (folder: string): Readonly<Record<string, string>> => ({
  hubble: `cat ${join(folder, "flows.jsonl")}`,
  conntrack: `cat ${join(folder, "conntrack.txt")}`,
  "xdg-open": "exit 0",
});

const needed = ["kubectl", "jq", "nft", "curl", "openssl"] as const;
const isMissing = (program: string) =>
  spawnSync("bash", ["-c", `command -v ${program}`]).status !== 0 ||
  // It asks the kernel, even when it only checks.
  (program === "nft" && process.getuid?.() !== 0);
const missing = needed.filter(isMissing);

/** Why a line cannot be run on this machine; undefined if it can. */
export function missingFor(line: string): string | undefined {
  const program = missing.find((name) => new RegExp(String.raw`(?:^|[|(] *)${name} `).test(line));
  return program === undefined ? undefined : `no ${program} in PATH, or no permission to use it`;
}

export class ReadersFolder {
  readonly folder: string;
  /** A repository with nothing but manifests, for commands about `.`. */
  private readonly repository: string;

  constructor(private readonly env: Readonly<Record<string, string>> = {}) {
    const pci = readFileSync(join(root, "examples/guarantees-pci/policies.yaml"), "utf8");
    const refuted = readFileSync(join(root, "examples/guarantees-pci/refuted.yaml"), "utf8");
    const cluster = { "workloads.yaml": workloads, "policies.yaml": ownPolicies };
    const manifests = (path: string) =>
      Object.fromEntries(Object.entries(cluster).map(([name, text]) => [`${path}/${name}`, text]));
    this.folder = folderOf({
      ...manifests("cluster"),
      ...manifests("manifests"),
      ...manifests("before"),
      ...manifests("after"),
      "after/deny.yaml": denyAll,
      "cluster.yaml": workloads,
      "cluster.json": snapshot(),
      "snapshot.json": snapshot(),
      "monday.json": snapshot(),
      "policies/pci.yaml": pci,
      "policies/connectivity.yaml": test.replace("GIVEN", "given: [../cluster],"),
      "policies-old/a.yaml": ownPolicies,
      "policies-new/a.yaml": denyAll,
      "policies-before/a.yaml": ownPolicies,
      "policies-after/a.yaml": denyAll,
      "guarantees/refuted.yaml": refuted.replace("given: [policies.yaml]", "given: [../policies/pci.yaml]"),
      "tests/connectivity.yaml": test.replace("GIVEN", ""),
      "deny-all.yaml": denyAll,
      "deny-all-ingress.yaml": denyAll,
      "new-policy.yaml": denyAll,
      "shop.yaml": denyAll,
      "flows.jsonl": flows,
      "conntrack.txt": conntrack,
      "home/.config/fish/completions/x": "",
      "home/.curlrc": 'fail-with-body\nconnect-to = "policies.example.com:8080:127.0.0.1:8080"\n',
      "ca.crt": "the authority of the API server's client certificate\n",
      "token.txt": "0123456789abcdef0123456789abcdef0123456789abcdef\n",
      ...manifests("new"),
      "repository/workloads.yaml": workloads,
      "repository/cluster/policies.yaml": ownPolicies,
      "repository/policies/pci.yaml": pci,
    });
    this.repository = join(this.folder, "repository");
    for (const name of ["flows.jsonl", "cluster.json", "monday.json"])
      writeFileSync(join(this.folder, `${name}.gz`), gzipSync(readFileSync(join(this.folder, name))));
    for (const name of ["examples", "deploy"])
      cpSync(join(root, name), join(this.folder, name), { recursive: true });
    mkdirSync(join(this.folder, "bin"));
    for (const [name, script] of Object.entries({ ...installed(), ...standIns(this.folder) })) {
      writeFileSync(join(this.folder, "bin", name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(this.folder, "bin", name), 0o755);
    }
    this.makeRepository(this.folder, "cluster policies");
    this.makeRepository(this.repository, ".");
  }

  /** Runs a line as it is printed. */
  run(line: string): { readonly status: number | null; readonly output: string } {
    const isAboutHere =
      /(?:^| )(?:-f \.|\.|init|init --dry-run|init -f cluster -f policies --ci gitlab)(?: |$)/.test(line);
    const cwd = isAboutHere && !line.includes("./") ? this.repository : this.folder;
    // This shell is bash: sourcing the script for zsh is tested in zsh.
    const script = line.replace(/^source <\((.* zsh)\)$/, "$1 > /dev/null");
    return this.shell(cwd, script);
  }

  /** The variables that make a shell that of the reader. */
  environment(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return {
      KUBECONFIG: "/nonexistent/kubeconfig",
      HOME: join(this.folder, "home"),
      PATH: `${join(this.folder, "bin")}${delimiter}${process.env.PATH}`,
      ...this.env,
      ...more,
    };
  }

  private shell(cwd: string, script: string) {
    const { GITHUB_STEP_SUMMARY: _, ...inherited } = process.env;
    const { status, stdout, stderr, error } = spawnSync("bash", ["-o", "pipefail", "-c", script], {
      cwd,
      input: "",
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      env: { ...inherited, ...this.environment() },
    });
    if (error !== undefined) throw error;
    return { status, output: `${stdout}${stderr}` };
  }

  /** With the revisions that examples of diff name. */
  private makeRepository(cwd: string, paths: string): void {
    const git = "git -c user.name=reader -c user.email=reader@example.com";
    const { status, output } = this.shell(
      cwd,
      `git init -q -b main . && ${git} add ${paths} && ${git} commit -qm first && git tag v1.2 && git update-ref refs/remotes/origin/main HEAD`,
    );
    if (status !== 0) throw new Error(output);
  }
}

/** As `kubectl get -o json` prints it. */
function snapshot(): string {
  const pod = (namespaceName: string, name: string, i: number) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: namespaceName, uid: `${i}`, labels: { app: name } },
    spec: { containers: [{ name: "c" }] },
    status: { podIP: `10.244.1.${i}`, podIPs: [{ ip: `10.244.1.${i}` }] },
  });
  const items = [pod("shop", "cart", 2), pod("shop", "web", 3), pod("payments", "api", 4)];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
