import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  connect,
  definitionsOf,
  installText,
  parts,
  systemNamespace,
  usualValues,
  watchedKinds,
} from "@tierwall/kube";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { RunningController } from "./running-controller.js";

/*
 * Who may do what, asked of a real API server with impersonation.
 */

const title = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

vi.setConfig({ testTimeout });

let cluster: ControlPlane;
let admin: ApiClient;

function kubectl(input: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("kubectl", ["--kubeconfig", cluster.kubeconfig(), ...args], {
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

type Method = NonNullable<Parameters<ApiClient["ask"]>[0]["method"]>;

/** What the API server answers to an account: 403 is no. */
async function asks(who: Account, method: Method, path: string, body?: object): Promise<number> {
  const { status } = await admin.ask({
    method,
    path,
    headers: {
      "Impersonate-User": who.user,
      ...(who.group === undefined ? {} : { "Impersonate-Group": who.group }),
      ...(method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {}),
    },
    ...(body === undefined || method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(body) }),
  });
  // Kinds that were just defined are not served at once.
  if (status !== 429) return status;
  await sleep(200);
  return asks(who, method, path, body);
}

interface Account {
  readonly user: string;
  readonly group?: string;
}

const account = (name: string): Account => ({
  user: `system:serviceaccount:${systemNamespace}:${name}`,
  group: "system:serviceaccounts",
});
const people = {
  clusterAdmin: { user: "alice", group: "system:masters" },
  policyAdmin: { user: "paula" },
  developer: { user: "dave" },
  draftEditor: { user: "erin" },
  stranger: { user: "mallory" },
  controller: account("tierwall-controller"),
  agent: account("tierwall-agent"),
} as const satisfies Record<string, Account>;

/** Who is bound to which role. The aggregation into `view` and `edit` is the work of a controller that is not here. */
const bindings = {
  policyAdmin: ["tierwall-policy-admin"],
  developer: ["tierwall-policy-view", "tierwall-first-draft-view"],
  draftEditor: ["tierwall-first-draft-edit"],
} as const;

const released = definitionsOf("released").map(({ spec }) => collectionOf(spec));
const drafts = definitionsOf("first-draft").map(({ spec }) => collectionOf(spec));

function collectionOf({ group, names, versions }: ReturnType<typeof definitionsOf>[number]["spec"]): string {
  return `/apis/${group}/${versions[0]!.name}/${names.plural}`;
}

describe.skipIf(noControlPlane)(`roles${title}`, () => {
  beforeAll(async () => {
    cluster = await ControlPlane.start();
    admin = new ApiClient(await cluster.connect());
    const values = { ...usualValues, "firstDraft.enabled": true, "firstDraft.letEditorsManage": true };
    kubectl(installText({ values, parts }), "apply", "--server-side", "--validate=strict", "-f", "-");
    for (const [who, roles] of Object.entries(bindings))
      for (const role of roles)
        kubectl(
          "",
          "create",
          "clusterrolebinding",
          `${who}-${role}`,
          `--clusterrole=${role}`,
          `--user=${people[who as "developer"].user}`,
        );
    kubectl("", "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
    // Who may do what is known a moment after it is written.
    const readers = [
      [people.policyAdmin, released],
      [people.developer, released],
      [people.developer, drafts],
      [people.draftEditor, drafts],
      [people.controller, released],
      [people.agent, released],
    ] as const;
    for (const [who, [collection]] of readers)
      await vi.waitFor(async () => expect(await asks(who, "GET", collection!)).toBe(200), patience);
  }, startTimeout);
  afterAll(async () => cluster?.stop());

  const kinds = [
    ["released", released],
    ["first draft", drafts],
  ] as const;
  const may: Readonly<Record<keyof typeof people, Readonly<Record<string, "manage" | "read" | "no">>>> = {
    clusterAdmin: { released: "manage", "first draft": "manage" },
    policyAdmin: { released: "manage", "first draft": "no" },
    developer: { released: "read", "first draft": "read" },
    draftEditor: { released: "no", "first draft": "manage" },
    stranger: { released: "no", "first draft": "no" },
    controller: { released: "read", "first draft": "read" },
    agent: { released: "read", "first draft": "read" },
  };
  for (const [name, who] of Object.entries(people) as [keyof typeof people, Account][])
    for (const [bundle, collections] of kinds)
      it(`${name} may ${may[name][bundle]!.replace("no", "do nothing with")} policies of the ${bundle} kinds`, async () => {
        const [reads, manages] = [may[name][bundle] !== "no", may[name][bundle] === "manage"];
        for (const collection of collections) {
          expect(await asks(who, "GET", collection)).toBe(reads ? 200 : 403);
          expect(await asks(who, "GET", `${collection}?watch=1&timeoutSeconds=1`)).toBe(reads ? 200 : 403);
          const refused = (status: number) => status === 403;
          expect(refused(await asks(who, "POST", `${collection}?dryRun=All`, {}))).toBe(!manages);
          expect(refused(await asks(who, "DELETE", `${collection}/x?dryRun=All`))).toBe(!manages);
          expect(refused(await asks(who, "PATCH", `${collection}/x?dryRun=All`, {}))).toBe(!manages);
        }
      });

  it.each(["controller", "agent"] as const)("%s reads everything that verdicts depend on", async (name) => {
    for (const { group, versions, plural, isBuiltIn } of watchedKinds) {
      if (!isBuiltIn) continue;
      const path = group === "" ? `/api/v1/${plural}` : `/apis/${group}/${versions[0]}/${plural}`;
      expect([plural, await asks(people[name], "GET", path)]).toEqual([plural, 200]);
    }
  });

  /** For metrics behind a token, and for warnings that name what a user may read. */
  const reviews = [
    ["POST", "/apis/authentication.k8s.io/v1/tokenreviews", true],
    ["POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", true],
    ["POST", "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews", false],
  ] as const;

  it("the controller writes conditions, events, Leases, and its certificate; nothing else", async () => {
    const own = `/api/v1/namespaces/${systemNamespace}`;
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`;
    const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const table: readonly (readonly [method: Method, path: string, may: boolean])[] = [
      ...[...released, ...drafts].flatMap((collection) => [
        ["PATCH", `${collection}/x/status`, true] as const,
        ["PATCH", `${collection}/x`, false] as const,
      ]),
      ["POST", "/apis/events.k8s.io/v1/namespaces/default/events", true],
      ["PATCH", "/apis/events.k8s.io/v1/namespaces/default/events/x", false],
      ["DELETE", "/apis/events.k8s.io/v1/namespaces/default/events/x", false],
      ["GET", "/api/v1/namespaces/default/pods/x", false],
      ["POST", leases, true],
      ["PUT", `${leases}/tierwall-controller`, true],
      ["PATCH", `${leases}/tierwall-controller`, false],
      ["DELETE", `${leases}/tierwall-controller`, false],
      ["POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", false],
      ["POST", `${own}/secrets`, true],
      ["GET", `${own}/secrets/tierwall-webhook-tls`, true],
      ["PATCH", `${own}/secrets/tierwall-webhook-tls`, false],
      ["GET", `${own}/secrets/another`, false],
      ["GET", `${own}/secrets`, false],
      ["GET", "/api/v1/namespaces/default/secrets/tierwall-webhook-tls", false],
      ["PATCH", `${webhooks}/tierwall`, true],
      ["PUT", `${webhooks}/tierwall`, false],
      ["PATCH", `${webhooks}/another`, false],
      ["POST", webhooks, false],
      ["PATCH", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/x", false],
      ["DELETE", "/api/v1/namespaces/default/pods/x", false],
      ...reviews,
    ];
    for (const [method, path, allowed] of table)
      expect([
        method,
        path,
        (await asks(people.controller, method, `${path}?dryRun=All`, {})) !== 403,
      ]).toEqual([method, path, allowed]);
  });

  it("the agent writes its Lease; nothing else, and reads no secrets", async () => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`;
    const table: readonly (readonly [method: Method, path: string, may: boolean])[] = [
      ["POST", leases, true],
      ["PATCH", `${leases}/tierwall-agent-node-1`, true],
      ["PUT", `${leases}/tierwall-agent-node-1`, false],
      ["GET", `${leases}/tierwall-agent-node-1`, false],
      ["GET", "/api/v1/nodes/node-1", true],
      ["GET", "/api/v1/namespaces/default/pods/x", false],
      ["DELETE", `${leases}/tierwall-agent-node-1`, false],
      ["GET", leases, false],
      ["GET", "/api/v1/secrets", false],
      ["GET", `/api/v1/namespaces/${systemNamespace}/secrets/tierwall-webhook-tls`, false],
      ["POST", "/apis/events.k8s.io/v1/namespaces/default/events", false],
      ["PATCH", "/api/v1/nodes/node-1", false],
      ...released.map((collection) => ["PATCH", `${collection}/x/status`, false] as const),
      ...reviews,
    ];
    for (const [method, path, allowed] of table)
      expect([method, path, (await asks(people.agent, method, `${path}?dryRun=All`, {})) !== 403]).toEqual([
        method,
        path,
        allowed,
      ]);
  });

  describe("Leases of agents", () => {
    const own = `/api/v1/namespaces/${systemNamespace}`;
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`;
    const lease = (name: string) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name },
      spec: { holderIdentity: "someone" },
    });
    /** As the agent does it. */
    const apply = (who: ApiClient, name: string) =>
      who.ask({
        method: "PATCH",
        path: `${leases}/${name}?fieldManager=tierwall-agent&force=true`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify(lease(name)),
      });

    async function withToken(account: string, spec: object, user: string): Promise<ApiClient> {
      const path = `${own}/serviceaccounts/${account}/token`;
      const { body } = await admin.ask({ method: "POST", path, body: JSON.stringify({ spec }) });
      const { token } = body.status as { token: string };
      const connected = await connect({ kubeconfig: cluster.kubeconfigWith(token, user) });
      if (!connected.ok) throw new Error(connected.message);
      return new ApiClient(connected.connection);
    }

    /** With the token that a kubelet gives the pod of an agent. */
    async function agentOn(node: string): Promise<ApiClient> {
      const name = `agent-${node}`;
      await admin.create("/api/v1/nodes", { metadata: { name: node } });
      const spec = {
        nodeName: node,
        serviceAccountName: "tierwall-agent",
        containers: [{ name: "agent", image: "none" }],
      };
      await admin.create(`${own}/pods`, { metadata: { name }, spec });
      const { body } = await admin.ask({ path: `${own}/pods/${name}` });
      const { uid } = body.metadata as { uid: string };
      const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
      return withToken("tierwall-agent", { boundObjectRef }, name);
    }

    it("are each written by the agent of its node alone", async () => {
      const [first, second] = [await agentOn("worker-1"), await agentOn("worker-2.example.com")];
      expect((await apply(first, "tierwall-agent-worker-1")).status).toBe(201);
      expect((await apply(first, "tierwall-agent-worker-1")).status).toBe(200);
      expect((await apply(second, "tierwall-agent-worker-2.example.com")).status).toBe(201);
      // A policy of admission holds a moment after it is written.
      await vi.waitFor(
        async () => expect((await apply(first, "tierwall-agent-worker-2.example.com")).status).toBe(403),
        patience,
      );
      const { status, body } = await apply(second, "tierwall-agent-worker-1");
      expect([status, body.message]).toEqual([
        403,
        expect.stringContaining(
          "the agent of a node writes no Lease but tierwall-agent-worker-2.example.com",
        ),
      ]);
      for (const name of ["tierwall-controller", "tierwall-agent-", "tierwall-agent-worker"])
        expect([name, (await apply(first, name)).status >= 400]).toEqual([name, true]);
      const create = (metadata: object) =>
        first.ask({ method: "POST", path: leases, body: JSON.stringify({ ...lease(""), metadata }) });
      expect((await create({ name: "tierwall-agent-worker-3" })).status).toBe(403);
      expect((await create({ generateName: "tierwall-agent-worker-" })).status).toBe(403);
      expect((await apply(first, "tierwall-agent-worker-1")).status).toBe(200);
    });

    it("are written by every account with the permission where a token has no node", async () => {
      const byHand = await withToken("tierwall-agent", {}, "agent-by-hand");
      expect((await apply(byHand, "tierwall-agent-worker-9")).status).toBe(201);
    });

    it("are no business of others: the controller has its own, and those in other namespaces are not looked at", async () => {
      const controller = await withToken("tierwall-controller", {}, "controller");
      const body = JSON.stringify(lease("tierwall-controller"));
      expect((await controller.ask({ method: "POST", path: leases, body })).status).toBe(201);
      const elsewhere = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
      expect(
        (await admin.ask({ method: "POST", path: elsewhere, body: JSON.stringify(lease("x")) })).status,
      ).toBe(201);
    });
  });

  it("with what it may do, and no more, the controller does its work", async () => {
    const path = `/api/v1/namespaces/${systemNamespace}/serviceaccounts/tierwall-controller/token`;
    const { body } = await admin.ask({ method: "POST", path, body: JSON.stringify({ spec: {} }) });
    const { token } = body.status as { token: string };
    const kubeconfig = cluster.kubeconfigWith(token, "tierwall-controller");
    const controller = RunningController.start(cluster, "--kubeconfig", kubeconfig, "--webhook-port", "0");
    try {
      kubectl(policy, "apply", "-f", "-");
      kubectl(
        "",
        "wait",
        "--for=condition=Accepted",
        "clusternetworkpolicies.policy.networking.k8s.io/quiet",
        "--timeout=90s",
      );
      await expect.poll(async () => (await controller.get("/readyz")).status, patience).toBe(200);
      expect(controller.said.split("\n").filter((line) => /forbidden|\b403\b/.test(line))).toEqual([]);
    } finally {
      await controller.stop();
    }
  });

  it("metrics are read by accounts with the role `tierwall-metrics-reader`, and by no other", async () => {
    for (const name of ["prometheus", "guest"])
      kubectl("", "-n", systemNamespace, "create", "serviceaccount", name);
    kubectl(
      "",
      "create",
      "clusterrolebinding",
      "prometheus",
      "--clusterrole=tierwall-metrics-reader",
      `--serviceaccount=${systemNamespace}:prometheus`,
    );
    const tokenOf = (name: string) => kubectl("", "-n", systemNamespace, "create", "token", name).trim();
    const kubeconfig = cluster.kubeconfigWith(tokenOf("tierwall-controller"), "metrics-controller");
    const controller = RunningController.start(
      cluster,
      "--kubeconfig",
      kubeconfig,
      "--metrics-auth",
      "token",
    );
    const asked = async (path: string, token?: string) =>
      controller.get(path, token === undefined ? {} : { authorization: `Bearer ${token}` });
    try {
      const prometheus = tokenOf("prometheus");
      await vi.waitFor(async () => {
        const { status, text } = await asked("/metrics", prometheus);
        expect([status, text]).toEqual([200, expect.stringContaining("tierwall_leader")]);
      }, patience);
      expect((await asked("/metrics")).status).toBe(401);
      expect((await asked("/metrics", "made-up")).status).toBe(401);
      expect((await asked("/metrics", tokenOf("guest"))).status).toBe(403);
      expect(await asked("/livez")).toEqual({ status: 200, text: "ok\n" });
      await vi.waitFor(async () => expect((await asked("/readyz")).status).toBe(200), patience);
      expect(controller.said.split("\n").filter((line) => /forbidden|\b403\b/.test(line))).toEqual([]);
    } finally {
      await controller.stop();
    }
  });

  it.each([
    ["tierwall-policy-view", "view"],
    ["tierwall-policy-view", "edit"],
    ["tierwall-first-draft-view", "view"],
    ["tierwall-first-draft-edit", "edit"],
    ["tierwall-first-draft-edit", "admin"],
  ])("%s becomes part of the role `%s` of every cluster", async (ours, theirs) => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const { body: role } = await admin.ask({ path: `${roles}/${theirs}` });
    const { clusterRoleSelectors } = role.aggregationRule as {
      clusterRoleSelectors: { matchLabels: object }[];
    };
    const { body: own } = await admin.ask({ path: `${roles}/${ours}` });
    const { labels } = own.metadata as { labels: object };
    expect(clusterRoleSelectors.some(({ matchLabels }) => isIn(matchLabels, labels))).toBe(true);
  });
});

const policy = `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: { name: quiet }
spec:
  tier: Admin
  priority: 1
  subject: { namespaces: {} }
  ingress: [{ action: Deny, from: [{ namespaces: { matchLabels: { loud: "yes" } } }] }]
`;

const isIn = (part: object, whole: object): boolean =>
  Object.entries(part).every(([key, value]) => (whole as Record<string, unknown>)[key] === value);
