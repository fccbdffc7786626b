import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@tierwall/core/manifest";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { folderOf, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { AdmissionLab } from "./admission-lab.js";
import { ApiClient } from "./api-client.js";
import { attempts, guarantees, policies } from "./assumption-policies.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import { noKubectl } from "./kubectl.js";
import { definitionsIn, install, kinds, populate } from "./policy-cluster.js";

/* Guarantees on a real API server: what kubectl prints, and what the controller writes. */

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout });

const outsiders = { namespaces: { matchExpressions: [{ key: "pci", operator: "DoesNotExist" }] } };
const insiders = { namespaces: { matchLabels: { pci: "true" } } };
const claim = { from: [outsiders], to: [insiders], verdict: "Deny" };
const guard: JsonObject = {
  tier: "Admin",
  priority: 10,
  subject: insiders,
  ingress: [
    { name: "insiders", action: "Pass", from: [insiders] },
    { name: "no-others", action: "Deny", from: [{ namespaces: {} }] },
  ],
};
const hole: JsonObject = {
  tier: "Admin",
  priority: 5,
  subject: insiders,
  ingress: [
    {
      action: "Accept",
      from: [{ namespaces: {} }],
      protocols: [{ tcp: { destinationPort: { number: 8080 } } }],
    },
  ],
};
interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const broken = (port: number) =>
  `pod {} in namespace other {} → pod {} in namespace another {pci: "true"} on ${port}/TCP would be allowed`;

describe.skipIf(reason)(`kubectl, with guarantees and the webhook${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let lab: AdmissionLab;
  const made: string[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(api, definitionsIn(""));
    await populate(api);
    // With Fail, API servers would reveal the path of the webhook, and no user would be believed.
    lab = await AdmissionLab.start(plane, { failurePolicy: "Ignore" });
  }, startTimeout);
  afterAll(async () => {
    await lab?.stop();
    await plane?.stop();
  });
  afterEach(async () => {
    // Guarantees first: they would refuse that the others are deleted.
    for (const path of made.splice(0).toSorted().toReversed()) await api.delete(path).catch(() => undefined);
  });

  const applied = async (kind: (typeof kinds)[keyof typeof kinds], name: string, spec: JsonObject) => {
    made.push(`${kind.path}/${name}`);
    const { apiVersion, kind: called } = kind;
    return lab.kubectl(["apply", "-f", "-"], { apiVersion, kind: called, metadata: { name }, spec });
  };
  const deleteGuard = async (...options: readonly string[]) =>
    lab.kubectl(["delete", "clusternetworkpolicy", "guard", ...options]);

  it("answers whether a guarantee holds", async () => {
    const refuted = await applied(kinds.guarantee, "closed", claim);
    expect(refuted.status).toBe(0);
    expect(refuted.warnings).toEqual([`the guarantee does not hold: ${broken(80)}`]);
    await applied(kinds.cluster, "guard", guard);
    const metadata = { name: "tried" };
    const { apiVersion, kind } = kinds.guarantee;
    await expect
      .poll(async () => (await lab.dryRun({ apiVersion, kind, metadata, spec: claim })).warnings, patience)
      .toEqual(['the guarantee holds: it rests on ClusterNetworkPolicy guard rule 2 "no-others"']);
    const files = await applied(kinds.guarantee, "files", { ...claim, given: ["policies.yaml"] });
    expect(files.warnings[1]).toMatch(/^`spec.given` names files/);
  });

  it("refuses the deletion of a guardrail that a guarantee rests on, with the counterexample", async () => {
    await applied(kinds.cluster, "guard", guard);
    await applied(kinds.guarantee, "closed", { ...claim, onBreak: "Refuse" });
    await expect.poll(async () => deleteGuard("--dry-run=server"), patience).toMatchObject({ status: 1 });
    const refused = await deleteGuard();
    expect(refused.stderr).toContain(`denied the request: breaks Guarantee closed: ${broken(80)}`);
    expect(refused.stderr).toContain("set its `spec.onBreak` to `Warn`");
    expect(await api.statusOf(`${kinds.cluster.path}/guard`)).toBe(200);
    // What replaces it, or opens it, is refused as well.
    const opened = await applied(kinds.cluster, "hole", hole);
    expect([opened.status, opened.stderr]).toEqual([1, expect.stringContaining(broken(8080))]);
    const emptied = await applied(kinds.cluster, "guard", { ...guard, ingress: [] });
    expect(emptied.stderr).toContain("breaks Guarantee closed");
    // What does not break it is admitted.
    expect((await applied(kinds.cluster, "late", { ...hole, priority: 20 })).status).toBe(0);
    // Guarantees can always be deleted.
    expect((await lab.kubectl(["delete", "guarantee", "closed"])).status).toBe(0);
    await expect.poll(async () => (await deleteGuard("--dry-run=server")).status, patience).toBe(0);
  });

  it("is warned, without onBreak, and is not refused again what is broken", async () => {
    await applied(kinds.cluster, "guard", guard);
    await applied(kinds.guarantee, "closed", claim);
    await expect
      .poll(async () => (await deleteGuard("--dry-run=server")).warnings, patience)
      .toContain(`breaks Guarantee closed: ${broken(80)}`);
    const deleted = await deleteGuard();
    expect(deleted.status).toBe(0);
    await applied(kinds.guarantee, "closed", { ...claim, onBreak: "Refuse" });
    const { status, warnings } = await applied(kinds.cluster, "hole", hole);
    expect([status, warnings.filter((line) => line.includes("Guarantee"))]).toEqual([0, []]);
  });
});

describe.skipIf(noControlPlane)(`the controller, with guarantees${title}`, () => {
  afterAll(removeFolders);
  let lab: ControllerLab;
  beforeAll(async () => {
    lab = await ControllerLab.start(definitionsIn(""));
  }, startTimeout);
  afterAll(() => lab?.stop());
  afterEach(() => lab.removePolicies());

  const restsOn = async (path: string) => {
    const { status } = (await lab.api.ask({ path })).body as { status: { restsOn?: readonly string[] } };
    return status.restsOn;
  };
  const eventsAbout = async (name: string) => {
    const { body } = await lab.api.ask({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
    const items = body.items as { type: string; reason: string; note: string; regarding: JsonObject }[];
    return items
      .filter(({ regarding }) => regarding.name === name && regarding.kind === "Guarantee")
      .map(({ type, reason: why }) => `${type} ${why}`);
  };

  it("writes whether each holds, on what it rests, and an Event when that turns", async () => {
    const guarded = await lab.create(kinds.cluster, "guard", guard);
    const path = await lab.create(kinds.guarantee, "closed", claim);
    await lab.conditions(path, { Holds: { status: "True", reason: "Proven", observedGeneration: 1 } });
    expect(await restsOn(path)).toEqual(['ClusterNetworkPolicy guard rule 2 "no-others"']);
    expect(await lab.controller.metric('tierwall_guarantee_holds{guarantee="closed"}')).toBe(1);

    await lab.api.delete(guarded);
    const { Holds } = await lab.conditions(path, { Holds: { status: "False", reason: "Refuted" } });
    expect(Holds!.message).toBe(
      `it does not hold in every cluster with these policies; for example ${broken(80)}`,
    );
    expect(await restsOn(path)).toEqual([]);
    await expect.poll(async () => eventsAbout("closed"), patience).toEqual(["Warning Refuted"]);
    const { text } = await lab.controller.get("/metrics");
    expect(text).toContain('tierwall_guarantee_holds{guarantee="closed"} 0');

    await lab.create(kinds.cluster, "guard", guard);
    await lab.conditions(path, { Holds: { status: "True", reason: "Proven" } });
    await expect
      .poll(async () => (await eventsAbout("closed")).toSorted(), patience)
      .toEqual(["Normal Proven", "Warning Refuted"]);
  });

  it("an API server keeps the assumptions of a proof true, with the policies that `tierwall prove` writes", async () => {
    const folder = folderOf({ "policies.yaml": policies, "guarantees.yaml": guarantees });
    const run = tierwall(["prove", "guarantees.yaml", "-f", "policies.yaml", "--write", "saved"], {
      cwd: folder,
    });
    expect([run.status, run.stderr.split("\n").filter((line) => line.startsWith("wrote")).length]).toEqual([
      0, 5,
    ]);
    const files = readdirSync(join(folder, "saved"));
    const objects = files.flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, "saved", file), "utf8")).map(
        (each) => each.toJS() as Named,
      ),
    );
    const plural = (kind: string) =>
      `/apis/admissionregistration.k8s.io/v1/${kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings"}`;
    for (const object of objects) await lab.api.create(plural(object.kind), object);
    const sent = async (collection: string, metadata: object) =>
      lab.api.ask({
        method: "POST",
        path: `${collection}?dryRun=All`,
        body: JSON.stringify({
          metadata,
          ...(collection.endsWith("pods")
            ? { spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] } }
            : {}),
        }),
      });
    for (const { guarantee, collection, refused, admitted } of attempts) {
      // API servers read these policies a moment after they are written.
      await expect.poll(async () => (await sent(collection, refused)).status, patience).toBe(422);
      const { body } = await sent(collection, refused);
      expect(body.message).toContain(`ValidatingAdmissionPolicy '${guarantee}-assumes-1'`);
      expect(body.message).toContain("guarantees assume that ");
      expect(await sent(collection, admitted)).toMatchObject({ status: 201 });
    }
    // Labels that are changed, also through subresources.
    const headers = { "content-type": "application/merge-patch+json" };
    const labelled = async (path: string, labels: Readonly<Record<string, string>>) =>
      (
        await lab.api.ask({
          method: "PATCH",
          path: `${path}?dryRun=All`,
          headers,
          body: JSON.stringify({ metadata: { labels } }),
        })
      ).status;
    const shop = "/api/v1/namespaces/shop";
    for (const path of [shop, `${shop}/status`]) {
      expect(await labelled(path, { pci: "true", team: "a" })).toBe(200);
      expect(await labelled(path, { pci: "true" })).toBe(422);
    }
    const { body } = await lab.api.ask({ path: shop });
    const { labels, ...metadata } = body.metadata as { labels: object };
    const finalized = JSON.stringify({
      ...body,
      metadata: { ...metadata, labels: { ...labels, pci: "true" } },
    });
    const path = `${shop}/finalize?dryRun=All`;
    expect((await lab.api.ask({ method: "PUT", path, body: finalized })).status).toBe(422);
    expect(await labelled("/api/v1/namespaces/shop/pods/db", { tier: "data", app: "db" })).toBe(200);
    for (const part of ["", "/status"]) {
      expect(await labelled(`/api/v1/namespaces/shop/pods/web${part}`, { app: "db" })).toBe(422);
      expect(await labelled(`/api/v1/nodes/n1${part}`, { edge: "yes" })).toBe(422);
    }
    for (const { kind, metadata } of objects) await lab.api.delete(`${plural(kind)}/${metadata.name}`);
  });

  it("decides a guarantee again that is changed, and explains why one cannot be decided", async () => {
    await lab.create(kinds.cluster, "guard", guard);
    const path = await lab.create(kinds.guarantee, "changing", { ...claim, verdict: "Allow" });
    await lab.conditions(path, { Holds: { status: "False", observedGeneration: 1 } });
    await lab.api.patch(path, { spec: { verdict: "Deny" } });
    await lab.conditions(path, { Holds: { status: "True", observedGeneration: 2 } });
    const team = { matchExpressions: [{ key: "team", operator: "Exists" }] };
    await lab.api.patch(path, { spec: { assuming: [{ every: "namespace", has: team }] } });
    const { Holds } = await lab.conditions(path, { Holds: { status: "Unknown", reason: "Invalid" } });
    expect(Holds!.message).toMatch(
      /^it is assumed that every namespace has team, but namespace \S+ does not$/,
    );
    await lab.api.patch(path, { spec: { assuming: [], ports: ["99999/TCP"] } });
    await lab.conditions(path, { Holds: { status: "Unknown", reason: "Invalid", observedGeneration: 4 } });
    const nothing = { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "DoesNotExist" }] };
    await lab.api.patch(path, { spec: { ports: null, from: [{ namespaces: nothing }] } });
    await lab.conditions(path, { Holds: { status: "Unknown", reason: "Vacuous" } });
    await lab.api.delete(path);
    await expect
      .poll(
        async () => (await lab.controller.get("/metrics")).text.includes('guarantee="changing"'),
        patience,
      )
      .toBe(false);
  });
});
