import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { cleanupObjects } from "./cleanup.js";
import { installObjects, usualParts } from "./install.js";
import { problemWith } from "./setting-kinds.js";
import { settingPaths, settings, usualValues } from "./settings.js";

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly JsonObject[] } } };
}

const named = (objects: readonly JsonObject[]) =>
  new Map(
    (objects as unknown as readonly Workload[]).map((object) => [
      `${object.kind} ${object.metadata.name}`,
      object,
    ]),
  );

describe("what is installed", () => {
  it("has no marks left in it, and each object once", () => {
    const objects = installObjects();
    expect(JSON.stringify(objects)).not.toMatch(/[«»]/);
    expect(named(objects).size).toBe(objects.length);
  });

  it("begins with the namespace, which the other objects need", () => {
    expect(installObjects()[0]).toMatchObject({ kind: "Namespace" });
  });

  it("has no definitions: deleting what was applied must not delete the policies", () => {
    const values = { ...usualValues, "firstDraft.enabled": true };
    const kinds = installObjects({ values }).map(({ kind }) => kind);
    expect(kinds).not.toContain("CustomResourceDefinition");
    const drafts = installObjects({ values, parts: ["crds"] }).length;
    expect([drafts, installObjects({ parts: ["crds"] }).length]).toEqual([6, 4]);
  });

  it("is in the namespace of the option", () => {
    const text = JSON.stringify(installObjects({ namespace: "walls" }));
    expect(text).not.toContain("tierwall-system");
    expect(text).toContain('"namespace":"walls"');
  });

  it("can be had in parts", () => {
    expect(installObjects({ parts: ["crds"] }).every(({ kind }) => kind === "CustomResourceDefinition")).toBe(
      true,
    );
    const together = usualParts.flatMap((part) => [...named(installObjects({ parts: [part] })).keys()]);
    expect(new Set(together)).toEqual(new Set(named(installObjects()).keys()));
  });

  it("leaves out what is switched off", () => {
    const without = named(installObjects({ values: { ...usualValues, "webhook.enabled": false } }));
    expect(without.has("ValidatingWebhookConfiguration tierwall")).toBe(false);
    expect(JSON.stringify(without.get("Deployment tierwall-controller"))).not.toContain("webhook-port");
  });

  it("holds agents to their own Leases, unless the API server is too old for it", () => {
    const policy = "ValidatingAdmissionPolicy tierwall-agent-leases";
    const binding = "ValidatingAdmissionPolicyBinding tierwall-agent-leases";
    const usual = named(installObjects({ namespace: "walls" }));
    expect(JSON.stringify(usual.get(policy))).toContain("'system:serviceaccount:walls:tierwall-agent'");
    expect(usual.has(binding)).toBe(true);
    for (const off of ["agent.enabled", "agent.ownLeasesOnly"] as const) {
      const without = named(installObjects({ values: { ...usualValues, [off]: false } }));
      expect([without.has(policy), without.has(binding)]).toEqual([false, false]);
    }
  });

  it("serves the page where it is wanted, with the token of a Secret", () => {
    const page = { ...usualValues, "page.enabled": true, "page.secret": "door-key" };
    const text = JSON.stringify(
      named(installObjects({ values: page })).get("Deployment tierwall-controller"),
    );
    expect(text).toContain('"--page-token-file=/etc/tierwall/page/token"');
    expect(text).toContain('"secret":{"secretName":"door-key","optional":true}');
    expect(named(installObjects({ values: page })).has("Service tierwall-page")).toBe(true);
    expect(JSON.stringify(installObjects())).not.toContain("--page-port");
    expect(named(installObjects()).has("Service tierwall-page")).toBe(false);
  });

  it("has the webhook check client certificates where their names are given, with the authorities of a Secret", () => {
    const values = {
      ...usualValues,
      "webhook.clientCA.names": ["kube-apiserver", "other"],
      "webhook.clientCA.secret": "authorities",
    };
    const text = JSON.stringify(named(installObjects({ values })).get("Deployment tierwall-controller"));
    expect(text).toContain(
      '"--webhook-client-ca=/etc/tierwall/webhook-client-ca/ca.crt","--webhook-client-name=kube-apiserver","--webhook-client-name=other"',
    );
    expect(text).toContain('"secret":{"secretName":"authorities","optional":true}');
    expect(JSON.stringify(installObjects())).not.toContain("--webhook-client");
  });

  it.each([
    ["all", "--metrics-address=:9465", undefined],
    ["loopback", "--metrics-address=127.0.0.1:9465", "127.0.0.1"],
  ])("with metrics.address=%s the agent and its probes use the same address", (address, argument, host) => {
    const values = { ...usualValues, "metrics.address": address };
    const [agent] = named(installObjects({ values })).get("DaemonSet tierwall-agent")!.spec!.template!.spec
      .containers as unknown as readonly Record<string, { readonly httpGet: { readonly host?: string } }>[];
    expect(agent).toMatchObject({ args: expect.arrayContaining([argument]) as string[] });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      expect([probe, agent![probe]!.httpGet.host]).toEqual([probe, host]);
  });

  it("keeps its own labels where a setting has others of the same name", () => {
    const os = { "kubernetes.io/os": "windows", pool: "a" };
    const values = {
      ...usualValues,
      "monitoring.enabled": true,
      "agent.nodeSelector": os,
      "controller.nodeSelector": os,
      "monitoring.labels": { "app.kubernetes.io/name": "mine", release: "prometheus" },
    };
    const made = named(installObjects({ values }));
    for (const name of ["DaemonSet tierwall-agent", "Deployment tierwall-controller"])
      expect(made.get(name)!.spec!.template!.spec).toMatchObject({
        nodeSelector: { "kubernetes.io/os": "linux", pool: "a" },
      });
    expect(made.get("ServiceMonitor tierwall-agent")!.metadata).toMatchObject({
      labels: { "app.kubernetes.io/name": "tierwall", release: "prometheus" },
    });
  });

  describe("monitors", () => {
    const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";
    const monitored = (settings: JsonObject) =>
      named(installObjects({ values: { ...usualValues, "monitoring.enabled": true, ...settings } }));

    it.each(["controller", "agent"])(
      "send the token of Prometheus to each %s that asks for one",
      (component) => {
        const name = `ServiceMonitor tierwall-${component}`;
        const endpoints = (auth: string) => monitored({ "metrics.auth": auth }).get(name)?.spec;
        expect(endpoints("token")).toMatchObject({
          endpoints: [{ port: "metrics", bearerTokenFile: tokenFile }],
        });
        expect(endpoints("none")).toMatchObject({ endpoints: [{ port: "metrics", interval: "30s" }] });
        expect(JSON.stringify(endpoints("none"))).not.toContain("bearerToken");
      },
    );

    it("find every agent by a Service without an address of its own", () => {
      expect(monitored({}).get("Service tierwall-agent")).toMatchObject({
        metadata: { labels: { "app.kubernetes.io/component": "agent" } },
        spec: { clusterIP: "None", ports: [{ name: "metrics", port: 9465 }] },
      });
      expect(named(installObjects()).has("Service tierwall-agent")).toBe(false);
    });

    it("bind the accounts of `monitoring.readers` to the role that may read metrics, and no other", () => {
      const readers = [{ kind: "ServiceAccount", name: "prometheus", namespace: "monitoring" }];
      const binding = "ClusterRoleBinding tierwall-metrics-readers";
      const roleRef = { kind: "ClusterRole", name: "tierwall-metrics-reader" };
      expect(monitored({ "monitoring.readers": readers }).get(binding)).toMatchObject({
        roleRef,
        subjects: readers,
      });
      expect(monitored({}).get(binding)).toMatchObject({ roleRef, subjects: [] });
    });
  });

  it("runs the controller without any rights on its node, and the agent with NET_ADMIN alone", () => {
    const containers = new Map(
      Array.from(named(installObjects()), ([name, { spec }]) => [name, spec?.template?.spec.containers[0]]),
    );
    expect(containers.get("Deployment tierwall-controller")).toMatchObject({
      securityContext: {
        capabilities: { drop: ["ALL"] },
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      },
    });
    expect(containers.get("DaemonSet tierwall-agent")).toMatchObject({
      securityContext: {
        capabilities: { drop: ["ALL"], add: ["NET_ADMIN"] },
        allowPrivilegeEscalation: false,
      },
    });
  });
});

describe("what cleans up after it", () => {
  const made = cleanupObjects({ namespace: "walls" }) as unknown as readonly Workload[];
  const place = made[0];
  const [daemonSet, job] = ["DaemonSet", "Job"].map((kind) => made.find((one) => one.kind === kind)!);

  it("brings its own namespace: the one of the installation is gone", () => {
    expect([place!.kind, place!.metadata.name]).toEqual(["Namespace", "walls"]);
    expect(JSON.stringify(daemonSet)).not.toMatch(/[«»]/);
  });

  it("has the rights of an agent for as long as it works, and then none", () => {
    const pod = daemonSet!.spec!.template!.spec as unknown as Record<string, readonly JsonObject[]>;
    expect(pod.initContainers).toMatchObject([
      { args: ["agent", "--cleanup"], securityContext: { capabilities: { add: ["NET_ADMIN"] } } },
    ]);
    expect(pod.containers).toMatchObject([{ securityContext: { runAsUser: 65532 } }]);
    expect(JSON.stringify(pod.containers)).not.toContain("NET_ADMIN");
  });

  it("runs wherever an agent may have run, whatever the settings are now", () => {
    const values = { ...usualValues, "agent.tolerations": [], "agent.nodeSelector": { pool: "a" } };
    const set = cleanupObjects({ values }).find(({ kind }) => kind === "DaemonSet");
    expect(set).toMatchObject({
      spec: {
        template: {
          spec: { tolerations: [{ operator: "Exists" }], nodeSelector: { "kubernetes.io/os": "linux" } },
        },
      },
    });
    expect(JSON.stringify(set)).not.toContain("pool");
  });

  it("removes the table that the options of the agents name", () => {
    const values = { ...usualValues, "agent.extraArgs": ["--table=walls"] };
    expect(JSON.stringify(cleanupObjects({ values }))).toContain('["agent","--cleanup","--table=walls"]');
  });

  it("waits on each node for the pod of the agent to be gone: one that is started again would undo it", () => {
    expect(daemonSet!.spec!.template!.spec).toMatchObject({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "kubernetes.io/hostname",
              labelSelector: { matchLabels: { "app.kubernetes.io/component": "agent" } },
            },
          ],
        },
      },
    });
  });

  it("is supervised from the network of a node: the rules that are left deny pods they do not know", () => {
    expect(job!.spec!.template!.spec).toMatchObject({
      hostNetwork: true,
      restartPolicy: "Never",
      serviceAccountName: "tierwall-cleanup",
      containers: [{ securityContext: { capabilities: { drop: ["ALL"] } } }],
    });
  });
});

describe("settings", () => {
  it("are as usual without fault", () => {
    for (const path of settingPaths) expect(problemWith(path, settings[path].usual)).toBeUndefined();
  });

  it.each([
    ["controller.replicas", 0, "`controller.replicas` is at least 1"],
    ["webhook.timeoutSeconds", 31, "`webhook.timeoutSeconds` is at most 30"],
    ["metrics.address", "10.0.0.1", "`metrics.address` is one of all, loopback"],
    ["controller.replicas", "two", "`controller.replicas` takes a whole number"],
    ["agent.enabled", "no", "`agent.enabled` takes true or false"],
    ["agent.unknownPods", "ask", "`agent.unknownPods` is one of deny, allow"],
    ["agent.extraArgs", "--shadow", "`agent.extraArgs` takes a list"],
    ["image.tag", "", "`image.tag` takes a text"],
    ["agent.mode", "audit", "`agent.mode` is one of shadow, enforce"],
    ["imagePullSecrets", "key", "`imagePullSecrets` takes a list"],
    [
      "fullnameOverride",
      "Walls",
      "`fullnameOverride` takes a name of at most 40 lower-case letters, digits and `-` that begins with a letter, or nothing",
    ],
  ] as const)("%s cannot be %s", (path, value, problem) => {
    expect(problemWith(path, value)).toBe(problem);
  });
});
