import type { JsonObject } from "@tierwall/core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { removeFolders, tierwall } from "../../packages/cli/src/testing/run-command.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { kubectl, noKubectl } from "./kubectl.js";
import {
  conditionsAt,
  createPolicy,
  definitionsIn,
  type FoundCondition,
  install,
  kinds,
  populate,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

/* A cluster whose AdminNetworkPolicy is that of KEP-2091, instead of the released one of the same name. */

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

const namespaceSelector = {};
const appIs = (app: string): JsonObject => ({ matchLabels: { app } });

/** About what enters the pods of `db` from those of another app. */
const guarding = (priority: number, ...rules: readonly (readonly [string, string])[]): JsonObject => ({
  priority,
  subject: { namespaceAndPodSelector: { namespaceSelector, podSelector: appIs("db") } },
  ingress: rules.map(([action, from]) => ({
    action,
    l4Selector: { allPorts: true },
    from: [{ namespacedPods: { namespaces: { namespaceSelector }, pods: { podSelector: appIs(from) } } }],
  })),
});

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`AdminNetworkPolicies in the shape of KEP-2091${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let controller: RunningController;
  const made: string[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    const others = definitionsIn("").filter(({ spec }) => spec.names.plural !== "adminnetworkpolicies");
    await install(api, [...others, ...definitionsIn("kep-2091/")]);
    await populate(api);
    controller = RunningController.start(plane);
    await controller.says("leading");
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await controller?.stop("SIGKILL");
    await plane?.stop();
  });
  afterEach(async () => {
    for (const path of made.splice(0)) await api.delete(path).catch(() => undefined);
  });

  async function create(name: string, spec: JsonObject): Promise<string> {
    const path = await createPolicy(api, kinds.admin, name, spec);
    made.push(path);
    return path;
  }

  async function told(path: string, wanted: Readonly<Record<string, Partial<FoundCondition>>>) {
    let found: Readonly<Record<string, FoundCondition>> = {};
    await expect.poll(async () => (found = await conditionsAt(api, path)), patience).toMatchObject(wanted);
    return found;
  }

  const verdict = (from: string): string =>
    tierwall(["explain", "--from", `shop/${from}`, "--to", "shop/db", "--port", "5432"], {
      env: { KUBECONFIG: plane.kubeconfig() },
    }).stdout;

  it("have conditions about the version at hand, and decide", async () => {
    const path = await create("guard", guarding(10, ["Deny", "web"]));
    const well = (observedGeneration: number) => ({
      Accepted: { status: "True", reason: "Understood", observedGeneration },
      Programmed: { status: "Unknown", reason: "NoAgents", observedGeneration },
      Conflicted: { status: "False", reason: "NoConflict", observedGeneration },
      Shadowed: { status: "False", reason: "NoShadow", observedGeneration },
    });
    await told(path, well(1));
    expect(verdict("web")).toMatch(/DENIED[^]*AdminNetworkPolicy guard/);
    expect(verdict("cart")).toContain("ALLOWED");
    await api.patch(path, { spec: { priority: 11 } });
    await told(path, well(2));
  });

  it("S5.1: the higher priority is asked first, and shadows the other", async () => {
    const low = await create("low", guarding(10, ["Deny", "web"]));
    const high = await create("high", guarding(20, ["Allow", "web"]));
    const { Shadowed } = await told(low, { Shadowed: { status: "True", reason: "RulesNeverDecide" } });
    expect(Shadowed!.message).toContain("AdminNetworkPolicy high");
    await told(high, { Shadowed: { status: "False" } });
    expect(verdict("web")).toMatch(/ALLOWED[^]*AdminNetworkPolicy high/);
  });

  it("S1.13: two of one priority that disagree are told, with a connection that shows it", async () => {
    const first = await create("a", guarding(10, ["Allow", "web"]));
    const second = await create("b", guarding(10, ["Deny", "web"]));
    for (const path of [first, second]) {
      const { Conflicted } = await told(path, { Conflicted: { status: "True", reason: "SamePriority" } });
      expect(Conflicted!.message).toMatch(/priority 10[^]*comes first, by its name; for example ingress of/);
    }
  });

  it.skipIf(noKubectl)("are listed and explained by kubectl", async () => {
    const path = await create("guard", guarding(10, ["Deny", "web"]));
    await told(path, { Accepted: { status: "True" }, Programmed: { status: "Unknown" } });
    const config = plane.kubeconfig();
    expect((await kubectl(config, ["get", "anp"])).stdout).toMatch(/guard +10 +True +Unknown/);
    const { stdout } = await kubectl(config, ["explain", "anp.spec.priority"]);
    expect(stdout).toContain("the larger number is evaluated first");
  });
});
