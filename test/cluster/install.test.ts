import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { installObjects, usualValues } from "@tierwall/kube";
import { findHelm } from "../../scripts/kube-binaries.mjs";

/*
 * One set of objects, in three packages: all of them install the same.
 */

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const chart = join(deploy, "helm/tierwall");
const helm = findHelm();
const noHelm = helm === undefined ? " (skipped: helm was not found; `npm run test:cluster` gets it)" : "";
const noKubectl = spawnSync("kubectl", ["version", "--client"]).error ? " (skipped: needs kubectl)" : "";

const scratch = mkdtempSync(join(tmpdir(), "tierwall-install-"));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

function objectsIn(text: string): ReadonlyMap<string, Manifest> {
  const objects = parseAllDocuments(text).flatMap((one) => (one.toJS() as Manifest | null) ?? []);
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

const installed = objectsIn(readFileSync(join(deploy, "install.yaml"), "utf8"));

function run(command: string, ...args: readonly string[]) {
  return spawnSync(command, args, { encoding: "utf8" });
}

function output(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = run(command, ...args);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const template = (...args: readonly string[]) =>
  objectsIn(output(helm!, "template", "tierwall", chart, "--namespace", "tierwall-system", ...args));
const rendered = (...args: readonly string[]) => template("--no-hooks", ...args);

describe.skipIf(noKubectl !== "")(`kustomize${noKubectl}`, () => {
  it("the base makes what install.yaml has", () => {
    const made = objectsIn(output("kubectl", "kustomize", join(deploy, "kustomize/base")));
    expect(sorted(made)).toEqual(sorted(installed));
  });

  it("the overlay without agents is the base without them", () => {
    const made = objectsIn(output("kubectl", "kustomize", join(deploy, "kustomize/overlays/analysis-only")));
    const missing = [...installed.keys()].filter((key) => !made.has(key));
    expect(missing).toEqual(["DaemonSet tierwall-agent"]);
  });
});

describe.skipIf(helm === undefined)(`the Helm chart${noHelm}`, () => {
  it("is without fault in Helm's own eyes", () => {
    const { status, stdout } = run(helm!, "lint", "--strict", chart);
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it("makes what install.yaml has, except for the namespace, which Helm makes", () => {
    const wanted = [...installed].filter(([key]) => key !== "Namespace tierwall-system");
    expect(sorted(rendered())).toEqual(sorted(new Map(wanted)));
  });

  it("brings the definitions of deploy/crds, in the folder that Helm never deletes from", () => {
    const definitions = [...rendered("--include-crds")].filter(([key]) => !installed.has(key));
    const files = readdirSync(join(deploy, "crds")).filter((name) => name.endsWith(".yaml"));
    const wanted = files.map((name) => readFileSync(join(deploy, "crds", name), "utf8"));
    expect(sorted(new Map(definitions))).toEqual(sorted(objectsIn(wanted.join("---\n"))));
  });

  it("cleans up before it is uninstalled, with the objects of cleanup.yaml", () => {
    const plain = rendered();
    const hooks = [...template()].filter(([key]) => !plain.has(key));
    const wanted = objectsIn(readFileSync(join(deploy, "cleanup.yaml"), "utf8"));
    const bare = hooks.map(
      ([key, object]) =>
        [key, { ...object, metadata: { ...object.metadata, annotations: undefined } }] as const,
    );
    expect(sorted(new Map(bare))).toEqual(
      sorted(new Map([...wanted].filter(([key]) => !key.startsWith("Namespace")))),
    );
    const annotations = Object.fromEntries(hooks.map(([key, { metadata }]) => [key, metadata.annotations]));
    for (const one of Object.values(annotations)) expect(one).toMatchObject({ "helm.sh/hook": "pre-delete" });
    const weightOf = (key: string) => Number(annotations[key]!["helm.sh/hook-weight"]);
    expect(
      hooks
        .map(([key]) => key)
        .toSorted((a, b) => weightOf(a) - weightOf(b))
        .slice(-2),
    ).toEqual(["DaemonSet tierwall-cleanup", "Job tierwall-cleanup"]);
    expect(template("--set", "agent.enabled=false").has("Job tierwall-cleanup")).toBe(false);
  });

  it.each([
    ["agent.enabled=false", "DaemonSet tierwall-agent"],
    ["agent.enabled=false", "ValidatingAdmissionPolicy tierwall-agent-leases"],
    ["agent.ownLeasesOnly=false", "ValidatingAdmissionPolicyBinding tierwall-agent-leases"],
    ["webhook.enabled=false", "ValidatingWebhookConfiguration tierwall"],
    ["controller.enabled=false", "Deployment tierwall-controller"],
    ["controller.enabled=false", "ValidatingWebhookConfiguration tierwall"],
  ])("%s leaves out %s", (setting, object) => {
    expect(rendered().has(object)).toBe(true);
    expect(rendered("--set", setting).has(object)).toBe(false);
  });

  it("brings the kinds of the first draft when asked, and lets editors manage them when asked that too", () => {
    const draft = "CustomResourceDefinition clusterdefaultnetworkpolicies.netpol.networking.k8s.io";
    expect(rendered("--include-crds").has(draft)).toBe(false);
    expect(rendered("--set", "firstDraft.enabled=true").get(draft)).toMatchObject({
      metadata: { annotations: { "helm.sh/resource-policy": "keep" } },
    });
    expect(rendered("--set", "firstDraft.enabled=true").has("ClusterRole tierwall-first-draft-edit")).toBe(
      false,
    );
    const both = rendered("--set", "firstDraft.enabled=true,firstDraft.letEditorsManage=true");
    expect(both.has("ClusterRole tierwall-first-draft-edit")).toBe(true);
  });

  const linux = { "kubernetes.io/os": "linux" };
  const pods = (spec: object) => ({ spec: { template: { spec } } });
  const [controller, agent] = ["Deployment tierwall-controller", "DaemonSet tierwall-agent"];

  it.each<readonly [values: object, object: string, fields: object]>([
    [{}, controller, pods({ nodeSelector: linux, imagePullSecrets: [] })],
    [{}, agent, pods({ nodeSelector: linux, imagePullSecrets: [] })],
    [{ agent: { nodeSelector: { pool: "a" } } }, agent, pods({ nodeSelector: { ...linux, pool: "a" } })],
    [
      { controller: { nodeSelector: { pool: "b" } } },
      controller,
      pods({ nodeSelector: { ...linux, pool: "b" } }),
    ],
    [{ imagePullSecrets: [{ name: "key" }] }, controller, pods({ imagePullSecrets: [{ name: "key" }] })],
    [{ imagePullSecrets: [{ name: "key" }] }, agent, pods({ imagePullSecrets: [{ name: "key" }] })],
    [{}, agent, pods({ containers: [{ args: expect.not.arrayContaining(["--shadow"]) as string[] }] })],
    [
      { agent: { mode: "shadow" } },
      agent,
      pods({ containers: [{ args: expect.arrayContaining(["--shadow"]) as string[] }] }),
    ],
    [
      {},
      controller,
      pods({
        topologySpreadConstraints: [
          { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
          { topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
        ],
      }),
    ],
    [{}, "PodDisruptionBudget tierwall-controller", { spec: { maxUnavailable: 1 } }],
    [
      { monitoring: { enabled: true, labels: { release: "prometheus" }, interval: "1m" } },
      "ServiceMonitor tierwall-controller",
      {
        metadata: { labels: { release: "prometheus", "app.kubernetes.io/name": "tierwall" } },
        spec: {
          endpoints: [
            {
              port: "metrics",
              interval: "1m",
              bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
            },
          ],
        },
      },
    ],
    [
      { monitoring: { enabled: true } },
      "ServiceMonitor tierwall-agent",
      {
        spec: {
          selector: { matchLabels: { "app.kubernetes.io/component": "agent" } },
          endpoints: [
            {
              port: "metrics",
              interval: "30s",
              bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
            },
          ],
        },
      },
    ],
    [
      { monitoring: { enabled: true }, metrics: { auth: "none" } },
      "ServiceMonitor tierwall-agent",
      {
        spec: { endpoints: [expect.not.objectContaining({ bearerTokenFile: expect.anything() as string })] },
      },
    ],
    [
      { monitoring: { enabled: true, readers: [{ kind: "ServiceAccount", name: "p", namespace: "m" }] } },
      "ClusterRoleBinding tierwall-metrics-readers",
      {
        roleRef: { name: "tierwall-metrics-reader" },
        subjects: [{ kind: "ServiceAccount", name: "p", namespace: "m" }],
      },
    ],
    [
      { nameOverride: "walls" },
      "Deployment walls-controller",
      { metadata: { labels: { "app.kubernetes.io/name": "walls" } } },
    ],
    [
      { nameOverride: "walls", fullnameOverride: "null" },
      "Service null-webhook",
      { metadata: { labels: { "app.kubernetes.io/name": "walls" } } },
    ],
    [
      { fullnameOverride: "walls" },
      "ValidatingWebhookConfiguration walls",
      { webhooks: [{ clientConfig: { service: { name: "walls-webhook" } } }] },
    ],
    [
      { fullnameOverride: "walls" },
      "Deployment walls-controller",
      pods({
        serviceAccountName: "walls-controller",
        containers: [
          {
            args: expect.arrayContaining([
              "--webhook-service=walls-webhook",
              "--webhook-configuration=walls",
            ]) as string[],
          },
        ],
      }),
    ],
  ])("%j: %s", (values, object, fields) => {
    const file = join(scratch, "table.yaml");
    writeFileSync(file, JSON.stringify(values));
    expect(rendered("-f", file).get(object)).toMatchObject(fields);
  });

  it("names every object by fullnameOverride, except for definitions", () => {
    const names = [
      ...rendered("--set", "fullnameOverride=walls,firstDraft.enabled=true,page.enabled=true").values(),
    ]
      .filter(({ kind }) => kind !== "CustomResourceDefinition")
      .map(({ metadata }) => metadata.name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !/^walls(-|$)/.test(name))).toEqual([]);
  });

  it("has no monitors unless they are asked for: their definitions may be missing", () => {
    expect([...rendered().keys()].filter((key) => key.includes("Monitor"))).toEqual([]);
  });

  it("makes of every table of values what `tierwall manifests` makes of the same settings", () => {
    const values = {
      ...usualValues,
      fullnameOverride: "walls",
      "agent.mode": "shadow",
      "agent.nodeSelector": { pool: "a", "kubernetes.io/os": "windows" },
      "metrics.address": "loopback",
      "webhook.clientCA.names": ["kube-apiserver", "123"],
      "monitoring.enabled": true,
      "monitoring.labels": { release: "prometheus", "app.kubernetes.io/component": "mine" },
      "monitoring.readers": [{ kind: "ServiceAccount", name: "prometheus", namespace: "monitoring" }],
    };
    const file = join(scratch, "same.yaml");
    const written: Record<string, unknown> = {};
    for (const [path, value] of Object.entries(values)) {
      const names = path.split(".");
      let group = written;
      for (const name of names.slice(0, -1)) group = (group[name] ??= {}) as Record<string, unknown>;
      group[names.at(-1)!] = value;
    }
    writeFileSync(file, JSON.stringify(written));
    const objects = installObjects({ values }).filter(({ kind }) => kind !== "Namespace");
    const wanted = objectsIn(objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    expect(sorted(rendered("-f", file))).toEqual(sorted(wanted));
  });

  it.each(["123", "null", "1e3"])("writes the namespace %s as a text wherever it names it", (namespace) => {
    const made = output(helm!, "template", "tierwall", chart, "--namespace", namespace, "--no-hooks");
    const configuration = objectsIn(made).get("ValidatingWebhookConfiguration tierwall") as unknown as {
      readonly webhooks: readonly [{ readonly namespaceSelector: object }];
    };
    expect(configuration.webhooks[0].namespaceSelector).toMatchObject({
      matchExpressions: [{ values: expect.arrayContaining([namespace]) as string[] }],
    });
  });

  it("writes no label twice that a setting has as well", () => {
    const values = join(scratch, "twice.yaml");
    const nodeSelector = "nodeSelector: {kubernetes.io/os: windows}";
    writeFileSync(
      values,
      `agent: {${nodeSelector}}\ncontroller: {${nodeSelector}}\nmonitoring: {enabled: true, labels: {app.kubernetes.io/name: mine, a: b}}\n`,
    );
    // The parser refuses keys that are there twice.
    const made = rendered("-f", values);
    for (const name of [agent, controller])
      expect(made.get(name)).toMatchObject(pods({ nodeSelector: linux }));
    expect(made.get("ServiceMonitor tierwall-agent")).toMatchObject({
      metadata: { labels: { "app.kubernetes.io/name": "tierwall", a: "b" } },
    });
  });

  it("passes settings on", () => {
    const values = join(scratch, "values.yaml");
    writeFileSync(
      values,
      "controller: {replicas: 3}\nimage: {tag: '1.2'}\nagent: {extraArgs: [--deny=reject], tolerations: []}\nwebhook: {enabled: false}\nmetrics: {auth: none}\nnetworkPolicy: {metricsFrom: [{ipBlock: {cidr: 10.0.0.0/8}}]}\n",
    );
    const made = rendered("-f", values);
    expect(made.get("Deployment tierwall-controller")).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            containers: [
              {
                image: "tierwall:1.2",
                args: ["controller", "--metrics-address=:9464", "--metrics-auth=none"],
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(made.get("DaemonSet tierwall-agent"))).toContain('"--deny=reject"');
    expect(made.get("NetworkPolicy tierwall-controller")).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 9464 }], from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
    });
    expect(made.get("NetworkPolicy tierwall-webhook")).toBeUndefined();
  });

  it.each([
    "controller.replicas=0",
    "controller.replicas=many",
    "webhook.timeoutSeconds=31",
    "webhook.clientCA.name=a",
    "metrics.address=10.0.0.1",
    "webhook.failurePolicy=Maybe",
    "agent.unknownPods=perhaps",
    "agent.mode=audit",
    "agent.shadow=true",
    "nameOverride=Walls",
    "fullnameOverride=-x",
    "imagePullSecrets=registry-key",
    "monitoring.enabled=perhaps",
    "podLabels.team=a",
    "agnet.enabled=false",
  ])("refuses %s", (setting) => {
    const { status, stderr } = run(helm!, "template", "tierwall", chart, "--set", setting);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("schema") as string,
    });
  });
});

it("the chart has nothing but generated files", () => {
  const files = readdirSync(chart, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.\w+$/.test(file),
  );
  for (const file of files.filter((name) => /\.(yaml)$/.test(name)))
    expect(readFileSync(join(chart, file), "utf8")).toContain("Written by `npm run generate`");
});

const sorted = (objects: ReadonlyMap<string, object>) =>
  Object.fromEntries([...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)));
