import type { JsonObject } from "@tierwall/core/manifest";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import { definitionsIn, guarding, kinds, lenient, podsOf, type PolicyKind } from "./policy-cluster.js";

/* What `tierwall controller` writes to a real API server. */

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

interface FoundEvent {
  readonly reason: string;
  readonly type: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly related?: { readonly name: string };
}

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`what the controller says of policies${skipped}`, () => {
  let lab: ControllerLab;

  beforeAll(async () => {
    // Of a newer API than ours the definition would be another one.
    const released = definitionsIn("").map((one) =>
      one.spec.names.plural === "adminnetworkpolicies" ? lenient(one) : one,
    );
    lab = await ControllerLab.start([...released, ...definitionsIn("first-draft/")]);
  }, startTimeout);
  afterAll(() => lab?.stop());
  afterEach(() => lab.removePolicies());

  const writes = () => lab.controller.metric('tierwall_status_writes_total{result="written"}');

  /** Once nothing more came for longer than it rests between two. */
  async function writesWhenIdle(): Promise<number> {
    for (;;) {
      const before = await writes();
      await new Promise((next) => setTimeout(next, 2000));
      if ((await writes()) === before) return before;
    }
  }

  async function eventsAbout(name: string, namespace = "default"): Promise<readonly FoundEvent[]> {
    const { body } = await lab.api.ask({ path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events` });
    return (body.items as readonly FoundEvent[]).filter(({ regarding }) => regarding.name === name);
  }

  const appliedTo = { namespaceSelector: {}, podSelector: { matchLabels: { app: "db" } } };
  const released = {
    subject: podsOf("db"),
    ingress: [{ name: "one", action: "Deny", from: [podsOf("web")] }],
  };

  it.each<[string, PolicyKind, JsonObject]>([
    ["ClusterNetworkPolicy", kinds.cluster, guarding("db", 1, ["Deny", "web"])],
    ["AdminNetworkPolicy", kinds.admin, { priority: 1, ...released }],
    ["BaselineAdminNetworkPolicy", kinds.baseline, released],
    [
      "ClusterNetworkPolicy of the first draft",
      kinds.draft,
      { appliedTo, ingress: [{ action: "Deny", from: [{ namespaceSelector: {} }] }] },
    ],
    [
      "ClusterDefaultNetworkPolicy",
      kinds.draftDefault,
      { appliedTo, ingress: [{ from: [{ namespaceSelector: {} }] }] },
    ],
  ])("%s: its conditions report no problems, for the current version", async (_, kind, spec) => {
    const name = kind === kinds.baseline ? "default" : "guard";
    const path = await lab.create(kind, name, spec);
    const well = (observedGeneration: number) => ({
      Accepted: { status: "True", reason: "Understood", observedGeneration },
      Programmed: { status: "Unknown", reason: "NoAgents", observedGeneration },
      Conflicted: { status: "False", reason: "NoConflict", observedGeneration },
      Shadowed: { status: "False", reason: "NoShadow", observedGeneration },
    });
    const before = await lab.conditions(path, well(1));
    // A second later, as otherwise the times could be equal by chance.
    await new Promise((next) => setTimeout(next, 1100));
    await lab.api.patch(path, { spec: { ingress: [] } });
    const after = await lab.conditions(path, well(2));
    expect(after.Accepted!.lastTransitionTime).toBe(before.Accepted!.lastTransitionTime);
    const { body } = await lab.api.ask({ path });
    const { managedFields } = body.metadata as { managedFields: { manager: string; subresource?: string }[] };
    expect(managedFields).toContainEqual(
      expect.objectContaining({ manager: "tierwall", operation: "Apply", subresource: "status" }),
    );
  });

  it("S3.6: a part that is not understood, with its field and what the rule does instead", async () => {
    const path = await lab.create(kinds.admin, "newer", {
      ...released,
      priority: 1,
      egress: [{ action: "Deny", to: [{ regions: ["eu"] }] }],
    });
    const { Accepted } = await lab.conditions(path, {
      Accepted: { status: "False", reason: "NotUnderstood" },
    });
    expect(Accepted!.message).toContain("spec.egress[0].to[0].regions: unknown field `regions`");
    expect(Accepted!.message).toContain("so this rule denies everything");
    await expect
      .poll(() => eventsAbout("newer"), patience)
      .toMatchObject([{ type: "Warning", reason: "NotUnderstood" }]);
    await lab.api.patch(path, { spec: { egress: [] } });
    await lab.conditions(path, { Accepted: { status: "True", observedGeneration: 2 } });
    await expect
      .poll(async () => (await eventsAbout("newer")).map(({ type, reason }) => `${type} ${reason}`), patience)
      .toContain("Normal Understood");
  });

  it("S5.9: a subject that is not understood: the policy is not enforced", onlyInFull, async () => {
    const path = await lab.create(kinds.admin, "machines", { priority: 1, subject: { machines: {} } });
    const { Accepted } = await lab.conditions(path, { Accepted: { status: "False", reason: "NotEnforced" } });
    expect(Accepted!.message).toContain("its subject is not understood; the policy is not enforced");
  });

  it("S1.13: two of the same priority that disagree, with the port of a connection that shows it, until one gets another", async () => {
    const first = await lab.create(kinds.cluster, "a", guarding("db", 5, ["Deny", "web"]));
    const second = await lab.create(
      kinds.cluster,
      "b",
      guarding("db", 5, ["Accept", "web"], ["Deny", "cart"]),
    );
    const { Conflicted } = await lab.conditions(first, {
      Conflicted: { status: "True", reason: "SamePriority" },
    });
    expect(Conflicted!.message).toContain("priority 5 of tier admin is shared with ClusterNetworkPolicy b");
    expect(Conflicted!.message).toMatch(
      /; for example ingress of :\d+\/TCP is denied, and would be allowed with ClusterNetworkPolicy b first$/,
    );
    await lab.conditions(second, { Conflicted: { status: "True" }, Shadowed: { status: "True" } });
    await lab.api.patch(second, { spec: { priority: 4 } });
    await lab.conditions(first, { Conflicted: { status: "False" }, Shadowed: { status: "True" } });
    await lab.conditions(second, { Conflicted: { status: "False" }, Shadowed: { status: "False" } });
  });

  it("rules that never decide anything, and the rules that shadow them", onlyInFull, async () => {
    await lab.create(kinds.cluster, "early", guarding("db", 1, ["Pass", "web"]));
    const path = await lab.create(
      kinds.cluster,
      "late",
      guarding("db", 2, ["Accept", "cart"], ["Deny", "web"]),
    );
    const { Shadowed } = await lab.conditions(path, {
      Shadowed: { status: "True", reason: "RulesNeverDecide" },
    });
    expect(Shadowed!.message).toBe(
      'spec.ingress[1] "rule-1" never decides anything in any cluster: ClusterNetworkPolicy early rule 1 "rule-0" decides all that it matches before it',
    );
    await expect
      .poll(() => eventsAbout("late"), patience)
      .toMatchObject([{ type: "Warning", reason: "RulesNeverDecide" }]);
  });

  it(
    "to the owner of a NetworkPolicy: which policy of the cluster that came later overrides it",
    onlyInFull,
    async () => {
      const policies = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies";
      const from = [{ podSelector: { matchLabels: { app: "web" } } }];
      const spec = { podSelector: { matchLabels: { app: "db" } }, ingress: [{ from }] };
      await lab.api.create(policies, { metadata: { name: "db" }, spec });
      lab.removeLater(`${policies}/db`);
      await expect
        .poll(
          () => lab.controller.metric('tierwall_policies{kind="networkpolicies.networking.k8s.io"}'),
          patience,
        )
        .toBe(1);
      const path = await lab.create(kinds.cluster, "lockdown", guarding("db", 1, ["Deny", "web"]));
      await expect
        .poll(() => eventsAbout("db", "shop"), patience)
        .toMatchObject([
          {
            type: "Warning",
            reason: "Overridden",
            related: { name: "lockdown" },
            note: 'ClusterNetworkPolicy lockdown rule 1 "rule-0" denies ingress that this policy allows: 1 pair of endpoints; for example shop/web → shop/db :443/TCP',
          },
        ]);
      // An edit that overrides no more than before is not worth another.
      await lab.api.patch(path, { spec: { priority: 2 } });
      await lab.conditions(path, { Shadowed: { observedGeneration: 2 } });
      expect(await eventsAbout("db", "shop")).toHaveLength(1);
    },
  );

  it(
    "again, where another program overwrote it; and nothing where all is as it should be",
    onlyInFull,
    async () => {
      const path = await lab.create(kinds.cluster, "guard", guarding("db", 1, ["Deny", "web"]));
      const before = await lab.conditions(path, {
        Accepted: { status: "True" },
        Shadowed: { status: "False" },
      });
      const written = await writesWhenIdle();
      await lab.api.patch("/api/v1/namespaces/shop", { metadata: { labels: { quiet: "yes" } } });
      await new Promise((next) => setTimeout(next, 6000));
      expect(await writes()).toBe(written);
      const foreign = {
        type: "Accepted",
        status: "False",
        reason: "Foreign",
        message: "no",
        lastTransitionTime: before.Accepted!.lastTransitionTime,
      };
      await lab.api.patch(`${path}/status`, { status: { conditions: [foreign] } });
      await lab.conditions(path, { Accepted: { status: "True" }, Shadowed: { status: "False" } });
    },
  );

  it("and that it is ready, and in figures what it does", async () => {
    expect(await lab.controller.get("/readyz")).toEqual({ status: 200, text: "ok\n" });
    expect(await lab.controller.get("/livez")).toEqual({ status: 200, text: "ok\n" });
    expect(await lab.controller.metric("tierwall_pods")).toBe(3);
    expect(await lab.controller.metric("tierwall_leader")).toBe(1);
    expect(await lab.controller.metric("tierwall_recompute_seconds_count")).toBeGreaterThan(5);
    expect(await lab.controller.metric("tierwall_status_lag_seconds_count")).toBeGreaterThan(5);
  });
});
