import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NodeCompiler } from "../../packages/agent/src/compile/node-compiler.js";
import type { NodeProgram } from "../../packages/agent/src/ruleset/program.js";
import { rulesetText } from "../../packages/agent/src/ruleset/text.js";
import { LiveState } from "../../packages/core/src/state/live/live-state.js";
import { objectsOf, parseManifest } from "../../packages/core/src/manifest/parse.js";
import { anyHistory, type ClusterMoment } from "../../packages/core/testing/arbitrary/history.js";
import { compiled, enforced, optionsFor } from "./agreement.js";

/** The same moments, come to in other ways. */
const tellings: Record<string, (moments: readonly ClusterMoment[]) => readonly ClusterMoment[]> = {
  "as it was": (moments) => moments,
  reversed: (moments) => moments.toReversed(),
  squashed: (moments) => [moments[0]!, moments.at(-1)!],
  "there and back": (moments) => [...moments, ...moments.toReversed(), ...moments],
};

const nodes = ["node-1", "node-2", "elsewhere"];

describe("a compiler that has seen other states", () => {
  for (const [name, retell] of Object.entries(tellings))
    it(`makes what one without a past makes, the history being ${name}`, () => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          for (const node of nodes) {
            const compiler = new NodeCompiler(optionsFor(node), enforced);
            for (const moment of retell(history)) {
              const found = compiler.compile(moment.cluster, moment.tiers);
              expect(contentOf(found)).toEqual(contentOf(compiled(moment, node)));
            }
          }
        }),
        { numRuns: 20 },
      );
    });

  it("S1.16, S1.17: also where ends are ambiguous, or stop being so", () => {
    const moments = ambiguousMoments();
    expect(moments.every(({ tiers }) => tiers.egress.some(({ rules }) => rules.length === 2))).toBe(true);
    for (const [name, retell] of Object.entries(tellings))
      for (const node of ["n1", "n2"]) {
        const compiler = new NodeCompiler(optionsFor(node), enforced);
        for (const [i, { cluster, tiers }] of retell(moments).entries())
          expect(contentOf(compiler.compile(cluster, tiers)), `${name}, on ${node}, moment ${i}`).toEqual(
            contentOf(compiled({ cluster, tiers }, node)),
          );
      }
  });

  it("gives out the same objects for what did not change", () => {
    fc.assert(
      fc.property(anyHistory, ([moment]) => {
        for (const node of nodes) {
          const compiler = new NodeCompiler(optionsFor(node), enforced);
          const { cluster, tiers } = moment!;
          const before = compiler.compile(cluster, tiers).ruleset;
          const again = compiler.compile({ ...cluster, pods: new Map(cluster.pods) }, { ...tiers }).ruleset;
          for (const [name, chain] of again.chains) expect(chain).toBe(before.chains.get(name));
          for (const [name, set] of again.sets) expect(set).toBe(before.sets.get(name));
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** Pods that share an address come, change and go; nodes get other addresses and ranges; rules look at other labels. */
function ambiguousMoments(): readonly ClusterMoment[] {
  const live = new LiveState({});
  const moments: ClusterMoment[] = [];
  const set = (object: object) =>
    live.set(objectsOf(parseManifest(JSON.stringify(object), "moment.json").documents).objects[0]!);
  const node = (name: string, podCIDRs: readonly string[], annotations = {}) =>
    set({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { role: name }, annotations },
      spec: { podCIDRs },
      status: { addresses: [{ address: name === "n1" ? "192.168.0.1" : "192.168.0.2" }] },
    });
  const pod = (name: string, nodeName: string, ip: string, labels = {}) =>
    set({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "a", name, labels: { app: name, ...labels } },
      spec: {
        nodeName,
        containers: [{ ports: [{ name: "http", containerPort: name === "web" ? 80 : 81 }] }],
      },
      status: { phase: "Running", podIPs: [{ ip }] },
    });
  const policy = (egress: object, key = "app") =>
    set({
      apiVersion: "policy.networking.k8s.io/v1alpha2",
      kind: "ClusterNetworkPolicy",
      metadata: { name: "p" },
      spec: {
        tier: "Admin",
        priority: 1,
        subject: { namespaces: {} },
        egress: [
          egress,
          {
            action: "Deny",
            to: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { [key]: "web" } } } }],
          },
        ],
      },
    });
  const isolate = (app: string) =>
    set({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "a", name: app },
      spec: { podSelector: { matchLabels: { app } }, ingress: [{ ports: [{ port: "http" }] }] },
    });
  const denyNodes = { action: "Deny", to: [{ nodes: {} }] };
  const steps: readonly (() => void)[] = [
    () => {
      node("n1", ["10.0.1.0/24"]);
      node("n2", ["10.0.2.0/24"]);
      pod("client", "n1", "10.0.1.1");
      pod("web", "n1", "10.0.1.2");
      policy(denyNodes);
    },
    () => pod("stale", "n1", "10.0.1.2"),
    () => isolate("web"),
    () => isolate("stale"),
    () => pod("stale", "n1", "10.0.1.2", { team: "web" }),
    () => policy({ action: "Accept", to: [{ networks: ["10.0.2.128/25"] }] }, "team"),
    () => node("n2", ["10.0.2.0/25"], { "projectcalico.org/IPv4VXLANTunnelAddr": "10.0.2.200" }),
    () => policy({ action: "Deny", to: [{ nodes: { matchLabels: { role: "n2" } } }] }),
    () => pod("third", "n2", "10.0.1.2"),
    () => pod("stale", "n1", "10.0.1.3"),
    () => pod("third", "n2", "10.0.2.9"),
  ];
  for (const step of steps) {
    step();
    const { cluster, tiers } = live.moment();
    moments.push({ cluster, tiers });
  }
  return moments;
}

const contentOf = ({ ruleset, book, names }: NodeProgram) => ({
  text: rulesetText(ruleset, "tierwall"),
  book: [...book.values()].map(({ id, tier, verdict }) => `${id} ${tier} ${verdict}`).toSorted(),
  names,
});
