import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Family } from "../../net/address.js";
import { parseCidr } from "../../net/cidr.js";
import { insideEnds } from "../../../testing/all-ends.js";
import { expandPairs } from "../../../testing/expanded-pairs.js";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { world } from "../../../testing/world.js";
import { Answers } from "../compile/answers.js";
import { ungrouped } from "./end-groups.js";
import { Ends } from "../classes/ends.js";
import { compile } from "../engine.js";
import { type Part, whole } from "./part.js";
import { readOutgoing } from "./pod-sweep.js";
import { streamedSweep } from "./streamed-sweep.js";
import { PortSets } from "../../sets/port-sets.js";
import type { Representation } from "../compile/representation.js";
import { View } from "../compile/view.js";
import { vocabularyOf } from "../classes/vocabulary.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n2}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.1.0.2}, {ip: "fd00::2"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: starting, labels: {app: starting}}, spec: {nodeName: n1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: other, labels: {app: other}}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.1.1.1}, {ip: "fd00::3"}]}}
`;

/** Ports are those of TCP. */
const rule = (action: string, port?: number, peer = "namespaces: {}") => {
  const ports = port === undefined ? "" : `, protocols: [{tcp: {destinationPort: {number: ${port}}}}]`;
  return (side: "from" | "to") => `{action: ${action}, ${side}: [{${peer}}]${ports}}`;
};
const policy = (
  tier: "Admin" | "Baseline",
  direction: "ingress" | "egress",
  ...rules: ReturnType<typeof rule>[]
) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${tier.toLowerCase()}-${direction}},
    spec: {tier: ${tier}, priority: 1, subject: {namespaces: {}},
           ${direction}: [${rules.map((write) => write(direction === "ingress" ? "from" : "to")).join()}]}}`;
const isolating = (spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np}, spec: {podSelector: {}, ${spec}}}`;
const open = isolating("ingress: [{}]");
const closed = isolating("ingress: []");
const only80 = isolating("ingress: [{ports: [{port: 80}]}]");

const toServer = "a/client -> a/server";
const toStarting = "a/client -> a/starting";
const pods = (app: string) => `pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}`;
const unknownAddress = 'networks: ["10.1.0.0/24"]';

interface Case {
  readonly says: string;
  readonly policies: readonly string[];
  /** By pair and port. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly family?: Family;
}

const cases: readonly Case[] = [
  {
    says: "S1.1: the first rule that has a port decides it",
    policies: [policy("Admin", "ingress", rule("Deny", 80), rule("Accept")), closed],
    verdicts: { [`${toServer}:80`]: "Deny", [`${toServer}:81`]: "Allow" },
  },
  {
    says: "S1.3: what was passed is for the tiers that follow to decide",
    policies: [policy("Admin", "ingress", rule("Pass", 80), rule("Deny")), open],
    verdicts: { [`${toServer}:80`]: "Allow", [`${toServer}:81`]: "Deny" },
  },
  {
    says: "S1.3: what was passed stays passed within its tier",
    policies: [policy("Admin", "egress", rule("Pass", 80), rule("Deny", 80), rule("Deny", 81))],
    verdicts: { [`${toServer}:80`]: "Allow", [`${toServer}:81`]: "Deny" },
  },
  {
    says: "S1.2: isolation denies what the rules of its tier left, and no later tier allows it again",
    policies: [only80, policy("Baseline", "ingress", rule("Accept"))],
    verdicts: { [`${toServer}:80`]: "Allow", [`${toServer}:81`]: "Deny" },
  },
  {
    says: "S1.3: what no tier decides is allowed",
    policies: [policy("Baseline", "ingress", rule("Deny", 80))],
    verdicts: { [`${toServer}:80`]: "Deny", [`${toServer}:81`]: "Allow" },
  },
  {
    says: "S1.6: isolation does not keep a pod's own node out, but all others",
    policies: [closed],
    verdicts: { "node n1 -> a/server:80": "Allow", "node n2 -> a/server:80": "Deny" },
  },
  {
    says: "S9.1: what depends on an unknown address is undecided",
    policies: [policy("Admin", "egress", rule("Deny", 80, unknownAddress))],
    verdicts: { [`${toStarting}:80`]: "Undecided", [`${toStarting}:81`]: "Allow" },
  },
  {
    says: "S9.1: unless an earlier tier decided it",
    policies: [
      policy("Admin", "egress", rule("Deny", 80)),
      policy("Baseline", "egress", rule("Deny", undefined, unknownAddress)),
    ],
    verdicts: { [`${toStarting}:80`]: "Deny", [`${toStarting}:81`]: "Undecided" },
  },
  {
    says: "S9.1: or the other end denies it",
    policies: [policy("Admin", "egress", rule("Deny", undefined, unknownAddress)), only80],
    verdicts: { [`${toStarting}:80`]: "Undecided", [`${toStarting}:81`]: "Deny" },
  },
  {
    says: "S9.1: which says nothing about its neighbours",
    policies: [policy("Admin", "egress", rule("Deny", 80, unknownAddress))],
    verdicts: {
      [`${toServer}:80`]: "Deny",
      [`${toStarting}:80`]: "Undecided",
      "a/client -> a/other:80": "Allow",
    },
  },
  {
    says: "two sources with the same rules, of which a destination lets in the second",
    policies: [
      policy("Admin", "egress", rule("Deny", 80, pods("server"))),
      isolating("ingress: [{from: [{podSelector: {matchLabels: {app: other}}}]}]"),
    ],
    verdicts: {
      [`${toServer}:81`]: "Deny",
      "a/other -> a/server:80": "Deny",
      "a/other -> a/server:81": "Allow",
    },
  },
  ...([4, 6] as const).map(
    (family): Case => ({
      says: `S1.15: a CIDR says nothing about the other family (IPv${family})`,
      policies: [policy("Admin", "egress", rule("Deny", undefined, 'networks: ["fd00::/64"]'))],
      verdicts: { [`${toServer}:80`]: family === 4 ? "Allow" : "Deny" },
      family,
    }),
  ),
];

/** What is said in a case about the pairs it names. */
function saidIn({ policies, verdicts, family = 4 }: Case, representation: Representation) {
  const facts = { podCidrs: ["10.1.0.0/16", "fd00::/48"].map((text) => parseCidr(text)!) };
  const { state } = world([cluster, ...policies].join("\n---\n"), { facts });
  const ends = insideEnds(state);
  const engine = compile(state.cluster, state.tiers);
  const { verdict } = expandPairs(engine, engine.pairs({ representation }));
  const said = (question: string) => {
    const [, source, destination, port] = /^(.+) -> (.+):(\d+)$/.exec(question)!;
    const pair = { source: ends.get(source!)!, destination: ends.get(destination!)!, family };
    return verdict(pair, { protocol: "TCP", port: Number(port) });
  };
  return Object.fromEntries(Object.keys(verdicts).map((question) => [question, said(question)]));
}

describe.each(["streamed", "tables"] as const)("all pairs, %s", (representation) => {
  it.each(cases)("$says", (example) => {
    expect(saidIn(example, representation)).toEqual(example.verdicts);
  });
});

describe("a stream of all pairs", () => {
  /** The answers of all sources of a part, by source. */
  function answersOf(view: View, part: Part, tileSize?: number): ReadonlyMap<string, readonly number[]> {
    const groups = ungrouped(view.ends);
    const pods = groups.filter(({ kind }) => kind === "pod");
    const hosts = groups.filter(({ kind }) => kind === "host");
    const stream = streamedSweep(view, pods, hosts, part, tileSize);
    return new Map(
      stream.sources.map((source) => {
        const outgoing = stream.from(source);
        const toPods = readOutgoing(outgoing, new Uint32Array(pods.length));
        const toHosts = hosts.map((host) => outgoing.toHost(host, "other-node"));
        return [source.classes[0]!.key, [...toPods, ...toHosts]];
      }),
    );
  }

  const anyView = anyScenario({ maxLength: 8, minPods: 3 }).map((scenario) => {
    const { cluster, tiers } = stateIn(scenario);
    const ends = new Ends(cluster, vocabularyOf(cluster, tiers));
    return View.of(cluster, tiers, ends, new Answers(new PortSets()), 4);
  });

  it("does not depend on how many sources a tile has", () => {
    fc.assert(
      fc.property(anyView, fc.integer({ min: 1, max: 12 }), (view, tileSize) => {
        expect(answersOf(view, whole, tileSize)).toEqual(answersOf(view, whole));
      }),
      { numRuns: 40 },
    );
  });

  it("is the same in parts, each source in one of them", () => {
    fc.assert(
      fc.property(anyView, fc.integer({ min: 2, max: 4 }), (view, of) => {
        const parts = Array.from({ length: of }, (_, index) => answersOf(view, { index, of }));
        const together = new Map(parts.flatMap((part) => [...part]));
        expect(together).toEqual(answersOf(view, whole));
        expect(parts.reduce((sum, { size }) => sum + size, 0)).toBe(together.size);
      }),
      { numRuns: 40 },
    );
  });
});
