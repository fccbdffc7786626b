import { request } from "node:https";
import { connect } from "node:tls";
import type { JsonObject } from "@tierwall/core/manifest";
import { definitionsOf, Webhook } from "@tierwall/kube";
import { ServiceMetrics } from "@tierwall/kube/service";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { planCluster } from "../../bench/src/generate/plan.js";
import { shapes } from "../../bench/src/generate/shape.js";
import { snapshotOf } from "../../bench/src/generate/snapshot.js";
import { AdmissionLab } from "./admission-lab.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";

/* What people see who use the real kubectl on a real API server that asks the webhook. */

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout });

const networkPolicy = (name: string, spec: object, namespace = "shop") => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace },
  spec: { podSelector: {}, ...spec },
});
const clusterPolicy = (name: string, priority: number, spec: object) => ({
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  kind: "ClusterNetworkPolicy",
  metadata: { name },
  spec: { tier: "Admin", priority, subject: { namespaces: {} }, ...spec },
});
const from = (action: string, ...ports: readonly number[]) => ({
  action,
  from: [{ namespaces: {} }],
  ...(ports.length === 0
    ? {}
    : { protocols: ports.map((number) => ({ tcp: { destinationPort: { number } } })) }),
});

const allowFromIngress = networkPolicy("allow-from-ingress", {
  podSelector: { matchLabels: { app: "web" } },
  ingress: [
    {
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
      ports: [{ port: 8080 }],
    },
  ],
});
const guardrail = clusterPolicy("pci-guardrail", 10, {
  ingress: [{ name: "no-debug", ...from("Deny", 9229) }],
});
const denyAll = clusterPolicy("deny-all-ingress", 5, { ingress: [{ name: "deny-all", ...from("Deny") }] });

describe.skipIf(reason)(`kubectl, with the webhook${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    for (const definition of definitionsOf("released"))
      await api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    for (const name of ["shop", "ingress-nginx", "tierwall-system"])
      await api.create("/api/v1/namespaces", { metadata: { name } });
    await vi.waitFor(
      async () => expect(await api.statusOf("/api/v1/namespaces/kube-system")).toBe(200),
      60_000,
    );
    await api.create("/api/v1/nodes", { metadata: { name: "n1" } });
    await pod("ingress-nginx", "controller", 1, 443);
    await pod("shop", "web", 2, 8080);
    await pod("shop", "cart", 3, 8080);
    await pod("kube-system", "coredns", 4, 53, { "k8s-app": "kube-dns" });
    await api.create("/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies", allowFromIngress);
    await vi.waitFor(
      async () => api.create("/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies", guardrail),
      60_000,
    );
  }, startTimeout);
  afterAll(async () => plane?.stop());

  async function pod(namespace: string, app: string, number: number, port: number, labels: object = {}) {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await api.create(pods, {
      metadata: { name: app, labels: { app, ...labels } },
      spec: {
        nodeName: "n1",
        containers: [{ name: "main", image: "none", ports: [{ containerPort: port }] }],
      },
    });
    const podIP = `10.9.0.${number}`;
    await api.patch(`${pods}/${app}/status`, {
      status: { phase: "Running", podIP, podIPs: [{ ip: podIP }] },
    });
  }

  describe("that answers", () => {
    let lab: AdmissionLab;
    beforeAll(async () => {
      lab = await AdmissionLab.start(plane, { failurePolicy: "Ignore" });
    }, startTimeout);
    afterAll(async () => lab?.stop());

    it.each([
      [
        "a priority that is shared, with a connection on which the two disagree",
        clusterPolicy("debuggers", 10, { ingress: [from("Accept", 9229)] }),
        /^priority 10 is shared with pci-guardrail; both select \S+ and disagree on :9229\/TCP from \S+; order is by name$/,
      ],
      [
        "who overrides a NetworkPolicy",
        networkPolicy("debug", { ingress: [{ ports: [{ port: 9229 }] }] }),
        /^is overridden by ClusterNetworkPolicy pci-guardrail rule 1 "no-debug": that denies \S+ → shop\/\S+ :9229\/TCP, which this policy allows$/,
      ],
      [
        "that DNS is lost",
        networkPolicy("no-egress", { policyTypes: ["Egress"] }),
        /^DNS: 2 workloads lose kube-system\/coredns :53\/UDP, for example shop\/cart; allow it first$/,
      ],
      [
        "that the API server is lost",
        networkPolicy("no-egress", { policyTypes: ["Egress"] }),
        /^API server: 2 workloads lose 192\.0\.2\.1 :\d+\/TCP, for example shop\/cart; allow it first$/,
      ],
      [
        "what an update opens",
        { ...allowFromIngress, spec: { ...allowFromIngress.spec, ingress: [{}] } },
        /^\d+ connections that are denied today become allowed \(\d workloads\), for example \S+ → shop\/web :8080\/TCP$/,
      ],
      [
        "what is wrong with a policy that is admitted anyway",
        clusterPolicy("bits", 7, { egress: [{ action: "Deny", to: [{ networks: ["10.1.2.3/8"] }] }] }),
        /^TW\d+ spec\.egress\[0\]\.to\[0\]\.networks\[0\]: .*10\.0\.0\.0\/8/,
      ],
    ])("says %s", async (_, object, wanted) => {
      const { status, warnings } = await lab.dryRun(object);
      expect(status).toBe(0);
      expect(warnings).toContainEqual(expect.stringMatching(wanted));
    });

    it("says what a deletion opens", async () => {
      const { stdout, warnings } = await lab.kubectl(
        "delete networkpolicy -n shop allow-from-ingress --dry-run=server".split(" "),
      );
      expect(stdout).toContain("deleted");
      expect(warnings).toEqual([
        expect.stringMatching(/^\d+ connections that are denied today become allowed /),
      ]);
    });

    it("has no warnings where nothing changes", async () => {
      const labelled = {
        ...allowFromIngress,
        metadata: { ...allowFromIngress.metadata, labels: { a: "b" } },
      };
      expect((await lab.dryRun(labelled)).warnings).toEqual([]);
    });

    it("judges what the cluster is by then: a dry run leaves nothing behind", async () => {
      const before = await lab.dryRun(denyAll);
      expect(before.warnings).not.toEqual([]);
      expect((await lab.dryRun(denyAll)).warnings).toEqual(before.warnings);
      expect(
        await api.statusOf(`/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies/deny-all-ingress`),
      ).toBe(404);
    });

    it.each(["kube-system", "tierwall-system"])("is not asked about %s", async (namespace) => {
      const before = await lab.answered();
      const closed = networkPolicy("closed", { policyTypes: ["Egress"] }, namespace);
      expect(await lab.dryRun(closed)).toMatchObject({ status: 0, warnings: [] });
      expect(await lab.answered()).toBe(before);
    });

    it("counts what it does", async () => {
      const text = await lab.metrics.text();
      expect(text).toMatch(/tierwall_webhook_requests_total\{operation="CREATE",outcome="allowed"\} \d+/);
      expect(text).toMatch(/tierwall_webhook_warnings_total\{about="denied"\} \d+/);
      expect(text).toMatch(/tierwall_webhook_duration_seconds_count \d+/);
      expect(text).toMatch(/tierwall_webhook_certificate_expiry_seconds \d{10}/);
    });

    it.each([
      ["what is not JSON", "POST", "/validate", "application/json", "{", 400],
      ["another kind", "POST", "/validate", "application/json", '{"kind":"Pod"}', 400],
      [
        "no request",
        "POST",
        "/validate",
        "application/json",
        '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
        400,
      ],
      ["another type", "POST", "/validate", "text/plain", "{}", 415],
      [
        "a body that is too large",
        "POST",
        "/validate",
        "application/json",
        " ".repeat(3 * 1024 * 1024 + 1),
        413,
      ],
      ["another method", "GET", "/validate", "application/json", "", 405],
      ["another path", "POST", "/", "application/json", "{}", 404],
    ])("refuses %s", async (_, method, path, type, body, wanted) => {
      const at = path === "/validate" ? lab.webhook.path : path;
      expect(await send(lab.port, method, at, type, body)).toMatchObject({ status: wanted });
    });

    it.each(["/validate", "/validate/", `/validate/${"A".repeat(43)}`, "/validate/../validate"])(
      "refuses a client that does not know the path of API servers: %s",
      async (path) => {
        const { status, text } = await post(lab.port, path, reviewOf(denyAll));
        expect([status, text]).toEqual([401, expect.stringContaining("only API servers") as string]);
      },
    );

    it("says on stderr what a policy denies and which NetworkPolicies it overrides, and takes it", async () => {
      const { status, stdout, warnings } = await lab.kubectl(["apply", "-f", "-"], denyAll);
      expect([status, stdout]).toEqual([
        0,
        "clusternetworkpolicy.policy.networking.k8s.io/deny-all-ingress created\n",
      ]);
      expect(warnings).toEqual([
        "DNS: 3 workloads lose kube-system/coredns :53/UDP, for example ingress-nginx/controller; allow it first",
        expect.stringMatching(
          /^10 connections that work today become denied \(4 workloads\), for example \S+ → \S+ :\d+\/TCP$/,
        ),
        "overrides NetworkPolicy shop/allow-from-ingress: denies ingress-nginx/controller → shop/web :8080/TCP, which it allows",
      ]);
      const gone = await lab.kubectl(["delete", "clusternetworkpolicy", "deny-all-ingress"]);
      expect(gone.stdout).toContain("deleted");
    });

    it("says what it had no time for", async () => {
      const object = { ...denyAll, metadata: { name: "hasty" } };
      const { text } = await post(lab.port, `${lab.webhook.path}?timeout=0s`, reviewOf(object));
      expect(JSON.parse(text)).toMatchObject({
        response: {
          uid: "1",
          allowed: true,
          warnings: [
            "Tierwall had no time to find out what this changes, and whether guarantees still hold; `tierwall preview` shows it",
          ],
        },
      });
      expect(await lab.metrics.text()).toMatch(/tierwall_webhook_fallbacks_total\{reason="time"\} [1-9]/);
    });

    it("admits what it does not judge", async () => {
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
      expect(await post(lab.port, lab.webhook.path, reviewOf(pod))).toMatchObject({ status: 200 });
    });
  });

  it("gets no warnings while the webhook is unavailable: it is ignored", async () => {
    const lab = await AdmissionLab.start(plane, { failurePolicy: "Ignore" });
    expect((await lab.dryRun(denyAll)).warnings).not.toEqual([]);
    await lab.webhook.stop();
    expect(await lab.dryRun(denyAll)).toMatchObject({ status: 0, warnings: [] });
    await lab.stop();
  });

  it("gets counts and no names where users may learn the path, and clients have no certificate", async () => {
    const lab = await AdmissionLab.start(plane, { failurePolicy: "Fail" });
    const { warnings } = await lab.dryRun(denyAll);
    await lab.stop();
    expect(warnings).toContainEqual(expect.stringMatching(/^\d+ connections that work today become denied/));
    expect(warnings.join("\n")).not.toMatch(/ingress-nginx|shop|coredns|allow-from-ingress/);
  });

  describe("where another definition lets in what is not valid", () => {
    let lab: AdmissionLab;
    beforeAll(async () => {
      const name = "clusternetworkpolicies.policy.networking.k8s.io";
      const [{ spec }] = definitionsOf("released") as unknown as [{ spec: { versions: object[] } }];
      const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const versions = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: open } }));
      await api.patch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, {
        spec: { versions },
      });
      lab = await AdmissionLab.start(plane);
    }, startTimeout);
    afterAll(async () => lab?.stop());

    const applied = async (spec: object) => lab.dryRun(clusterPolicy("guest", 7, spec));

    it("it is refused, in the words of `tierwall validate`, with every field that is wrong", async () => {
      await vi.waitFor(async () => {
        const { status, stderr } = await applied({
          ingress: [{ action: "Deny", from: [{}] }],
          egress: [{ action: "Deny", to: [{ networks: ["10.0.0.0"] }] }],
        });
        expect([status, stderr]).toEqual([1, expect.stringContaining("denied the request") as string]);
        expect(stderr).toContain("error TW1304 spec.egress[0].to[0].networks[0]: `10.0.0.0` is not a CIDR");
        expect(stderr).toContain("error TW1209 spec.ingress[0].from[0]: ");
      }, 1_200_000);
    });

    it("S3.6: what a newer API may have is accepted, with a warning that it fails closed", async () => {
      const { status, warnings } = await applied({ ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] });
      expect(status).toBe(0);
      expect(warnings).toContainEqual(
        expect.stringMatching(
          /^TW2015 spec\.ingress\[0\]\.from\[0\]\.galaxies: unknown field .* fail closed$/,
        ),
      );
    });
  });

  describe("its certificates", () => {
    const secret = "/api/v1/namespaces/tierwall-system/secrets/tierwall-webhook-tls";
    const forget = async () => api.ask({ method: "DELETE", path: secret });

    it("are renewed while requests go on, none of which fails", async () => {
      await forget();
      const lab = await AdmissionLab.start(plane, { times: { life: 24_000, lead: 5000, check: 200 } });
      const seen = new Set<string>();
      const path = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies?dryRun=All";
      let asked = 0;
      while (seen.size < 3) {
        const { status, body } = await api.ask({
          method: "POST",
          path,
          body: JSON.stringify(networkPolicy(`n${asked++}`, {})),
        });
        expect([status, body.message]).toEqual([201, undefined]);
        seen.add(await fingerprintAt(lab.port));
      }
      console.log(`      ${asked} requests while two certificates followed the first`);
      await lab.stop();
    });

    it("are one for all replicas, whichever is first", async () => {
      await forget();
      const connection = await plane.connect();
      const replicas = [1, 2, 3].map(
        () =>
          new Webhook({
            connection,
            judge: {
              judge: async () => ({ warnings: [], missing: [], unread: [] }),
              ask: async () => undefined,
            },
            isReady: () => true,
            metrics: new ServiceMetrics(),
            log: pino({ level: "silent" }),
            options: { port: 0, listen: "127.0.0.1", namespace: "tierwall-system", names: ["127.0.0.1"] },
          }),
      );
      const ports = await Promise.all(replicas.map(async (replica) => replica.start()));
      const served = await Promise.all(ports.map(async (port) => fingerprintAt(port)));
      expect(new Set(served).size).toBe(1);
      await Promise.all(replicas.map(async (replica) => replica.stop()));
    });
  });

  it("answers at 10,000 pods within the timeout of the manifests, and others meanwhile", async () => {
    const objects = [...snapshotOf(planCluster(shapes["10k/1k"], 1))] as JsonObject[];
    // Without an answer in time, the API server rejects the request.
    const lab = await AdmissionLab.start(plane, {
      failurePolicy: "Fail",
      timeoutSeconds: 10,
      fill: (analyst) => {
        for (const object of objects) analyst.set(object);
      },
    });
    const ended: string[] = [];
    const timed = async (name: string, object: object) => {
      const began = performance.now();
      const { status, warnings } = await lab.dryRun(object);
      ended.push(name);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`      ${name}: ${seconds} s\n${warnings.map((line) => `        ${line}`).join("\n")}`);
      expect([status, warnings]).toEqual([0, [expect.anything(), ...warnings.slice(1)]]);
    };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    await Promise.all([
      timed("a policy for the whole cluster, first", denyAll),
      post(lab.port, lab.webhook.path, reviewOf(pod)).then(() => ended.push("another")),
    ]);
    expect(ended[0]).toBe("another");
    await timed("a policy for the whole cluster, again", denyAll);
    const hasty = await post(lab.port, `${lab.webhook.path}?timeout=0s`, reviewOf(denyAll));
    expect(hasty.text).toContain("Tierwall had no time to find out");
    await lab.stop();
  });
});

const reviewOf = (object: object) =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "1", operation: "CREATE", object },
  });

const post = async (port: number, path: string, body: string) =>
  send(port, "POST", path, "application/json", body);

async function send(
  port: number,
  method: string,
  path: string,
  type: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type };
    const sent = request(
      { port, host: "127.0.0.1", method, path, headers, rejectUnauthorized: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Of the certificate that is served there. */
async function fingerprintAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
