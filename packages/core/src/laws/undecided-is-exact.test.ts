import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Facts } from "../cluster/model.js";
import { address, type ClusterModel, type PodModel } from "../../testing/arbitrary/arbitrary-cluster.js";
import { type AdminModel, type AdminPeer, spell } from "../../testing/arbitrary/arbitrary-admin.js";
import { named, type PolicyKindName } from "../../testing/arbitrary/arbitrary-policies.js";
import {
  domainNames,
  externalAddresses,
  fields,
  type Manifest,
  anyOf,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, flowsOf, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

/*
 * Undecided means: there is a way to fill in what is missing that allows the connection, and one that denies it. Here
 * the ways are tried one by one. A scenario in which everything is known loses one kind of fact; every completion of
 * it is a scenario in which everything is known again.
 */

const directions = ["egress", "ingress"] as const;

/** What each question gives in each direction and address family: `3 family 4 ingress`. */
function verdictsOf(scenario: Scenario): ReadonlyMap<string, { verdict: Verdict; assumed: boolean }> {
  const state = stateIn(scenario);
  return new Map(
    scenario.questions.flatMap((question, i) =>
      flowsOf(state, question).flatMap((flow, j) => {
        const connection = evaluate(state.cluster, state.tiers, flow);
        return directions.map((direction) => {
          const { verdict, notes } = connection[direction];
          const key = `question ${i} connection ${j} family ${flow.family} ${direction}`;
          return [key, { verdict, assumed: notes.length > 0 }] as const;
        });
      }),
    ),
  );
}

function expectExact(unknowing: Scenario, completions: readonly Scenario[]): void {
  const known = completions.map(verdictsOf);
  for (const [key, { verdict, assumed }] of verdictsOf(unknowing)) {
    if (assumed) continue;
    // A completion may leave the two endpoints without a common address family.
    const found = new Set(known.flatMap((verdicts) => verdicts.get(key)?.verdict ?? []));
    expect([key, verdict]).toEqual([key, found.size > 1 ? "Undecided" : [...found][0]]);
    expect(found.has("Undecided")).toBe(false);
  }
}

/** The endpoints of a Service may depend on the missing fact, so Services are not used here. */
const notThroughServices = (scenario: Scenario): Scenario => ({
  ...scenario,
  questions: scenario.questions.filter(({ to }) => to.kind !== "workload"),
});

const scenariosOf = (...kinds: readonly PolicyKindName[]) =>
  anyScenario({ complete: true, unknowable: false, kinds, minLength: 2, maxLength: 5 }).map(
    notThroughServices,
  );

/** Those whose rules use the fact, so that one fact is used more than once. */
const aboutAddresses = scenariosOf("NetworkPolicy", "seed ClusterNetworkPolicy", "AdminNetworkPolicy");
const aboutNodes = scenariosOf("released ClusterNetworkPolicy", "AdminNetworkPolicy", "Cilium");
const aboutNames = scenariosOf("seed ClusterNetworkPolicy", "AdminNetworkPolicy", "Cilium");
const aboutCilium = scenariosOf("Cilium", "Cilium", "NetworkPolicy", "AdminNetworkPolicy");

const without = (scenario: Scenario, word: string): Scenario => ({
  ...scenario,
  policies: scenario.policies.filter((policy) => !JSON.stringify(policy).includes(`"${word}"`)),
});

const withPods = (scenario: Scenario, change: (pod: PodModel, i: number) => PodModel): Scenario => ({
  ...scenario,
  cluster: { ...scenario.cluster, pods: scenario.cluster.pods.map(change) },
});
const withFacts = (scenario: Scenario, facts: Partial<Facts>): Scenario => ({ ...scenario, facts });

describe("S9.1: a verdict is Undecided if and only if what is missing makes a difference", () => {
  it("S1.14: the address of a pod, somewhere in the range of pods", () => {
    fc.assert(
      fc.property(aboutAddresses, fc.nat(4), (all, n) => {
        // EndpointSlices list addresses, and do not apply to pods that have none yet.
        const scenario = without(all, "toServices");
        const which = n % scenario.cluster.pods.length;
        const at = (ips: readonly string[]) =>
          withPods(scenario, (pod, i) => (i === which && !pod.hostNetwork ? { ...pod, ips } : pod));
        const every = Array.from({ length: 8 }, (_, i) => at([`10.0.0.${i}`, `fd00::${i}`]));
        expectExact(at([]), every);
      }),
      { numRuns: 40 },
    );
  });

  it("S1.14: one unknown address against many ranges, which cut it down from rule to rule", () => {
    const parts = [
      "10.0.0.0/29",
      "10.0.0.0/30",
      "10.0.0.4/30",
      "10.0.0.0/31",
      "10.0.0.2/31",
      "10.0.0.6/31",
      "10.0.0.5/32",
    ];
    const rule = fields({
      action: anyOf("Allow" as const, "Deny" as const),
      peers: fc
        .uniqueArray(anyOf(...parts), { minLength: 1, maxLength: 2 })
        .map((networks): readonly AdminPeer[] => [{ networks }]),
    });
    const model = fc
      .array(rule, { minLength: 2, maxLength: 6 })
      .map((egress): AdminModel => ({ tier: "admin", priority: 1, subject: { namespaces: {} }, egress }));
    fc.assert(
      fc.property(anyScenario({ complete: true, maxLength: 0 }), model, (empty, model) => {
        const scenario = { ...empty, policies: [named(spell(model, "seed"), "ranges")] };
        const at = (ips: readonly string[]) =>
          withPods(notThroughServices(scenario), (pod, i) =>
            i === 0 ? { ...pod, hostNetwork: false, ips } : pod,
          );
        expectExact(
          at([]),
          Array.from({ length: 8 }, (_, i) => at([`10.0.0.${i}`, `fd00::${i}`])),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("S1.14: the addresses of two pods at once", () => {
    fc.assert(
      fc.property(aboutAddresses, (all) => {
        const scenario = without(all, "toServices");
        const at = (first: readonly string[], second: readonly string[]) =>
          withPods(scenario, (pod, i) =>
            pod.hostNetwork || i > 1 ? pod : { ...pod, ips: i === 0 ? first : second },
          );
        // The borders of the vocabulary's ranges: a range either contains both neighbours or has its border there.
        const ips = [0, 1, 2, 3, 4, 5, 6].map((i) => [`10.0.0.${i}`, `fd00::${i}`]);
        expectExact(
          at([], []),
          ips.flatMap((first) => ips.map((second) => at(first, second))),
        );
      }),
      { numRuns: 8 },
    );
  });

  it("S1.6: the node that a pod with its own network runs on", () => {
    fc.assert(
      fc.property(aboutCilium, fc.nat(4), (scenario, n) => {
        const which = n % scenario.cluster.pods.length;
        const on = (node: string | undefined) =>
          withPods(scenario, ({ node: old, ...pod }, i) => {
            const chosen = i === which && !pod.hostNetwork ? node : old;
            return chosen === undefined ? pod : { ...pod, node: chosen };
          });
        expectExact(on(undefined), ["node-1", "node-2", "elsewhere"].map(on));
      }),
      { numRuns: 40 },
    );
  });

  it("S1.6, S3.4: the node of a host-network pod, and with it the labels of that node", () => {
    const labels = [{}, { team: "red" }, { team: "blue" }, { team: "green" }].flatMap((team) =>
      [{}, { zone: "east" }, { zone: "west" }, { zone: "south" }].map((zone) => ({ ...team, ...zone })),
    );
    fc.assert(
      fc.property(aboutNodes, (all) => {
        const known = without(without(all, "kube-apiserver"), "toServices");
        // With both families, so that no place is ruled out by its addresses.
        const nodes = known.cluster.nodes.map((node, i) => ({
          ...node,
          ips: [`192.168.0.${i + 1}`, `fd01::${i + 1}`],
        }));
        const scenario = { ...known, cluster: { ...known.cluster, nodes } };
        const on = (node: string | undefined, more: ClusterModel["nodes"] = []): Scenario => {
          const placed = withPods(scenario, ({ node: old, ...pod }, i) => {
            const hostNetwork = i === 0 || pod.hostNetwork;
            const place = i === 0 ? node : old;
            const ips = i === 0 ? [] : pod.ips;
            return place === undefined
              ? { ...pod, hostNetwork, ips }
              : { ...pod, hostNetwork, ips, node: place };
          });
          return { ...placed, cluster: { ...placed.cluster, nodes: [...placed.cluster.nodes, ...more] } };
        };
        const elsewhere = labels.map((some) =>
          on("elsewhere", [{ name: "elsewhere", labels: some, ips: [] }]),
        );
        expectExact(on(undefined), [...nodes.map(({ name }) => on(name)), ...elsewhere]);
      }),
      { numRuns: 20 },
    );
  });

  it("S7.5: the addresses of the API server", () => {
    fc.assert(
      fc.property(aboutCilium, (scenario) => {
        const { apiServer: _forgotten, ...rest } = scenario.facts;
        const all = [...externalAddresses, ...scenario.cluster.nodes.flatMap(({ ips }) => ips)].map(address);
        const known = (apiServer: Facts["apiServer"] & {}) => withFacts(scenario, { ...rest, apiServer });
        expectExact(withFacts(scenario, rest), [known([]), known(all)]);
      }),
      { numRuns: 40 },
    );
  });

  it("S8.3: the addresses of domain names", () => {
    fc.assert(
      fc.property(aboutNames, (scenario) => {
        const { dns: _forgotten, ...rest } = scenario.facts;
        const addresses = externalAddresses.map(address);
        const subsets = Array.from({ length: 2 ** domainNames.length }, (_, bits) =>
          domainNames.filter((_, i) => ((bits >> i) & 1) === 1),
        );
        expectExact(
          withFacts(scenario, rest),
          subsets.map((names) =>
            withFacts(scenario, { ...rest, dns: names.map((name) => ({ name, addresses })) }),
          ),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("S7.11: a CIDR group and a Service that are not in the input", () => {
    const isGone = ({ metadata: { name } }: Manifest) => /^(svc-gone|group-2)/.test(name);
    const pods = Array.from({ length: 5 }, (_, i) => [`10.0.0.${i + 1}`, `fd00::${i + 1}`]).flat();
    fc.assert(
      fc.property(aboutCilium, (all) => {
        // Services chosen by labels are those of the input, where there are any.
        const scenario = without(all, "k8sServiceSelector");
        const withExtras = (extras: ClusterModel["extras"]): Scenario => ({
          ...scenario,
          cluster: { ...scenario.cluster, extras },
        });
        const { extras, nodes } = scenario.cluster;
        const everywhere = [...externalAddresses, ...pods, ...nodes.flatMap(({ ips }) => ips)];
        // A Service named without its namespace may be that of any namespace.
        const gone = extras.filter(isGone);
        const inBeta = gone
          .filter(({ metadata }) => metadata.namespace !== undefined)
          .map((object) => ({ ...object, metadata: { ...object.metadata, namespace: "beta" } }));
        const filled =
          (...namespaces: readonly string[]) =>
          (ranges: readonly string[]) =>
            withExtras(
              [...extras, ...inBeta].map((object): Manifest => {
                if (!isGone(object) || object.kind === "Service") return object;
                const addresses = namespaces.includes(object.metadata.namespace ?? "") ? everywhere : [];
                return object.kind === "EndpointSlice"
                  ? ({ ...object, endpoints: [{ addresses }] } as Manifest)
                  : { ...object, spec: { externalCIDRs: ranges } };
              }),
            );
        const services = [filled(), filled("alpha"), filled("beta"), filled("alpha", "beta")];
        expectExact(
          withExtras(extras.filter((object) => !isGone(object))),
          services.flatMap((withGroup) => [withGroup([]), withGroup(["0.0.0.0/0", "::/0"])]),
        );
      }),
      { numRuns: 40 },
    );
  });
});
