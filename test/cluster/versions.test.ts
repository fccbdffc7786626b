import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { AdmissionLab } from "./admission-lab.js";
import { noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import { noKubectl } from "./kubectl.js";
import { conditionsOf, type Definition, definitionsIn, guarding, kinds } from "./policy-cluster.js";

/* One policy, while the definition of its kind goes from version to version (S3.10). */

const reason = noControlPlane ?? noKubectl;
const skipped = reason === undefined ? "" : ` (skipped: ${reason})`;
const definitionPath =
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusternetworkpolicies.policy.networking.k8s.io";
const group = "policy.networking.k8s.io";

vi.setConfig({ testTimeout });

interface Written {
  readonly metadata: {
    readonly generation: number;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly apiVersion: string;
      readonly subresource?: string;
    }[];
  };
}

/** The shape of the released version under other names, as upstream announced it. */
function definitionIn(served: readonly string[], stored: string): object {
  const [definition] = definitionsIn("").filter(
    ({ spec }) => spec.names.plural === "clusternetworkpolicies",
  ) as [Definition];
  const [version] = definition.spec.versions;
  const versions = ["v1alpha2", "v1beta1", "v1"].map((name) => ({
    ...version,
    name,
    served: served.includes(name),
    storage: name === stored,
  }));
  return { ...definition, spec: { ...definition.spec, versions } };
}

describe.skipIf(reason)(`versions of a kind${skipped}`, () => {
  let lab: ControllerLab;
  let priority = 10;
  let cwd: string;

  beforeAll(async () => {
    lab = await ControllerLab.start(definitionsIn(""));
    await lab.create(kinds.cluster, "guard", guarding("db", priority, ["Deny", "web"]));
    cwd = folderOf({});
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await lab?.stop();
  });

  const pathIn = (version: string) => `/apis/${group}/${version}/clusternetworkpolicies`;

  async function serve(served: readonly string[], stored: string): Promise<void> {
    await lab.api.patch(definitionPath, definitionIn(served, stored));
    for (const version of ["v1alpha2", "v1beta1", "v1"])
      await expect
        .poll(() => lab.api.statusOf(pathIn(version)), patience)
        .toBe(served.includes(version) ? 200 : 404);
  }

  /** Edits the policy, and waits for the conditions of that edit. */
  async function edited(version: string): Promise<{ readonly writtenIn: string; readonly accepted: string }> {
    const path = `${pathIn(version)}/guard`;
    priority++;
    await lab.api.patch(path, { spec: { priority } });
    let found: object = {};
    await expect
      .poll(async () => {
        found = (await lab.api.ask({ path })).body;
        const { generation } = (found as Written).metadata;
        return conditionsOf(found).Accepted?.observedGeneration === generation;
      }, patience)
      .toBe(true);
    const { managedFields } = (found as Written).metadata;
    const own = managedFields.filter(
      ({ manager, subresource }) => manager === "tierwall" && subresource === "status",
    );
    expect(own).toHaveLength(1);
    return { writtenIn: own[0]!.apiVersion, accepted: conditionsOf(found).Accepted!.reason };
  }

  const cli = (...args: readonly string[]) =>
    tierwall(args, { cwd, env: { KUBECONFIG: lab.plane.kubeconfig() } });
  const question = ["explain", "--from", "shop/web", "--to", "shop/db", "--port", "80"];

  it.each([
    { served: ["v1alpha2"], stored: "v1alpha2", read: "v1alpha2" },
    { served: ["v1alpha2", "v1beta1"], stored: "v1alpha2", read: "v1alpha2" },
    { served: ["v1alpha2", "v1beta1"], stored: "v1beta1", read: "v1alpha2" },
    { served: ["v1beta1"], stored: "v1beta1", read: "v1beta1" },
    { served: ["v1beta1", "v1"], stored: "v1beta1", read: "v1beta1" },
  ])("S3.10: served $served, stored $stored", async ({ served, stored, read }) => {
    await serve(served, stored);
    const written = async () => edited(served[0]!);
    // What is stored is looked up every ten seconds.
    await expect.poll(written, patience).toEqual({ writtenIn: `${group}/${stored}`, accepted: "Understood" });
    // The API server updates what it says about its APIs a moment after it serves them.
    await expect
      .poll(() => cli(...question, "-o", "json"), patience)
      .toMatchObject({ status: 0, stdout: expect.stringContaining(`"version": "${read}"`) as string });
    expect(cli(...question, "-o", "json").stdout).toContain('"verdict": "Deny"');
    expect(cli("validate").stdout).toContain("1 policy");
    expect(
      await lab.controller.metric(
        'tierwall_policies{kind="clusternetworkpolicies.policy.networking.k8s.io"}',
      ),
    ).toBe(1);
  });

  it("S3.10: a snapshot of v1beta1 gives the answers of the cluster", async () => {
    await serve(["v1beta1"], "v1beta1");
    expect(cli("snapshot", "-o", "one.json").status).toBe(0);
    expect(cli(...question, "-f", "one.json").stdout).toMatch(/DENIED[^]*ClusterNetworkPolicy guard/);
  });

  it("S3.10: the webhook is asked about v1beta1, and about v1 in a version that it knows", async () => {
    await serve(["v1beta1", "v1"], "v1beta1");
    const admission = await AdmissionLab.start(lab.plane);
    const policy = (version: string) => ({
      apiVersion: `${group}/${version}`,
      kind: "ClusterNetworkPolicy",
      metadata: { name: "other" },
      spec: guarding("db", 1, ["Deny", "cart"]),
    });
    for (const version of ["v1beta1", "v1"]) {
      const { status, warnings } = await admission.dryRun(policy(version));
      expect([status, warnings.join("\n")]).toEqual([0, expect.stringMatching(/becomes? denied/)]);
    }
    await admission.stop();
  });

  it("S3.10: an unknown version alone is evaluated as far as it is understood, and reported", async () => {
    await serve(["v1"], "v1");
    await expect
      .poll(() => edited("v1"), patience)
      .toEqual({ writtenIn: `${group}/v1`, accepted: "NotUnderstood" });
    await expect
      .poll(() => cli(...question), patience)
      .toMatchObject({
        status: 0,
        stdout: expect.stringContaining("DENIED") as string,
        stderr: expect.stringContaining("TW2015") as string,
      });
    await serve(["v1alpha2"], "v1alpha2");
    await expect.poll(() => edited("v1alpha2"), patience).toMatchObject({ accepted: "Understood" });
  });
});
