import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cluster = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {nodeName: worker-1, containers: [{name: main}]}
status: {phase: Running, podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {nodeName: worker-1, containers: [{name: main}]}
status: {phase: Running, podIP: 10.0.0.2}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: 80}]}]}
`;
const calico = `apiVersion: crd.projectcalico.org/v1
kind: GlobalNetworkPolicy
metadata: {name: deny-all}
spec: {selector: all(), types: [Ingress, Egress]}
`;
const istio = `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: deny-all, namespace: shop}
spec: {}
`;
const cwd = folderOf({
  "state/cluster.yaml": cluster,
  "state/calico.yaml": calico,
  "state/istio.yaml": istio,
  "plain/cluster.yaml": cluster,
  "other/calico.yaml": calico.replace("types:", "order: 1, types:"),
  "config/tierwall.yaml": "ignoreApi: [crd.projectcalico.org]\n",
  "tests/reach.yaml": `apiVersion: tierwall.dev/v1
kind: ConnectivityTest
metadata: {name: reach}
spec: {given: [../state], expect: [{from: shop/cart, to: "shop/web:80/TCP", verdict: Allow}]}
`,
});
const asked = ["--from", "shop/cart", "--to", "shop/web", "--port", "80"];
const run = (...args: readonly string[]) => tierwall(args, { cwd });
const ignoring = ["--ignore-api", "crd.projectcalico.org"];

interface Answer {
  readonly verdict: string;
  readonly caveats: readonly { readonly kind: string; readonly text: string }[];
}

describe("policies of APIs that are not evaluated", () => {
  it("S9.3: explain says Undecided, names the object, and does not exit with 0", () => {
    const { status, stdout } = run("explain", "-f", "state", ...asked);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^\? UNDECIDED {3}shop\/cart → shop\/web:80\/TCP\n! caveat: Istio /);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "whether Calico GlobalNetworkPolicy deny-all allows or denies it",
    );
    expect(stdout).not.toContain("✓ ALLOWED");
  });

  it("S9.6: --ignore-api leaves them out, with a caveat; so does tierwall.yaml", () => {
    const question = ["explain", "-f", "state", ...asked, "-o", "json"];
    for (const args of [
      [...question, ...ignoring],
      ["--config", "config/tierwall.yaml", ...question],
    ]) {
      const { status, stdout } = run(...args);
      const { verdict, caveats } = JSON.parse(stdout) as Answer;
      expect([status, verdict]).toEqual([0, "Allow"]);
      expect(caveats.map(({ kind }) => kind)).toEqual(["mesh", "ignored"]);
    }
  });

  it("S9.6: a group that is not known is an error that lists those that are", () => {
    const { status, stderr } = run("explain", "-f", "state", ...asked, "--ignore-api", "projectcalico.com");
    expect(status).toBe(2);
    expect(stderr).toContain("`projectcalico.com` is not a policy API that Tierwall recognises");
    expect(stderr).toContain("networking.k8s.aws");
  });

  it("S9.3: test fails an assertion that becomes Undecided, and names the object", () => {
    const { status, stdout } = run("test", "tests");
    expect(status).toBe(1);
    expect(stdout).toContain("expected Allow, found Undecided");
    expect(stdout).toContain("GlobalNetworkPolicy deny-all may allow or deny it");
    expect(run("test", "tests", ...ignoring).status).toBe(0);
  });

  it.each([
    ["matrix", ["matrix", "-f", "state"]],
    ["diff", ["diff", "state", "state"]],
    ["preview", ["preview", "-f", "state", "--delete", "NetworkPolicy/web"]],
    ["lookup", ["lookup", "-f", "state", "shop/web"]],
  ])("S9.5: %s says how many connections depend on which objects, in text and JSON", (_, args) => {
    const text = run(...args).stdout.replace(/\s+/g, " ");
    expect(text).toContain(
      "! caveat: 2 of 2 connections between pods depend on Calico GlobalNetworkPolicy deny-all",
    );
    const { caveats } = JSON.parse(run(...args, "-o", "json").stdout) as Answer;
    expect(caveats.map(({ kind }) => kind)).toEqual(["undecided", "mesh"]);
  });

  it("S9.5: other formats have caveats as well: DOT, SVG, CSV on stderr, and the JSON of lint", () => {
    const depend = "2 of 2 connections between pods depend on Calico GlobalNetworkPolicy deny-all";
    expect(run("matrix", "-f", "state", "-o", "dot").stdout).toContain(`// caveat: ${depend}`);
    expect(run("matrix", "-f", "state", "-o", "svg").stdout).toContain(`<desc>Caveat: ${depend}`);
    const csv = run("matrix", "-f", "state", "-o", "csv");
    expect(csv.stdout).not.toContain("caveat");
    expect(csv.stderr.replace(/\s+/g, " ")).toContain(`! caveat: ${depend}`);
    const { caveats } = JSON.parse(run("lint", "-f", "state", "-o", "json").stdout) as Answer;
    expect(caveats.map(({ kind }) => kind)).toContain("undecided");
  });

  it("S9.3: diff names a policy that changed, and exits with 1", () => {
    const { status, stdout } = run("diff", "-f", "plain", "state/calico.yaml", "other/calico.yaml");
    expect(status).toBe(1);
    expect(stdout).toContain("not evaluated  Calico GlobalNetworkPolicy deny-all was changed");
    expect(stdout).not.toContain("no difference");
  });

  it("S9.7: nft prints the table of our own policies, and a warning", () => {
    const { status, stdout, stderr } = run("nft", "-f", "state", "--node", "worker-1", "--no-annotate");
    const plain = run("nft", "-f", "plain", "--node", "worker-1", "--no-annotate");
    expect([status, stdout]).toEqual([0, plain.stdout]);
    expect(stderr).toContain("TW2026");
  });
});
