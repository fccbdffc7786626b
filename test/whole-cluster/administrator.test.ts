import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../install/build-stage.js";
import { Administrator } from "./administrator.js";
import { newerTag, podImage } from "./images.js";
import { callers, Shop } from "./shop.js";
import { addressesOf, nodes } from "./subnets.js";
import { WholeCluster } from "./whole-cluster.js";

/*
 * From an empty cluster to Tierwall in it and out of it again, in the order in which an administrator goes. Each test builds
 * on those before.
 */

let cluster: WholeCluster;
let admin: Administrator;
let shop: Shop;
const file = (name: string): string => join("test/whole-cluster", name);
const own = ["-n", "tierwall-system"] as const;

beforeAll(async () => {
  cluster = await WholeCluster.start();
  admin = new Administrator(cluster);
  shop = new Shop(admin);
  await admin.kubectl("wait", "--for=condition=Ready", "node", "--all", "--timeout=120s");
  await admin.kubectl("apply", "-f", file("shop.yaml"));
}, 600_000);
afterAll(async () => cluster?.stop(), 60_000);

/** What takes effect in its own time is asked for again. */
const soon = { timeout: 20_000, interval: 300 } as const;
const long = { timeout: 180_000 } as const;

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

interface Addressed {
  readonly spec: { readonly clusterIPs: readonly string[] };
}

const agentOn = async (node: string): Promise<string> => {
  const labels = "app.kubernetes.io/component=agent";
  const { items } = await admin.get<Listed>(
    ...own,
    "pods",
    "-l",
    labels,
    "--field-selector",
    `spec.nodeName=${node}`,
  );
  return items[0]!.metadata.name;
};
/** Of an account that may read metrics, and is made the first time. */
async function metricsToken(): Promise<string> {
  const account = "metrics-reader";
  const accounts = await admin.kubectl(...own, "get", "serviceaccounts", "-o", "name");
  if (!accounts.includes(account)) {
    await admin.kubectl(...own, "create", "serviceaccount", account);
    const bound = ["--clusterrole=tierwall-metrics-reader", `--serviceaccount=tierwall-system:${account}`];
    await admin.kubectl("create", "clusterrolebinding", "metrics-reader", ...bound);
  }
  return (await admin.kubectl(...own, "create", "token", account)).trim();
}
const tableOf = (node: (typeof nodes)[number]): string =>
  cluster.network.run(node, "nft", "--stateless", "list", "table", "inet", "tierwall");
const tablesOf = (node: (typeof nodes)[number]): string => cluster.network.run(node, "nft", "list", "tables");

describe("installed by docs/how-to/install.md", () => {
  it("gives a first answer: what follows on kind", long, async () => {
    const page = readFileSync(join(repository, "docs/how-to/install.md"), "utf8");
    const lines = /\n\$ kind load .*\n((?:\$ .*\n)+)/
      .exec(page)![1]!
      .trim()
      .split("\n")
      .map((line) => line.slice("$ ".length));
    expect(lines).toHaveLength(2);
    await admin.kubectl("wait", "-A", "--for=condition=Ready", "pod", "--all", "--timeout=60s");
    const [installs, asks] = lines as [string, string];
    expect(await admin.run("sh", ["-c", installs])).toMatchObject({ status: 0 });
    expect((await admin.run("sh", ["-c", asks])).stdout).toMatch(/ALLOWED {3}kube-system\/coredns/);
  });

  it("has controllers of which one leads, and an agent on every node", long, async () => {
    for (const workload of ["deployment/tierwall-controller", "daemonset/tierwall-agent"])
      await admin.kubectl(...own, "rollout", "status", workload, "--timeout=120s");
    const { spec } = await admin.get<{ spec: { holderIdentity: string } }>(
      ...own,
      "lease",
      "tierwall-controller",
    );
    const { items } = await admin.get<Listed>(...own, "pods");
    expect(items.filter(({ metadata }) => spec.holderIdentity.startsWith(metadata.name))).toHaveLength(1);
    for (const node of nodes) expect(tablesOf(node)).toContain("inet tierwall");
  });

  it.each([
    ["deploy/tierwall-controller", "65532", "0000000000000000"],
    // NET_ADMIN is the twelfth.
    ["ds/tierwall-agent", "0", "0000000000001000"],
  ])("%s runs as user %s, with capabilities %s and no others", async (workload, user, capabilities) => {
    const status = await admin.kubectl(...own, "exec", workload, "--", "cat", "/proc/1/status");
    expect(status).toMatch(new RegExp(`^Uid:\\s${user}\\s`, "m"));
    for (const set of ["CapPrm", "CapEff", "CapBnd"]) expect(status).toContain(`${set}:\t${capabilities}`);
    expect(status).toContain("NoNewPrivs:\t1");
  });

  it("the pod of an agent prints the status of its node", async () => {
    const pod = await agentOn("node1");
    const said = await admin.kubectl(...own, "exec", pod, "--", "tierwall", "agent", "status");
    expect(said).toContain("agent of node node1");
    // cart-1, spy and api-1, and all other pods there: each once, with two families.
    const { items } = await admin.get<Listed>("pods", "-A", "--field-selector", "spec.nodeName=node1");
    const hostNetwork = 1;
    expect(said).toContain(`pods        ${items.length - hostNetwork} programmed`);
  });
});

/** At first the API server cannot reach the Service of the webhook, and ignores that: a moment later it can. */
async function warningsOf(doing: "apply" | "delete"): Promise<string> {
  return (await admin.run("kubectl", [doing, "--dry-run=server", "-f", file("guard.yaml")])).stderr;
}

describe("a policy that overrides a NetworkPolicy", () => {
  it("is warned of by the webhook, with a certificate of its own", long, async () => {
    await expect.poll(() => warningsOf("apply"), soon).not.toBe("");
    const { stderr, stdout } = await admin.run("kubectl", ["apply", "-f", file("guard.yaml")]);
    expect(stdout).toContain("clusternetworkpolicy.policy.networking.k8s.io/guard created");
    expect(stderr).toContain("Warning: overrides NetworkPolicy payments/allow-shop: denies");
    expect(stderr).toMatch(/Warning: \d+ connections that work today become denied/);
  });

  it("becomes Programmed on two of two nodes", async () => {
    await admin.kubectl("wait", "--for=condition=Programmed", "clusternetworkpolicy/guard", "--timeout=20s");
    const { status } = await admin.get<{ status: { conditions: readonly object[] } }>(
      "clusternetworkpolicy",
      "guard",
    );
    expect(status.conditions).toMatchObject([
      { type: "Accepted", status: "True", reason: "Understood" },
      { type: "Programmed", status: "True", message: "enforced on 2 of 2 nodes" },
      { type: "Conflicted", status: "False" },
      { type: "Shadowed", status: "False" },
    ]);
  });

  it("is an Event for the owner of that NetworkPolicy", async () => {
    const events = async () => admin.kubectl("-n", "payments", "events", "--for", "networkpolicy/allow-shop");
    await expect
      .poll(events, soon)
      .toMatch(/Warning +Overridden +NetworkPolicy\/allow-shop +ClusterNetworkPolicy guard/);
  });

  it.each(["payments/api-1", "payments/api-2"])(
    "%s is reached as explain says, in both families",
    long,
    async (api) => {
      for (const port of [8080, 5432]) {
        const seen = await shop.whoReaches(api, port);
        for (const caller of callers) {
          const allowed = (await shop.saysExplain(caller, api, port)) === "Allow";
          expect([caller, api, port, seen[caller]]).toEqual([caller, api, port, [allowed, allowed]]);
        }
      }
    },
  );

  it("holds for the Service as well, in both families", long, async () => {
    const { spec } = await admin.get<Addressed>("-n", "payments", "service", "api");
    expect(spec.clusterIPs).toHaveLength(2);
    for (const port of [80, 5432])
      for (const caller of callers) {
        const targets = spec.clusterIPs.map((host) => ({ host, port }));
        const allowed = (await shop.saysExplain(caller, "payments/Service/api", port)) === "Allow";
        expect([caller, port, await admin.reaches(caller, targets)]).toEqual([
          caller,
          port,
          [allowed, allowed],
        ]);
      }
  });

  it("follows pods that are relabelled, deleted and made again", long, async () => {
    await admin.kubectl("-n", "shop", "label", "pod", "spy", "app=cart", "--overwrite");
    await expect
      .poll(async () => shop.whoReaches("payments/api-2", 8080), soon)
      .toMatchObject({ "shop/spy": [true, true] });
    await admin.kubectl("-n", "shop", "label", "pod", "spy", "app=spy", "--overwrite");
    await expect
      .poll(async () => shop.whoReaches("payments/api-2", 8080), soon)
      .toMatchObject({ "shop/spy": [false, false] });
    await admin.kubectl("-n", "payments", "delete", "pod", "api-1");
    await admin.kubectl("apply", "-f", file("shop.yaml"));
    await admin.kubectl("-n", "payments", "wait", "--for=condition=Ready", "pod/api-1", "--timeout=60s");
    await expect
      .poll(async () => shop.whoReaches("payments/api-1", 8080), soon)
      .toEqual({
        "shop/cart-1": [true, true],
        "shop/cart-2": [true, true],
        "shop/spy": [false, false],
      });
  });

  it("is in the audit log of the agent, and in its metrics", async () => {
    const lines = await admin.kubectl(...own, "logs", await agentOn("node1"));
    const audited = lines.split("\n").find((line) => line.includes('"verdict":"Deny"')) ?? "{}";
    expect(JSON.parse(audited)).toMatchObject({
      verdict: "Deny",
      destination: { pod: "payments/api-1" },
      by: { policy: { kind: "ClusterNetworkPolicy", name: "guard" }, name: "deny-others" },
    });
    const url = `http://${addressesOf("node1")[0]}:9465/metrics`;
    expect(await admin.curl("-o", "/dev/null", "-w", "%{http_code}", url)).toBe("401");
    const token = await metricsToken();
    const metrics = async () => admin.curl("-H", `Authorization: Bearer ${token}`, url);
    await expect
      .poll(metrics, soon)
      .toMatch(/tierwall_rule_packets_total\{policy="ClusterNetworkPolicy guard",.*verdict="Deny"\} [1-9]/);
  });

  it("is in the metrics of the controllers, behind their Service", async () => {
    const { spec } = await admin.get<Addressed>(...own, "service", "tierwall-controller");
    const authorization = `Authorization: Bearer ${await metricsToken()}`;
    const metrics = await admin.curl("-H", authorization, `http://${spec.clusterIPs[0]}:9464/metrics`);
    expect(metrics).toContain("tierwall_nodes 2\n");
    expect(metrics).toContain("tierwall_agents 2\n");
  });
});

describe("a policy that disagrees with another of its priority", () => {
  it("is warned of, is Conflicted, and has an Event that kubectl finds", long, async () => {
    const guard = readFileSync(join(repository, file("guard.yaml")), "utf8");
    const rival = guard.replace("name: guard", "name: rival").replace("action: Accept", "action: Deny");
    expect((await admin.apply(rival)).stderr).toContain("Warning: priority 10 is shared with guard");
    await admin.kubectl("wait", "--for=condition=Conflicted", "clusternetworkpolicy/rival", "--timeout=20s");
    const events = async () => admin.kubectl("events", "--for", "clusternetworkpolicy/rival");
    await expect.poll(events, soon).toMatch(/Warning +SamePriority +ClusterNetworkPolicy\/rival/);
    await admin.kubectl("delete", "clusternetworkpolicy", "rival");
  });
});

describe("roles", () => {
  const people = { vera: "view", edgar: "edit", ada: "admin", paula: "tierwall-policy-admin" } as const;
  const may = async (user: string, verb: string): Promise<string> => {
    const asked = ["auth", "can-i", verb, "clusternetworkpolicies.policy.networking.k8s.io", "--as", user];
    return (await admin.run("kubectl", asked)).stdout.trim();
  };

  it("are aggregated into those of Kubernetes: who may view the cluster reads its policies", async () => {
    for (const [user, role] of Object.entries(people))
      await admin.kubectl("create", "clusterrolebinding", user, `--clusterrole=${role}`, `--user=${user}`);
    for (const [user, role] of Object.entries(people)) {
      const manages = role === "tierwall-policy-admin" ? "yes" : "no";
      expect([user, await may(user, "list"), await may(user, "watch")]).toEqual([user, "yes", "yes"]);
      expect([user, await may(user, "create"), await may(user, "delete")]).toEqual([user, manages, manages]);
    }
  });

  it("of one namespace say nothing about policies of the cluster, until readers are bound", async () => {
    await admin.kubectl("-n", "shop", "create", "rolebinding", "dora", "--clusterrole=admin", "--user=dora");
    expect(await may("dora", "list")).toBe("no");
    const page = readFileSync(join(repository, "docs/reference/roles.md"), "utf8");
    const [, command] = /kubectl (create clusterrolebinding tierwall-policy-readers .*)/.exec(page)!;
    await admin.kubectl(...command!.split(" "));
    expect([await may("dora", "list"), await may("dora", "create")]).toEqual(["yes", "no"]);
  });
});

describe("changes of the installation", () => {
  it("an agent that is started again leaves the rules alone, and writes nothing", long, async () => {
    const [pod, before] = [await agentOn("node1"), tableOf("node1")];
    await admin.kubectl(...own, "delete", "pod", pod, "--wait=false");
    expect(await shop.whoReaches("payments/api-1", 8080)).toMatchObject({
      "shop/cart-1": [true, true],
      "shop/spy": [false, false],
    });
    await expect.poll(async () => agentOn("node1"), soon).not.toBe(pod);
    await admin.kubectl(...own, "rollout", "status", "daemonset/tierwall-agent", "--timeout=60s");
    expect(await admin.kubectl(...own, "logs", await agentOn("node1"))).toContain('"wrote":"nothing"');
    expect(tableOf("node1")).toBe(before);
  });

  it("an upgrade proceeds node by node, and allows nothing in the meantime", long, async () => {
    const before = nodes.map(tableOf);
    await admin.kubectl(
      ...own,
      "set",
      "image",
      "daemonset/tierwall-agent",
      `agent=tierwall-agent:${newerTag}`,
    );
    const status = ["rollout", "status", "daemonset/tierwall-agent", "--timeout=120s"];
    const upgrade = admin.kubectl(...own, ...status).then(() => "over");
    do expect(await shop.whoReaches("payments/api-2", 8080)).toMatchObject({ "shop/spy": [false, false] });
    while ((await Promise.race([upgrade, sleep(0)])) !== "over");
    expect(nodes.map(tableOf)).toEqual(before);
    await admin.kubectl("wait", "--for=condition=Programmed", "clusternetworkpolicy/guard", "--timeout=20s");
  });

  it("the page is served to clients with the token, as in docs/how-to/serve.md", long, async () => {
    const token = "a-token-that-is-hard-to-guess";
    await admin.kubectl(
      ...own,
      "create",
      "secret",
      "generic",
      "tierwall-page",
      `--from-literal=token=${token}`,
    );
    const { stdout } = await admin.tierwall(
      "manifests",
      "--set",
      "page.enabled=true",
      "--set",
      "image.pullPolicy=Never",
    );
    const applied = await admin.run(
      "kubectl",
      ["apply", "--server-side", "--force-conflicts", "-f", "-"],
      stdout,
    );
    expect(applied).toMatchObject({ status: 0 });
    await admin.kubectl(...own, "rollout", "status", "deployment/tierwall-controller", "--timeout=120s");
    const forward = cluster.forward("service/tierwall-page", "8080:80");
    try {
      await forward.until(() => forward.lastWords.includes("Forwarding from"));
      const status = ["-o", "/dev/null", "-w", "%{http_code}"];
      expect(await admin.curl(...status, "http://localhost:8080/")).toBe("401");
      const withToken = ["-H", `Authorization: Bearer ${token}`];
      expect(await admin.curl(...withToken, ...status, "http://localhost:8080/")).toBe("200");
      const state = await admin.curl(...withToken, "http://localhost:8080/api/v1/state");
      expect(state).toContain("<cluster>/ClusterNetworkPolicy/guard");
    } finally {
      await forward.end();
    }
    // To apply it again took nothing from what the controllers wrote.
    await expect
      .poll(() => warningsOf("delete"), soon)
      .toMatch(/Warning: \d+ connections that are denied today become allowed/);
  });
});

describe("removed", () => {
  it(
    "leaves rules in kernels, by which pods that come later are denied, until they are cleaned",
    long,
    async () => {
      await admin.kubectl("delete", "-f", "deploy/install.yaml", "--ignore-not-found");
      for (const node of nodes) expect(tablesOf(node)).toContain("inet tierwall");
      const late = { apiVersion: "v1", kind: "Pod", metadata: { name: "late", namespace: "shop" } };
      const spec = { nodeName: "node1", containers: [{ name: "main", image: podImage }] };
      await admin.apply(JSON.stringify({ ...late, spec }));
      await admin.kubectl("-n", "shop", "wait", "--for=condition=Ready", "pod/late", "--timeout=60s");
      const cart = await lateTarget();
      expect(await admin.reaches("shop/late", cart)).toEqual([false, false]);
      await cleanUp();
      expect(await admin.reaches("shop/late", cart)).toEqual([true, true]);
      // Policies outlive the product.
      await admin.kubectl("delete", "clusternetworkpolicy", "guard");
      expect(await shop.whoReaches("payments/api-1", 5432)).toEqual(
        Object.fromEntries(callers.map((one) => [one, [true, true]])),
      );
    },
  );
});

/** With the commands of docs/how-to/uninstall.md. */
async function cleanUp(): Promise<void> {
  const page = readFileSync(join(repository, "docs/how-to/uninstall.md"), "utf8");
  const [applies, waits, logs, deletes] = /```sh\n(kubectl apply .*cleanup\.yaml\n[\s\S]*?)```/
    .exec(page)![1]!
    .split("\n");
  for (const line of [applies!, waits!])
    expect(await admin.run("sh", ["-c", line])).toMatchObject({ status: 0 });
  expect((await admin.run("sh", ["-c", logs!])).stdout).toContain(
    `kernels of ${nodes.length} nodes: ${nodes.join(", ")}`,
  );
  expectNothingInKernels();
  expect(await admin.run("sh", ["-c", deletes!])).toMatchObject({ status: 0 });
}

/** What the pod that came late asks for. */
const lateTarget = async () => (await shop.addressesOf("shop/cart-2")).map((host) => ({ host, port: 80 }));

function expectNothingInKernels(): void {
  for (const node of nodes) expect(tablesOf(node)).not.toContain("inet tierwall");
}

describe("installed by Helm", () => {
  it("works as well, and goes again", long, async () => {
    const release = ["tierwall", "--namespace", "tierwall-system"] as const;
    const [name, ...where] = release;
    await admin.helm(
      "install",
      name,
      "deploy/helm/tierwall",
      ...where,
      "--create-namespace",
      "--wait",
      "--timeout=120s",
    );
    const { stderr } = await admin.run("kubectl", ["apply", "-f", file("guard.yaml")]);
    expect(stderr).toContain("Warning: overrides NetworkPolicy payments/allow-shop");
    await admin.kubectl("wait", "--for=condition=Programmed", "clusternetworkpolicy/guard", "--timeout=20s");
    expect(await shop.whoReaches("payments/api-1", 8080)).toMatchObject({
      "shop/cart-2": [true, true],
      "shop/spy": [false, false],
    });
    await admin.helm("uninstall", ...release);
    expectNothingInKernels();
    expect(await admin.kubectl(...own, "logs", "job/tierwall-cleanup")).toContain(
      `kernels of ${nodes.length} nodes: ${nodes.join(", ")}`,
    );
    await admin.kubectl("delete", "clusternetworkpolicy", "guard");
    expect(await admin.reaches("shop/late", await lateTarget())).toEqual([true, true]);
  });
});
