import type { JsonObject } from "@tierwall/core/manifest";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import { kubectl, noKubectl } from "./kubectl.js";
import { definitionsIn, kinds } from "./policy-cluster.js";

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
  let lab: ControllerLab;

  beforeAll(async () => {
    const others = definitionsIn("").filter(({ spec }) => spec.names.plural !== "adminnetworkpolicies");
    lab = await ControllerLab.start([...others, ...definitionsIn("kep-2091/")]);
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await lab?.stop();
  });
  afterEach(() => lab.removePolicies());

  const create = (name: string, spec: JsonObject) => lab.create(kinds.admin, name, spec);

  const verdict = (from: string): string =>
    tierwall(["explain", "--from", `shop/${from}`, "--to", "shop/db", "--port", "5432"], {
      env: { KUBECONFIG: lab.plane.kubeconfig() },
    }).stdout;

  it("have conditions about the current version, and decide", async () => {
    const path = await create("guard", guarding(10, ["Deny", "web"]));
    const well = (observedGeneration: number) => ({
      Accepted: { status: "True", reason: "Understood", observedGeneration },
      Programmed: { status: "Unknown", reason: "NoAgents", observedGeneration },
      Conflicted: { status: "False", reason: "NoConflict", observedGeneration },
      Shadowed: { status: "False", reason: "NoShadow", observedGeneration },
    });
    await lab.conditions(path, well(1));
    expect(verdict("web")).toMatch(/DENIED[^]*AdminNetworkPolicy guard/);
    expect(verdict("cart")).toContain("ALLOWED");
    await lab.api.patch(path, { spec: { priority: 11 } });
    await lab.conditions(path, well(2));
  });

  it("S5.1: the higher priority is asked first, and shadows the other", async () => {
    const low = await create("low", guarding(10, ["Deny", "web"]));
    const high = await create("high", guarding(20, ["Allow", "web"]));
    const { Shadowed } = await lab.conditions(low, {
      Shadowed: { status: "True", reason: "RulesNeverDecide" },
    });
    expect(Shadowed!.message).toContain("AdminNetworkPolicy high");
    await lab.conditions(high, { Shadowed: { status: "False" } });
    expect(verdict("web")).toMatch(/ALLOWED[^]*AdminNetworkPolicy high/);
  });

  it("S1.13: two of one priority that disagree are reported, with the port of a connection that shows it", async () => {
    const first = await create("a", guarding(10, ["Allow", "web"]));
    const second = await create("b", guarding(10, ["Deny", "web"]));
    for (const path of [first, second]) {
      const { Conflicted } = await lab.conditions(path, {
        Conflicted: { status: "True", reason: "SamePriority" },
      });
      expect(Conflicted!.message).toMatch(/priority 10[^]*comes first, by its name; for example ingress of/);
    }
  });

  it.skipIf(noKubectl)("are listed and explained by kubectl", async () => {
    const path = await create("guard", guarding(10, ["Deny", "web"]));
    await lab.conditions(path, { Accepted: { status: "True" }, Programmed: { status: "Unknown" } });
    const config = lab.plane.kubeconfig();
    expect((await kubectl(config, ["get", "anp"])).stdout).toMatch(/guard +10 +True +Unknown/);
    const { stdout } = await kubectl(config, ["explain", "anp.spec.priority"]);
    expect(stdout).toContain("the largest number is evaluated first");
  });
});
