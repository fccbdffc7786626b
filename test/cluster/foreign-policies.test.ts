import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  allKinds,
  type ClusterListing,
  ClusterSource,
  ForeignApiWatch,
  namesOfForeign,
  type Situation,
} from "@tierwall/kube";
import { formatForeign } from "@tierwall/core/manifest";
import { openCluster, type RunningPage, startPage } from "@tierwall/server";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { AdmissionLab } from "./admission-lab.js";
import { noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import { aws, calico, uninstall } from "./foreign-definitions.js";
import { noKubectl } from "./kubectl.js";
import { conditionsAt, definitionsIn, guarding, install, kinds } from "./policy-cluster.js";

/* Policies of other projects in a real API server: what they decide is not known, and nothing says otherwise (S9.3). */

const reason = noControlPlane ?? noKubectl;
const skipped = reason === undefined ? "" : ` (skipped: ${reason})`;
const times = {
  idleMilliseconds: 2000,
  absentMilliseconds: 300,
  firstPauseMilliseconds: 20,
  longestPauseMilliseconds: 500,
};

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`policies of other projects${skipped}`, () => {
  let lab: ControllerLab;
  let cwd: string;

  beforeAll(async () => {
    lab = await ControllerLab.start(definitionsIn(""));
    await install(lab.api, [calico.definition, aws.definition]);
    cwd = folderOf({});
  }, startTimeout);
  afterEach(async () => {
    await lab.removePolicies();
  });
  afterAll(async () => {
    removeFolders();
    await lab?.stop();
  });

  const create = async (path: string, object: { metadata: { name: string } }) => {
    await lab.api.create(path, object);
    lab.removeLater(`${path}/${object.metadata.name}`);
  };
  const run = (user: "admin" | "guest", ...args: readonly string[]) =>
    tierwall(args, { cwd, env: { KUBECONFIG: lab.plane.kubeconfig(user) } });
  const cli = (...args: readonly string[]) => run("admin", ...args);
  const question = ["explain", "--from", "shop/web", "--to", "shop/db", "--port", "80"];
  const toCart = ["explain", "--from", "shop/web", "--to", "shop/cart", "--port", "80"];
  const verdict = (...args: readonly string[]) =>
    (JSON.parse(cli(...args, "-o", "json").stdout) as { verdict: string }).verdict;

  describe("the command line", () => {
    it("S9.3: an API that is served and has no objects changes nothing", () => {
      expect(verdict(...question)).toBe("Allow");
      expect(cli("validate").stdout).not.toMatch(/projectcalico|k8s\.aws/);
    });

    it("S9.3: Calico's GlobalNetworkPolicy leaves the verdict open, and is named", async () => {
      await create(calico.path, calico.denyAll);
      const { stdout } = cli(...question);
      expect(stdout).not.toContain("ALLOWED");
      expect(stdout).toMatch(/UNDECIDED[^]*Calico GlobalNetworkPolicy lockdown/);
      expect(verdict(...question, "--ignore-api", "crd.projectcalico.org")).toBe("Allow");
    });

    it("S9.4: AWS's ClusterNetworkPolicy leaves open only what its subject may hold", async () => {
      await create(aws.path, aws.denyDb);
      expect(cli(...question).stdout).toMatch(/UNDECIDED[^]*AWS ClusterNetworkPolicy no-db/);
      expect(verdict(...toCart)).toBe("Allow");
    });

    it("S9.3: a snapshot has them, and gives the same answer", async () => {
      await create(calico.path, calico.denyAll);
      expect(cli("snapshot", "-o", "foreign.json").status).toBe(0);
      expect(readFileSync(join(cwd, "foreign.json"), "utf8")).toContain("GlobalNetworkPolicy");
      expect(cli(...question, "-f", "foreign.json").stdout).toMatch(/UNDECIDED[^]*lockdown/);
    });

    it("S9.5: a user who may not list them learns it with the verdict", async () => {
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const apiGroup = "rbac.authorization.k8s.io";
      const name = "reads-own-kinds";
      const own = ["", "discovery.k8s.io", "networking.k8s.io", "policy.networking.k8s.io"];
      await lab.api.create(`${rbac}/clusterroles`, {
        metadata: { name },
        rules: [{ apiGroups: own, resources: ["*"], verbs: ["list"] }],
      });
      await lab.api.create(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects: [{ apiGroup, kind: "User", name: "guest" }],
      });
      await expect.poll(() => run("guest", ...question).status, patience).toBe(0);
      const { stdout } = run("guest", ...question);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(
        "globalnetworkpolicies.crd.projectcalico.org could not be read",
      );
      const { caveats } = JSON.parse(run("guest", ...question, "-o", "json").stdout) as {
        caveats: { kind: string; text: string }[];
      };
      expect(caveats.map(({ text }) => text).join()).toContain("clusternetworkpolicies.networking.k8s.aws");
    });
  });

  describe("list and watch", () => {
    it("S9.3: objects appear and disappear with their definition, and others stay", async () => {
      const source = new ClusterSource(await lab.plane.connect(), {
        kinds: allKinds,
        keepsObjects: true,
        times,
      });
      const seen: Situation[] = [];
      await source.start((situation) => void seen.push(situation));
      const foreign = () => seen.at(-1)!.foreign.map(formatForeign);
      const listed = (): ClusterListing["objects"] =>
        source.listing().objects.filter(({ kind }) => kind === "GlobalNetworkPolicy");
      expect(foreign()).toEqual([]);
      const { cluster, tiers } = seen.at(-1)!;

      for (const name of ["lockdown", "other"])
        await lab.api.create(calico.path, { ...calico.denyAll, metadata: { name } });
      await expect
        .poll(foreign, patience)
        .toEqual(["Calico GlobalNetworkPolicy lockdown", "Calico GlobalNetworkPolicy other"]);
      expect(listed()).toHaveLength(2);
      // S9.7: they are no part of what is enforced.
      expect(seen.at(-1)!.tiers).toBe(tiers);
      expect(seen.at(-1)!.cluster).toBe(cluster);
      await lab.api.delete(`${calico.path}/other`);
      await expect.poll(foreign, patience).toEqual(["Calico GlobalNetworkPolicy lockdown"]);

      await uninstall(lab.api, calico.definition);
      await expect.poll(foreign, patience).toEqual([]);
      expect(source.listing()).toMatchObject({ forbidden: [] });
      await install(lab.api, [calico.definition]);
      await lab.api.create(calico.path, calico.denyAll);
      await expect.poll(foreign, patience).toEqual(["Calico GlobalNetworkPolicy lockdown"]);
      await source.stop();
      await lab.api.delete(`${calico.path}/lockdown`);
    });

    it("S9.5: what may not be read is named, and keeps nothing from starting", async () => {
      const source = new ClusterSource(await lab.plane.connect("guest"), {
        kinds: allKinds.filter(({ kind, isForeign }) => isForeign === true || kind === "Namespace"),
        whenForbidden: "wait",
        times,
      });
      await source.start(() => undefined);
      const { forbidden, missing } = source.listing();
      expect(forbidden).toEqual(
        expect.arrayContaining([
          "globalnetworkpolicies.crd.projectcalico.org",
          "clusternetworkpolicies.networking.k8s.aws",
        ]),
      );
      expect(missing).toEqual([]);
      await source.stop();
    });
  });

  describe("what an agent asks", () => {
    it("is which APIs are served, and follows definitions that come and go", async () => {
      const reported: string[] = [];
      const watch = new ForeignApiWatch(
        await lab.plane.connect("guest"),
        { onServed: (served) => void reported.push(namesOfForeign(served)), onTrouble: () => undefined },
        { first: 0, every: 100 },
      );
      watch.start();
      const both = "Calico GlobalNetworkPolicy, AWS ClusterNetworkPolicy";
      await expect.poll(() => reported, patience).toEqual([both]);
      await uninstall(lab.api, aws.definition);
      await expect.poll(() => reported, patience).toEqual([both, "Calico GlobalNetworkPolicy"]);
      await install(lab.api, [aws.definition]);
      await expect.poll(() => reported.at(-1), patience).toBe(both);
      await watch.stop();
    });
  });

  describe("the page", () => {
    let page: RunningPage;
    beforeAll(async () => {
      const opened = await openCluster(await lab.plane.connect());
      if (!opened.ok) throw new Error(opened.message);
      const started = await startPage({ feed: opened.feed, port: 0 });
      if (!started.ok) throw new Error(started.message);
      page = started.page;
    });
    afterAll(async () => page?.close());

    it("S9.3: follows them", async () => {
      const asked = async () => {
        const response = await fetch(`${page.url}api/v1/explain?from=shop/web&to=shop/db&port=80`);
        return ((await response.json()) as { verdict: string }).verdict;
      };
      expect(await asked()).toBe("Allow");
      await create(calico.path, calico.denyAll);
      await expect.poll(asked, patience).toBe("Undecided");
      await lab.removePolicies();
      await expect.poll(asked, patience).toBe("Allow");
    });
  });

  describe("the controller", () => {
    const metric = 'tierwall_foreign_policies{group="crd.projectcalico.org",kind="GlobalNetworkPolicy"}';

    it("counts them, says so in its log and in a condition, and takes that back", async () => {
      const path = await lab.create(kinds.cluster, "guard", guarding("db", 1, ["Deny", "web"]));
      const found = await lab.conditions(path, { Accepted: { status: "True" } });
      expect(found).not.toHaveProperty("ForeignPolicies");

      await lab.api.create(calico.path, calico.denyAll);
      await lab.conditions(path, {
        Accepted: { status: "True" },
        ForeignPolicies: {
          status: "True",
          reason: "InForce",
          message: expect.stringContaining("Calico GlobalNetworkPolicy") as string,
        },
      });
      expect(await lab.controller.metric(metric)).toBe(1);
      const inForce = ["foreign", "Calico GlobalNetworkPolicy"] as const;
      await lab.controller.says("policies of other projects are in force", inForce);
      const { body } = await lab.api.ask({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
      expect(JSON.stringify(body)).not.toContain("ForeignPolicies");

      await lab.api.delete(`${calico.path}/lockdown`);
      await expect
        .poll(async () => conditionsAt(lab.api, path), patience)
        .not.toHaveProperty("ForeignPolicies");
      expect(await lab.controller.metric(metric)).toBe(0);
    });
  });

  describe("the webhook", () => {
    it("S9.7: says for how many connections its preview holds only in part", async () => {
      await create(calico.path, calico.denyAll);
      const admission = await AdmissionLab.start(lab.plane);
      const { status, warnings } = await admission.dryRun({
        apiVersion: kinds.cluster.apiVersion,
        kind: kinds.cluster.kind,
        metadata: { name: "guard" },
        spec: guarding("db", 1, ["Deny", "web"]),
      });
      await admission.stop();
      expect(status).toBe(0);
      expect(warnings).toContain(
        "6 connections between pods cannot be decided because of policies of other projects: Calico GlobalNetworkPolicy",
      );
      expect(warnings.join()).not.toContain("lockdown");
    });
  });
});
