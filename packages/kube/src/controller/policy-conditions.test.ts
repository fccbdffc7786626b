import { prove } from "@tierwall/core/analysis";
import { compile } from "@tierwall/core/engine";
import { foreignKinds, type ForeignObject, readObjects } from "@tierwall/core/manifest";
import { keyOf, LiveState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import type { KindHealth } from "../cluster/reflector.js";
import { type Situation, situationOf } from "../cluster/situation.js";
import { findingsFrom } from "./findings.js";
import type { NodeReport } from "./node-reports.js";
import { PolicyConditions } from "./policy-conditions.js";
import { digestOf } from "./programmed-report.js";
import { StoredPolicies } from "./stored-policies.js";

/* What is said of policies when not everything is known; test/cluster/controller.test.ts has the rest. */

const nodes = ["n1", "n2"].map(
  (name) => `{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {}}}`,
);
const guard = (generation: number, more = "ingress: []") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: guard, uid: u1, generation: ${generation}}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ${more}}}`;

function setup() {
  const state = new LiveState({ provenance: "cluster" });
  const stored = new StoredPolicies(() => undefined);
  const reports = new Map<string, NodeReport>();
  const health: KindHealth = { state: "synced", isKnown: true };
  let now = 0;
  const patience = { programming: 3000, newNode: 60_000 };
  const conditions = new PolicyConditions(stored, { all: reports, health }, patience, () => now);
  let situation: Situation;
  const apply = (...texts: readonly string[]) => {
    for (const text of texts)
      readObjects(
        { file: "cluster.yaml", text: text.replace(/^-/, "") },
        {
          object: (object) => {
            if (text.startsWith("-")) return state.remove(keyOf(object));
            state.set(object);
            const isNew = stored.of({ stored: { uid: "u1", generation: 1 } }) === undefined;
            if (object.kind === "ClusterNetworkPolicy" && isNew) stored.saw("guard", { ...object.value });
          },
          report: ({ message }) => expect.fail(message),
        },
      );
    situation = situationOf(state.moment(), 0);
    conditions.take(situation);
  };
  const takeForeign = (part: Partial<Pick<Situation, "foreign" | "unreadForeign">>) => {
    situation = { ...situationOf(state.moment(), 0), ...part };
    conditions.take(situation);
    return conditions.wantedFor("u1")?.conditions.find(({ type }) => type === "ForeignPolicies");
  };
  return {
    apply,
    takeForeign,
    conditions,
    analyse: () => conditions.find(findingsFrom(prove(compile(situation.cluster, situation.tiers)))),
    /** Writes what should be there. Gives back `Accepted True 1`, with the generation it is of. */
    write: () => {
      const wanted = conditions.wantedFor("u1")?.conditions ?? [];
      const dated = wanted.map((condition) => ({ ...condition, lastTransitionTime: "then" }));
      stored.wrote("u1", { metadata: {}, status: { conditions: dated } });
      return wanted.map(({ type, status, observedGeneration }) => `${type} ${status} ${observedGeneration}`);
    },
    report: (node: string, generation: number) => {
      const programmed = new Set([digestOf({ uid: "u1", generation })]);
      reports.set(node, { programmed, shadow: false, renewed: "" });
    },
    wait: (milliseconds: number) => (now += milliseconds),
    accepted: () => conditions.wantedFor("u1")?.conditions.find(({ type }) => type === "Accepted"),
  };
}

describe("conditions of a policy", () => {
  it("say what is known, and what is proven once it is", () => {
    const { apply, analyse, write } = setup();
    apply(...nodes, guard(1));
    expect(write()).toEqual(["Accepted True 1", "Programmed Unknown 1"]);
    analyse();
    const all = ["Accepted True 1", "Programmed Unknown 1", "Conflicted False 1", "Shadowed False 1"];
    expect(write()).toEqual(all);
    // An edit leaves what was proven of the version before.
    apply(guard(2, "egress: []"));
    expect(write()).toEqual([
      "Accepted True 2",
      "Programmed Unknown 2",
      "Conflicted False 1",
      "Shadowed False 1",
    ]);
    apply(`-${guard(2)}`);
    expect(write()).toEqual([]);
  });

  const programmed = (said: readonly string[]) => said.find((one) => one.startsWith("Programmed"));

  it("give nodes a while before they say that some do not enforce a new version", () => {
    const { apply, write, report, wait } = setup();
    apply(...nodes, guard(1));
    report("n1", 1);
    expect(programmed(write())).toBeUndefined();
    report("n2", 1);
    expect(programmed(write())).toBe("Programmed True 1");
    apply(guard(2, "egress: []"));
    expect(programmed(write())).toBe("Programmed True 1");
    report("n1", 2);
    report("n2", 2);
    expect(programmed(write())).toBe("Programmed True 2");
    apply(guard(3));
    expect(programmed(write())).toBe("Programmed True 2");
    wait(3001);
    expect(programmed(write())).toBe("Programmed False 3");
  });

  it("have messages that API servers take and terminals can show, whatever is in a policy", () => {
    const { apply, accepted } = setup();
    const name = `\\u001b[32m✓\\n${"x".repeat(50_000)}`;
    apply(...nodes, guard(1, `ingress: [{action: Deny, from: [{"${name}": {}}]}]`));
    const { status, message } = accepted()!;
    expect(status).toBe("False");
    expect(message.length).toBeLessThanOrEqual(4096);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it("do not count a new node that has no agent yet, for a while", () => {
    const { apply, write, report, wait } = setup();
    apply(...nodes, guard(1));
    report("n1", 1);
    report("n2", 1);
    expect(programmed(write())).toBe("Programmed True 1");
    apply("{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {}}}");
    wait(50_000);
    expect(programmed(write())).toBe("Programmed True 1");
    wait(20_000);
    write();
    wait(4000);
    expect(programmed(write())).toBe("Programmed False 1");
  });
});

describe("policies of other projects", () => {
  const kindOf = (kind: string) => foreignKinds.find((one) => one.product === "Calico" && one.kind === kind)!;
  const object = (): ForeignObject =>
    ({
      kind: kindOf("GlobalNetworkPolicy"),
      name: "lockdown",
      place: () => undefined,
    }) as unknown as ForeignObject;

  it.each([
    ["nothing", {}, undefined, ""],
    ["objects", { foreign: [object()] }, "True", /are not evaluated here: Calico GlobalNetworkPolicy$/],
    [
      "kinds that cannot be read",
      { unreadForeign: [kindOf("NetworkPolicy")] },
      "Unknown",
      /^policies of other projects may be in force, and the controller cannot read them: Calico NetworkPolicy$/,
    ],
    [
      "both",
      { foreign: [object()], unreadForeign: [kindOf("NetworkPolicy")] },
      "True",
      /here: Calico GlobalNetworkPolicy; .* cannot read them: Calico NetworkPolicy$/,
    ],
  ])("S9.7: of %s a condition names the kinds", (_, part, status, message) => {
    const { apply, takeForeign } = setup();
    apply(guard(1));
    const found = takeForeign(part);
    expect(found?.status).toBe(status);
    expect(found?.message ?? "").toMatch(message);
  });

  it("are put into words once, for all policies", () => {
    const { apply, takeForeign, conditions } = setup();
    apply(guard(1));
    let reads = 0;
    const foreign = [
      Object.defineProperty(object(), "kind", {
        get: () => {
          reads++;
          return kindOf("GlobalNetworkPolicy");
        },
      }),
    ];
    takeForeign({ foreign });
    const once = reads;
    for (let i = 0; i < 100; i++) conditions.wantedFor("u1");
    takeForeign({ foreign });
    expect([once > 0, reads]).toEqual([true, once]);
  });

  it("say the same after another object of the same kind came", () => {
    const { apply, takeForeign, conditions } = setup();
    apply(guard(1));
    takeForeign({ foreign: [object()] });
    const { foreignMessage } = conditions;
    takeForeign({ foreign: [object(), object()] });
    expect([conditions.foreignMessage, typeof foreignMessage]).toEqual([foreignMessage, "string"]);
  });
});
