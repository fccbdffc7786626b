import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issue, type Issued } from "@tierwall/kube";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AdmissionLab } from "./admission-lab.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";

/* A tenant with rights in one namespace, and an API server that shows a certificate. */

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout });

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe.skipIf(reason)(`a webhook for tenants${title}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-tenants-"));
  const times = { from: new Date(Date.now() - 60_000), until: new Date(Date.now() + 36_000_000) };
  const [apiServer, stranger] = ["kube-apiserver", "mallory"].map((name) =>
    issue({ names: [name], use: "client", ...times }),
  ) as [Issued, Issued];
  let plane: ControlPlane;
  let api: ApiClient;
  let lab: AdmissionLab;

  beforeAll(async () => {
    plane = await ControlPlane.start({ webhookClient: apiServer });
    api = new ApiClient(await plane.connect());
    for (const name of ["payments", "secret-tenant", "tierwall-system"])
      await api.create("/api/v1/namespaces", { metadata: { name } });
    await pod("payments", "card-vault", 1);
    await pod("secret-tenant", "acquisition-db", 2);
    await letGuestRead("payments", ["*"], "pods", "networkpolicies");
    const authorityFile = join(folder, "clients.crt");
    writeFileSync(authorityFile, apiServer.authority + stranger.authority);
    lab = await AdmissionLab.start(plane, { clients: { authorityFile, names: ["kube-apiserver"] } });
  }, startTimeout);
  afterAll(async () => {
    await lab?.stop();
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  async function pod(namespace: string, app: string, number: number) {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const containers = [{ name: "main", image: "none", ports: [{ containerPort: 8443 }] }];
    await api.create(pods, {
      metadata: { name: app, labels: { app } },
      spec: { nodeName: "n1", containers },
    });
    const podIP = `10.9.0.${number}`;
    await api.patch(`${pods}/${app}/status`, {
      status: { phase: "Running", podIP, podIPs: [{ ip: podIP }] },
    });
  }

  async function letGuestRead(namespace: string, verbs: readonly string[], ...resources: readonly string[]) {
    const where = `${rbac}/namespaces/${namespace}`;
    const rules = [{ apiGroups: ["", "networking.k8s.io"], resources, verbs }];
    await api.create(`${where}/roles`, { metadata: { name: "guest" }, rules });
    await api.create(`${where}/rolebindings`, {
      metadata: { name: "guest" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "guest" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
    });
  }

  const closed = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "closed", namespace: "payments" },
    spec: { podSelector: {}, policyTypes: ["Egress"] },
  };
  const dryRun = async (user: "admin" | "guest") =>
    (await lab.kubectl(["create", "--dry-run=server", "-f", "-"], closed, user)).warnings;

  it("names to an administrator what a policy changes", async () => {
    expect(await dryRun("admin")).toContainEqual(
      expect.stringContaining("for example payments/card-vault → secret-tenant/acquisition-db :8443/TCP"),
    );
  });

  it("names to a tenant only what they may read, and counts the rest", async () => {
    const warnings = await vi.waitFor(async () => {
      const found = await dryRun("guest");
      expect(found.join("\n")).toContain("payments/card-vault");
      return found;
    }, patience);
    expect(warnings.join("\n")).not.toMatch(/secret-tenant|acquisition-db|8443/);
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /^\d+ connections that work today become denied \(2 workloads\), for example payments\/card-vault → (external addresses|a pod that you cannot read).*; \d+ of them (involve|involves) pods or nodes that you cannot read$/,
      ),
    );
  });

  it("names more as soon as they may read more, and less as soon as they may not", async () => {
    await letGuestRead("secret-tenant", ["list"], "pods");
    await vi.waitFor(
      async () =>
        expect((await dryRun("guest")).join("\n")).toContain("secret-tenant/acquisition-db :8443/TCP"),
      patience,
    );
    await api.delete(`${rbac}/namespaces/secret-tenant/rolebindings/guest`);
    await vi.waitFor(
      async () => expect((await dryRun("guest")).join("\n")).not.toContain("secret-tenant"),
      patience,
    );
  });

  it("is asked by the API server, and answers no one else", async () => {
    const before = await lab.answered();
    expect((await dryRun("admin")).length).toBeGreaterThan(0);
    expect(await lab.answered()).toBe(before + 1);
    expect(await post(lab.port)).toBe("none");
    expect(await post(lab.port, stranger)).toBe(403);
    expect(await post(lab.port, apiServer)).toBe(200);
  });

  async function post(port: number, shown?: Issued): Promise<number | "none"> {
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "1", operation: "CREATE", object: closed },
    };
    return new Promise((resolve) => {
      const sent = request(
        {
          port,
          host: "127.0.0.1",
          method: "POST",
          path: "/validate",
          agent: false,
          rejectUnauthorized: false,
          headers: { "content-type": "application/json" },
          ...(shown === undefined ? {} : { cert: shown.certificate, key: shown.key }),
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? "none");
        },
      );
      sent.on("error", () => resolve("none"));
      sent.end(JSON.stringify(review));
    });
  }
});
