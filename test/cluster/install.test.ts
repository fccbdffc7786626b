import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { findHelm } from "../../scripts/kube-binaries.mjs";

/*
 * One set of objects, in three packages: all of them install the same.
 */

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const chart = join(deploy, "helm/tierwall");
const helm = findHelm();
const noHelm = helm === undefined ? " (skipped: no helm at hand; `npm run test:cluster` gets it)" : "";
const noKubectl = spawnSync("kubectl", ["version", "--client"]).error ? " (skipped: needs kubectl)" : "";

const scratch = mkdtempSync(join(tmpdir(), "tierwall-install-"));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
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

const rendered = (...args: readonly string[]) =>
  objectsIn(output(helm!, "template", "tierwall", chart, "--namespace", "tierwall-system", ...args));

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

  it("passes settings on", () => {
    const values = join(scratch, "values.yaml");
    writeFileSync(
      values,
      "controller: {replicas: 3}\nimage: {tag: '1.2'}\nagent: {extraArgs: [--shadow], tolerations: []}\nwebhook: {enabled: false}\n",
    );
    const made = rendered("-f", values);
    expect(made.get("Deployment tierwall-controller")).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: { containers: [{ image: "tierwall:1.2", args: ["controller", "--metrics-address=:9464"] }] },
        },
      },
    });
    expect(JSON.stringify(made.get("DaemonSet tierwall-agent"))).toContain('"--shadow"');
  });

  it.each([
    "controller.replicas=0",
    "controller.replicas=many",
    "webhook.failurePolicy=Maybe",
    "agent.unknownPods=perhaps",
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

const sorted = (objects: ReadonlyMap<string, Manifest>) =>
  Object.fromEntries([...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)));
