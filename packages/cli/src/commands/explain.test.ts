import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";
import { RunningCommand } from "../../testing/running-command.js";

afterAll(removeFolders);

const cluster = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
apiVersion: v1
kind: Namespace
metadata: {name: payments}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
status: {podIP: 10.0.0.1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: payments}
spec: {template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c, ports: [{name: https, containerPort: 8443}]}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: payments}
spec: {clusterIP: 10.96.0.1, selector: {app: api}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
status: {addresses: [{address: 192.168.1.1}]}
`;
const policies = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: only-https, namespace: payments}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - from: [{namespaceSelector: {matchLabels: {team: a}}}]
    ports: [{port: https}]
`;
const broken = policies.replace("podSelector", "podselector").replace("policyTypes", "policytypes");

const folder = folderOf({
  "cluster.yaml": cluster,
  "policies/payments.yaml": policies,
  "notes.txt": "not: [a manifest",
});
const explain = (...args: readonly string[]) =>
  tierwall(["explain", "-f", ".", "-R", ...args], { cwd: folder });
const verdictOf = (...args: readonly string[]) => {
  const { status, stdout, stderr } = explain(...args, "-o", "json");
  expect([status, stderr]).toEqual([0, ""]);
  return (JSON.parse(stdout) as { verdict: string }).verdict;
};

describe("explain", () => {
  it("answers as text, on stdout alone, with exit status 0 also for a denial", () => {
    const { status, stdout, stderr } = explain("--from", "shop/cart", "--to", "payments/api", "--port", "80");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")[0]).toMatch(/^✗ DENIED +shop\/cart → payments\/api/);
    expect(stdout).toContain("policies/payments.yaml:");
  });

  it("answers as JSON", () => {
    const { stdout } = explain("--from", "shop/cart", "--to", "payments/api", "--port", "8443", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Explanation",
      verdict: "Allow",
      flow: { protocol: "TCP", port: 8443 },
      egress: { verdict: "Allow", decidedBy: { type: "default" } },
      ingress: {
        verdict: "Allow",
        decidedBy: {
          group: "networking.k8s.io",
          kind: "NetworkPolicy",
          namespace: "payments",
          name: "only-https",
          direction: "ingress",
          ruleIndex: 0,
          tier: "network-policy",
          file: "policies/payments.yaml",
          line: 8,
        },
      },
    });
  });

  it("answers the same as YAML, without anchors", () => {
    const ask = ["--from", "shop/cart", "--to", "payments/api", "--port", "80"];
    const yaml = explain(...ask, "-o", "yaml").stdout;
    expect(parse(yaml)).toEqual(JSON.parse(explain(...ask, "-o", "json").stdout));
    expect(yaml).not.toMatch(/[&*]a\d/);
  });

  it.each([
    ["a workload by its kind", "shop/cart", "payments/Deployment/api", "8443", "Allow"],
    ["a workload by a short kind", "shop/cart", "payments/deploy/api", "https", "Allow"],
    ["a Service", "shop/cart", "payments/Service/front", "443", "Allow"],
    ["a Service by its address", "shop/cart", "10.96.0.1", "443", "Allow"],
    ["a pod by its address", "10.0.0.1", "payments/api", "8443", "Allow"],
    ["a new pod of the right team", "new:team=a/app=x", "payments/api", "8443", "Allow"],
    ["a new pod of another team", "new:team=b/app=x", "payments/api", "8443", "Deny"],
    ["an address outside", "203.0.113.7", "payments/api", "8443", "Deny"],
    ["an IPv6 address outside", "payments/api", "2001:db8::7", "443", "Allow"],
    ["a node", "payments/api", "node:worker-1", "22", "Allow"],
  ])("%s", (_what, from, to, port, verdict) =>
    expect(verdictOf("--from", from, "--to", to, "--port", port)).toBe(verdict),
  );

  it("--to may contain the port, and the protocol after it or in its own option", () => {
    const from = ["--from", "shop/cart"];
    expect(verdictOf(...from, "--to", "payments/api:8443/TCP")).toBe("Allow");
    expect(verdictOf(...from, "--to", "payments/api:8443/UDP")).toBe("Deny");
    expect(verdictOf(...from, "--to", "payments/api", "--port", "8443", "--protocol", "udp")).toBe("Deny");
    expect(verdictOf(...from, "--to", "payments/api", "--port", "8443/TCP")).toBe("Allow");
    expect(verdictOf(...from, "--to", "payments/api", "--protocol", "ICMP")).toBe("Deny");
    expect(verdictOf(...from, "--to", "payments/api:ICMP")).toBe("Deny");
  });

  it("without a port the answer is about every port", () => {
    const { stdout } = explain("--from", "shop/cart", "--to", "payments/api", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "Mixed", ports: expect.any(Array) as unknown });
    const udp = explain("--from", "shop/cart", "--to", "payments/api", "--protocol", "UDP", "-o", "json");
    expect(JSON.parse(udp.stdout)).toMatchObject({
      verdict: "Deny",
      ports: [{ protocol: "UDP", ports: "all" }],
    });
  });

  it("the same question twice gives the same answer, to the byte", () => {
    const ask = ["--from", "shop/cart", "--to", "payments/api", "-o", "json"];
    const first = explain(...ask);
    expect(first.status).toBe(0);
    expect(explain(...ask).stdout).toBe(first.stdout);
  });
});

describe("endpoints as arguments", () => {
  it.each([
    ["both", ["shop/cart", "payments/api:8443"], "Allow"],
    ["the port as an option", ["shop/cart", "payments/api", "--port", "80"], "Deny"],
    ["the source as an option", ["payments/api:8443", "--from", "shop/cart"], "Allow"],
    ["the destination as an option", ["shop/cart", "--to", "payments/api:8443"], "Allow"],
    ["a namespace for names without one", ["-n", "shop", "cart", "payments/api:8443"], "Allow"],
    ["the same, with options", ["-n", "shop", "--from", "cart", "--to", "payments/api:8443"], "Allow"],
    ["a kind, as for kubectl", ["-n", "payments", "shop/cart", "deploy/api:8443"], "Allow"],
    ["addresses and nodes are in no namespace", ["-n", "payments", "api", "node:worker-1:22"], "Allow"],
    ["an address", ["-n", "payments", "api", "2001:db8::7", "--port", "443"], "Allow"],
  ])("%s", (_what, args, verdict) => expect(verdictOf(...args)).toBe(verdict));

  it.each([
    [
      "a name alone is looked up",
      ["cart", "payments/api"],
      /TW1501.*has no namespace.*\n {2}Did you mean `shop\/cart`\?/,
    ],
    ["with its port", ["shop/cart", "api:8443"], /Did you mean `payments\/api:8443`\?/],
    ["a Service, too", ["shop/cart", "front"], /Did you mean `payments\/Service\/front`\?/],
    ["one that is nearly right", ["crat", "payments/api"], /Did you mean `shop\/cart`\?/],
    ["one that is not there", ["-n", "shop", "nothing", "payments/api"], /TW1502.*`shop\/nothing`/],
    [
      "a missing destination",
      ["shop/cart"],
      /the destination is missing; name both, as in `tierwall explain shop\/cart /,
    ],
    ["nothing at all", [], /the source and the destination are missing/],
    [
      "one too many",
      ["--from", "shop/cart", "payments/api", "shop/cart"],
      /`shop\/cart` is a third endpoint/,
    ],
  ])("%s", (_what, args, expected) => {
    const { status, stdout, stderr } = explain(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });
});

describe("--watch", () => {
  it("answers again when a file changes, and ends by Ctrl+C with the status of the last answer", async () => {
    const watched = folderOf({ "cluster.yaml": cluster });
    const command = new RunningCommand(["explain", "-f", watched, "shop/cart", "payments/api:80", "--watch"]);
    await command.says(/✓ ALLOWED/);
    writeFileSync(join(watched, "p.yaml"), broken);
    await command.says(/changed at [\d:]+\n[^]*TW1204[^]*Nothing was evaluated/);
    writeFileSync(join(watched, "p.yaml"), policies);
    await command.says(/✗ DENIED/);
    expect(await command.stop("SIGINT")).toBe(0);
  });

  it.each([
    [["-f", "-"], "standard input cannot be watched; save it to a file"],
    [["-f", "cluster.yaml", "--live"], "TW1009"],
  ])("%j is refused", (args, message) => {
    const { status, stderr } = tierwall(["explain", ...args, "shop/cart", "payments/api", "--watch"], {
      cwd: folder,
      input: cluster,
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("input", () => {
  const ask = ["--from", "shop/cart", "--to", "payments/api:80/TCP", "-o", "json"];
  const run = (args: readonly string[], input = "") =>
    tierwall(["explain", ...args, ...ask], { cwd: folder, input });
  const verdict = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { verdict: string }).verdict;

  it("-f takes files, one after the other", () => {
    expect(verdict(run(["-f", "cluster.yaml"]))).toBe("Allow");
    expect(verdict(run(["-f", "cluster.yaml", "-f", "policies/payments.yaml"]))).toBe("Deny");
  });

  it("a folder is read without those below it, unless -R says so", () => {
    expect(verdict(run(["-f", "."]))).toBe("Allow");
    expect(verdict(run(["-f", ".", "-R"]))).toBe("Deny");
  });

  it("a file that is named twice is read once", () => {
    expect(run(["-f", "cluster.yaml", "-f", "./cluster.yaml", "-f", "."]).status).toBe(0);
  });

  it("- is standard input, with files or alone", () => {
    expect(verdict(run(["-f", "-"], cluster))).toBe("Allow");
    expect(verdict(run(["-f", "cluster.yaml", "-f", "-"], policies))).toBe("Deny");
  });

  it("JSON, Lists and typed lists come in the same way", () => {
    const items = cluster.split("---\n").map((text) => parse(text) as { kind: string });
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    expect(verdict(run(["-f", "-"], list))).toBe("Allow");
    const pods = { apiVersion: "v1", kind: "PodList", items: items.filter(({ kind }) => kind === "Pod") };
    expect(
      verdict(run(["-f", "policies", "-f", "-"], `${JSON.stringify(pods)}\n${JSON.stringify(items[3])}`)),
    ).toBe("Deny");
  });

  it("a place on standard input is called so", () => {
    const { status, stderr } = run(["-f", "-"], broken);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^<stdin>:5:3 {2}error TW1204/);
  });
});

describe("bad input: exit status 2, nothing on stdout", () => {
  it.each([
    [
      "no such pod",
      ["-f", ".", "--from", "shop/crat", "--to", "payments/api"],
      /TW1502.*did you mean `shop\/cart`\?/,
    ],
    ["no endpoint", ["-f", ".", "--from", "cart", "--to", "payments/api"], /TW1501/],
    [
      "no such port",
      ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "--port", "http"],
      /TW1504.*https \(8443\/TCP\)/,
    ],
    ["no port", ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "--port", "0"], /TW1503/],
    [
      "no file",
      ["-f", "nowhere.yaml", "--from", "shop/cart", "--to", "payments/api"],
      /TW1004.*does not exist/,
    ],
    ["no cluster, and no files", ["--from", "shop/cart", "--to", "payments/api"], /TW1009.*kubeconfig[^]*-f/],
    ["no --to", ["-f", ".", "--from", "shop/cart"], /destination is missing.*--to/],
    [
      "an invalid CIDR",
      ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "--pod-cidr", "10.0.0.0/33"],
      /10\.0\.0\.0\/33.*CIDR/,
    ],
    [
      "an unknown format",
      ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "-o", "xml"],
      /text, json, yaml/,
    ],
    [
      "an unknown protocol",
      ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "--protocol", "foo"],
      /TCP, UDP, SCTP/,
    ],
    [
      "an unknown protocol, with a port",
      ["-f", ".", "--from", "shop/cart", "--to", "payments/api", "--port", "80", "--protocol", "foo"],
      /foo/i,
    ],
  ])("%s", (_what, args, expected) => {
    const { status, stdout, stderr } = tierwall(["explain", ...args], { cwd: folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });

  it("S10.1: all errors of all files together, with a frame, and nothing evaluated", () => {
    const bad = folderOf({ "cluster.yaml": cluster, "a.yaml": broken, "b.yaml": "kind: [\n" });
    const args = ["explain", "-f", ".", "--from", "shop/cart", "--to", "payments/api"];
    const { status, stdout, stderr } = tierwall(args, { cwd: bad });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("a.yaml:5:3  error TW1204");
    expect(stderr).toContain("a.yaml:6:3  error TW1204");
    expect(stderr).toMatch(/b\.yaml:\d+:\d+ {2}error TW1001/);
    expect(stderr).toMatch(/5 \| {3}podselector: \{\}\n +\| {3}\^{11}\n/);
    expect(stderr).toMatch(/errors in 2 of 3 files\. Nothing was evaluated\./);
  });

  it("S10.1: --keep-going answers, and says what was left out", () => {
    const bad = folderOf({ "cluster.yaml": cluster, "a.yaml": broken });
    const args = [
      "explain",
      "-f",
      ".",
      "--from",
      "shop/cart",
      "--to",
      "payments/api:80",
      "--keep-going",
      "-v",
      "-o",
      "json",
    ];
    const { status, stdout, stderr } = tierwall(args, { cwd: bad });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "Allow" });
    expect(stderr).toMatch(/`only-https` has errors and was skipped/);
  });
});

describe("what the input does not contain", () => {
  const names =
    "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: names}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Accept, to: [{domainNames: [example.com]}]}, {action: Deny, to: [{networks: [0.0.0.0/0]}]}]}}";
  const away = folderOf({
    "cluster.yaml": cluster,
    "names.yaml": names,
    "dns/records.yaml": "example.com: [203.0.113.7]\nother.example.com: 203.0.113.8\n",
    "dns/bad.yaml": "example.com: [203.0.113.7, 203.0.113.256]\n",
  });
  const ask = (...args: readonly string[]) =>
    tierwall(["explain", "-f", ".", "--from", "shop/cart", "--port", "443", "-o", "json", ...args], {
      cwd: away,
    });
  const verdict = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { verdict: string }).verdict;

  it("S8.3: --dns settles what a name resolves to", () => {
    expect(verdict(ask("--to", "203.0.113.7"))).toBe("Undecided");
    expect(verdict(ask("--to", "203.0.113.7", "--dns", "dns/records.yaml"))).toBe("Allow");
    expect(verdict(ask("--to", "203.0.113.8", "--dns", "dns/records.yaml"))).toBe("Deny");
  });

  it("--dns with an invalid address is refused with its place", () => {
    const { status, stderr } = ask("--to", "203.0.113.7", "--dns", "dns/bad.yaml");
    expect(status).toBe(2);
    expect(stderr).toMatch(/dns\/bad\.yaml:1:28 {2}error TW1309/);
  });

  it("S7.12: --cilium-enforcement always isolates, never leaves the tier out", () => {
    const enforced = (mode: string) =>
      verdict(
        tierwall(
          [
            "explain",
            "-f",
            ".",
            "-R",
            "--from",
            "shop/cart",
            "--to",
            "payments/api:80",
            "--cilium-enforcement",
            mode,
            "-o",
            "json",
          ],
          { cwd: folder },
        ),
      );
    expect([enforced("default"), enforced("always"), enforced("never")]).toEqual(["Deny", "Deny", "Allow"]);
  });

  it("S3.6: --input cluster reads a newer API safely, --input file calls it a mistake", () => {
    const newer = folderOf({
      "cluster.yaml": cluster,
      "p.yaml": names.replace("{networks: [0.0.0.0/0]}", "{galaxies: [m31]}"),
    });
    const args = (input: string) => [
      "explain",
      "-f",
      ".",
      "--from",
      "shop/cart",
      "--to",
      "203.0.113.7:443",
      "--input",
      input,
      "-o",
      "json",
    ];
    expect(tierwall(args("file"), { cwd: newer }).status).toBe(2);
    const live = tierwall(args("cluster"), { cwd: newer });
    expect([live.status, verdict(live)]).toEqual([1, "Undecided"]);
    expect(live.stderr).toContain("TW2015");
  });
});
