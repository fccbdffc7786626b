import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { folderOf, type Ran, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";

/* Every command, with a cluster behind a real API server. */

const title = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

vi.setConfig({ testTimeout });

const policies = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies";
const onlyCart = {
  metadata: { name: "only-cart" },
  spec: {
    podSelector: { matchLabels: { app: "db" } },
    policyTypes: ["Ingress"],
    ingress: [{ from: [{ podSelector: { matchLabels: { app: "cart" } } }], ports: [{ port: 5432 }] }],
  },
};
const denyAll = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: only-cart, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress]}
`;
const assertion = (given = "") => `
apiVersion: tierwall.dev/v1
kind: ConnectivityTest
metadata: {name: t}
spec: {${given} expect: [{from: shop/cart, to: "shop/db:5432", verdict: Allow}, {from: shop/web, to: "shop/db:5432", verdict: Deny}]}
`;

describe.skipIf(noControlPlane)(`the command line on a live cluster${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let cwd: string;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await api.create("/api/v1/namespaces", { metadata: { name: "shop" } });
    await api.create("/api/v1/nodes", { metadata: { name: "n1" } });
    for (const [i, app] of ["cart", "db", "web"].entries()) await pod(app, `10.9.0.${i + 1}`);
    await api.create(policies, onlyCart);
    cwd = folderOf({
      "deny-all.yaml": denyAll,
      "t.yaml": assertion(),
      "given.yaml": assertion("given: [nowhere.yaml],"),
      "flows.csv": "from,to,port\n10.9.0.3,10.9.0.2,5432\n",
    });
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await plane?.stop();
  });

  async function pod(app: string, address: string): Promise<void> {
    const ports = [{ containerPort: 5432, name: "sql" }];
    await api.create("/api/v1/namespaces/shop/pods", {
      metadata: { name: app, labels: { app } },
      spec: { nodeName: "n1", containers: [{ name: "main", image: "none", ports }] },
    });
    await api.patch(`/api/v1/namespaces/shop/pods/${app}/status`, {
      status: { phase: "Running", podIP: address, podIPs: [{ ip: address }] },
    });
  }

  const run = (...args: readonly string[]): Ran =>
    tierwall(args, { cwd, env: { KUBECONFIG: plane.kubeconfig() } });
  const asGuest = (...args: readonly string[]): Ran =>
    tierwall(args, { cwd, env: { KUBECONFIG: plane.kubeconfig("guest") } });

  const question = ["--from", "shop/web", "--to", "shop/db", "--port", "5432"];

  it.each([
    ["explain", question, 0, /DENIED[^]*NetworkPolicy shop\/only-cart/],
    ["explain", [...question, "-o", "json"], 0, /"verdict": "Deny"/],
    ["matrix", ["--to", "shop/db", "--port", "5432"], 0, /shop\/cart/],
    ["lookup", ["shop/db"], 0, /only-cart/],
    ["replay", ["--flows", "flows.csv"], 1, /only-cart/],
    ["replay", ["--flows", "flows.csv", "--apply", "deny-all.yaml"], 0, /NO CHANGE/],
    ["test", ["t.yaml"], 0, /2 assertions|2 hold|passed/i],
    ["test", ["given.yaml", "--live"], 0, /2 assertions|2 hold|passed/i],
    ["preview", ["--apply", "deny-all.yaml"], 0, /newly denied/],
    ["preview", ["-f", "deny-all.yaml"], 0, /newly denied/],
    ["preview", ["--delete", "NetworkPolicy/shop/only-cart"], 0, /newly allowed/],
    ["validate", [], 0, /Read 1 policy \(.*\), 3 pods/],
    ["lint", ["--max-severity", "error"], 0, /./],
    ["nft", ["--node", "n1"], 0, /table inet tierwall/],
    ["convert", ["--to", "cluster-network-policy"], 0, /^$/],
    ["minimize", [], 0, /./],
  ] as const)("%s %j", (command, args, status, said) => {
    const { status: got, stdout, stderr } = run(command, ...args);
    expect([got, stderr]).toEqual([status, expect.any(String)]);
    expect(stdout).toMatch(said);
  });

  it("init writes a test that holds, of an empty folder too, and no CI job", () => {
    const empty = folderOf({});
    const env = { KUBECONFIG: plane.kubeconfig() };
    const { status, stdout, stderr } = tierwall(["init"], { cwd: empty, env });
    expect([status, stderr]).toEqual([0, expect.stringContaining("so the cluster is read") as string]);
    expect(stdout).toContain("Read the cluster: 1 policy, 3 pods.");
    const written = readFileSync(join(empty, "connectivity-test.yaml"), "utf8");
    expect(written).toContain("from: shop/cart, to: shop/db:5432/TCP, verdict: Allow");
    expect(written).toContain("verdict: Deny, decidedBy: NetworkPolicy/shop/only-cart");
    expect(written).not.toContain("given");
    expect(readdirSync(empty).toSorted()).toEqual(["connectivity-test.yaml", "tierwall.yaml"]);
    for (const words of [["validate"], ["test", "connectivity-test.yaml"]])
      expect(tierwall(words, { cwd: empty, env }).status).toBe(0);
  });

  // Lines with places are wrapped differently.
  const wordsIn = (text: string) => text.replaceAll(/(·\s+)?a\.json\.gz:\d+/g, "").split(/\s+/);

  it("answers name no file, as there is none", () => {
    expect(run("explain", ...question).stdout).not.toContain("<cluster>");
  });

  it("files replace objects of the cluster", () => {
    const asked = ["explain", "--from", "shop/cart", "--to", "shop/db", "--port", "5432"];
    expect(run(...asked).stdout).toContain("ALLOWED");
    expect(run(...asked, "--live", "-f", "deny-all.yaml").stdout).toContain("DENIED");
  });

  it("lint cannot fix what is in no file", () => {
    expect(run("lint", "--fix")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("-f") as string,
    });
  });

  it("calls workloads by the names that people gave them, though only their pods are listed", async () => {
    const owned = async (name: string, kind: string, owner: string, labels: object = {}) =>
      api.create("/api/v1/namespaces/jobs/pods", {
        metadata: {
          name,
          labels,
          ownerReferences: [{ apiVersion: "apps/v1", kind, name: owner, uid: owner, controller: true }],
        },
        spec: { containers: [{ name: "main", image: "none" }] },
      });
    await api.create("/api/v1/namespaces", { metadata: { name: "jobs" } });
    await owned("api-5d4f-1", "ReplicaSet", "api-5d4f", { "pod-template-hash": "5d4f" });
    await owned("queue-0", "StatefulSet", "queue");
    await owned("nightly-29384400-x", "Job", "nightly-29384400");
    const { connections } = JSON.parse(run("matrix", "-n", "jobs", "-o", "json").stdout) as {
      connections: { from: { name: string; workload?: string } }[];
    };
    const named = connections.map(({ from }) => `${from.workload} ${from.name}`);
    expect(named).toEqual(expect.arrayContaining(["Deployment api", "StatefulSet queue", "CronJob nightly"]));
    const explained = run("explain", "--from", "jobs/nightly", "--to", "jobs/api", "--port", "80");
    expect(explained.stdout).toMatch(/ALLOWED +jobs\/nightly/);
    for (const name of ["api-5d4f-1", "queue-0", "nightly-29384400-x"])
      await api.delete(`/api/v1/namespaces/jobs/pods/${name}`);
  });

  it.each([
    ["namespaces", ["matrix", "-n", "sh"], ["shop"]],
    ["namespaces to go on from", ["explain", "--from", "sh"], ["shop/"]],
    ["nodes", ["explain", "--from", "node:"], ["node:n1"]],
    ["pods of a namespace", ["explain", "--from", "shop/c"], ["shop/cart"]],
    ["ports of a pod", ["explain", "--to", "shop/db:"], ["shop/db:5432/TCP"]],
  ])("the tab key offers %s", async (_, words, offered) => {
    const said = () => run("__complete", "--", ...words);
    const values = () =>
      said()
        .stdout.trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0]);
    // Completion does not wait long for it: on a busy machine it is offered the next time.
    await expect.poll(() => values().slice(0, -1), patience).toEqual(offered);
    expect(said()).toMatchObject({ status: 0, stderr: "" });
  });

  it("kinds that are not served are noted", () => {
    expect(run("validate", "-o", "wide").stdout).toMatch(
      /note TW3006.*adminnetworkpolicies\.policy\.networking\.k8s\.io/,
    );
  });

  describe("a snapshot", () => {
    it("gives the same answers, and is the same each time", () => {
      run("snapshot", "-o", "a.json.gz");
      run("snapshot", "-o", "b.json.gz");
      const [a, b] = ["a", "b"].map((name) => readFileSync(join(cwd, `${name}.json.gz`)));
      expect(gunzipSync(a!).toString()).toBe(gunzipSync(b!).toString());
      for (const asked of [["explain", ...question, "-v"], ["matrix"], ["lookup", "shop/db"]])
        expect(wordsIn(run(...asked, "-f", "a.json.gz").stdout)).toEqual(wordsIn(run(...asked).stdout));
      expect(run("diff", "a.json.gz").stdout).toContain("no difference");
    });

    it("reports what changed since", async () => {
      run("snapshot", "-o", "before.json");
      await api.delete(`${policies}/only-cart`);
      const { status, stdout } = run("diff", "before.json");
      await api.create(policies, onlyCart);
      expect(status).toBe(1);
      expect(stdout).toContain("newly allowed");
    });

    it("hides names when it is redacted, and decides as before", () => {
      expect(run("snapshot", "--redact", "-o", "redacted.json").status).toBe(0);
      const text = readFileSync(join(cwd, "redacted.json"), "utf8");
      for (const name of ["shop", "cart", "only-cart", "n1", '"app"'])
        expect(text).not.toContain(name.startsWith('"') ? name : `"${name}"`);
      const { items } = JSON.parse(text) as {
        items: { kind: string; metadata?: { name: string; namespace: string }; status?: { podIP: string } }[];
      };
      const called = (ip: string) => {
        const { namespace, name } = items.find(({ status }) => status?.podIP === ip)!.metadata!;
        return `${namespace}/${name}`;
      };
      const asked = (from: string) =>
        run(
          "explain",
          "-f",
          "redacted.json",
          "--from",
          called(from),
          "--to",
          called("10.9.0.2"),
          "--port",
          "sql",
        );
      expect(asked("10.9.0.3").stdout).toContain("DENIED");
      expect(asked("10.9.0.1").stdout).toContain("ALLOWED");
    });
  });

  describe("a user who may read little", () => {
    it("gets an error if it is nothing at all", () => {
      const { status, stderr } = asGuest("explain", ...question);
      expect(status).toBe(2);
      expect(stderr).toMatch(/TW1009.*context `test`.*guest[^]*https:\/\/127\.0\.0\.1/);
    });

    async function allow(name: string, rules: readonly object[]): Promise<void> {
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const apiGroup = "rbac.authorization.k8s.io";
      await api.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
      await api.create(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects: [{ apiGroup, kind: "User", name: "guest" }],
      });
    }

    it("sees the namespace of the context, if that is all, and a note about it", async () => {
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const apiGroup = "rbac.authorization.k8s.io";
      const resources = ["namespaces", "pods", "services", "endpointslices", "networkpolicies"];
      const rules = [
        { apiGroups: ["", "discovery.k8s.io", "networking.k8s.io"], resources, verbs: ["get", "list"] },
      ];
      const role = { apiGroup, kind: "ClusterRole", name: "developer" };
      await api.create(`${rbac}/clusterroles`, { metadata: { name: "developer" }, rules });
      await api.create(`${rbac}/namespaces/shop/rolebindings`, {
        metadata: { name: "developer" },
        roleRef: role,
        subjects: [{ apiGroup, kind: "User", name: "guest" }],
      });
      const config = JSON.parse(readFileSync(plane.kubeconfig("guest"), "utf8")) as {
        contexts: { context: object }[];
      };
      const [{ context }] = config.contexts as [{ context: object }];
      const path = join(cwd, "developer.kubeconfig");
      writeFileSync(
        path,
        JSON.stringify({
          ...config,
          contexts: [{ name: "test", context: { ...context, namespace: "shop" } }],
        }),
      );
      const asked = ["explain", "--kubeconfig", path, ...question];
      await expect.poll(() => run(...asked).status, patience).toBe(0);
      const { stdout, stderr } = run(...asked);
      expect(stdout).toMatch(/DENIED[^]*NetworkPolicy shop\/only-cart/);
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(
        "warning TW2025 namespaces, pods, services, endpointslices.discovery.k8s.io, networkpolicies.networking.k8s.io can be read only in namespace `shop`",
      );
      await api.delete(`${rbac}/namespaces/shop/rolebindings/developer`);
      await expect.poll(() => run(...asked).status, patience).toBe(2);
    });

    it("learns with each answer what it does not cover", async () => {
      const resources = ["namespaces", "pods", "nodes", "services"];
      await allow("reader-of-pods", [{ apiGroups: [""], resources, verbs: ["list"] }]);
      await expect.poll(() => asGuest("explain", ...question).status, patience).toBe(0);
      const { stdout, stderr } = asGuest("explain", ...question);
      expect(stdout).toContain("ALLOWED");
      expect(stderr).toContain("warning TW2025  networkpolicies.networking.k8s.io cannot be read");
      const { remarks } = JSON.parse(asGuest("explain", ...question, "-o", "json").stdout) as {
        remarks: { code: string }[];
      };
      expect(remarks.map(({ code }) => code)).toContain("TW2025");
      expect(asGuest("snapshot", "-o", "guest.json").status).toBe(0);
      expect(run("explain", "-f", "guest.json", ...question).stderr).toContain("TW2025");
      // That a kind is not served can be known without the right to list it.
      expect(asGuest("validate", "-o", "wide").stdout).toMatch(
        /note TW3006.*ciliumnetworkpolicies\.cilium\.io/,
      );
    });

    it("sees everything with the role of docs/how-to/live.md", async () => {
      const page = readFileSync(new URL("../../docs/how-to/live.md", import.meta.url), "utf8");
      const { metadata, rules } = parse(/```yaml\n(.*?ClusterRole.*?)```/s.exec(page)![1]!) as {
        metadata: { name: string };
        rules: object[];
      };
      await allow(metadata.name, rules);
      await expect.poll(() => asGuest("validate").stdout, patience).not.toContain("TW2025");
      expect(asGuest("explain", ...question).stdout).toContain("DENIED");
    });
  });

  it("a server that is unavailable is named, with its context", async () => {
    const nowhere = plane.kubeconfig("admin", "https://127.0.0.1:9");
    const { status, stderr } = run("matrix", "--kubeconfig", nowhere);
    expect(status).toBe(2);
    expect(stderr).toMatch(/TW1009.*context `test`.*ECONNREFUSED[^]*https:\/\/127\.0\.0\.1:9/);
  });
});
