import fc from "fast-check";
import { parseCidr } from "@tierwall/core/model";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { atRest } from "../ruleset/hooks.js";
import { frame } from "../ruleset/frame.js";
import { parseListing } from "../ruleset/listing.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { listDifferences } from "../ruleset/equality.js";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { nodeWorld, nodeYaml, plainOptions, podYaml } from "../../testing/node-world.js";
import { KernelTable } from "./kernel-table.js";
import { done, type Outcome } from "./outcome.js";
import { splitState } from "./table-state.js";

/*
 * Histories of what a node is to enforce, given to a real kernel at random moments: right after the change before, while its
 * leftovers are still there, or after they were removed.
 */

const clusterPolicy = (name: string, rules: string): string => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: { name: ${name} }
spec: { tier: Admin, priority: ${name.length}, subject: { namespaces: {} }, ${rules} }
`;

/** What may be there or not, each on its own. */
const parts = {
  ports: `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: ports, namespace: shop }
spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }, { port: 90, endPort: 95 }] }] }
`,
  networks: clusterPolicy("p", "egress: [{ action: Deny, to: [{ networks: [203.0.113.0/24] }] }]"),
  "other networks": clusterPolicy(
    "pp",
    'egress: [{ action: Deny, to: [{ networks: [198.51.100.0/24, "2001:db8::/48"] }] }]',
  ),
  "ranges in": `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: ranges, namespace: shop }
spec: { podSelector: { matchLabels: { app: web } }, ingress: [{ from: [{ ipBlock: { cidr: 192.0.2.0/24 } }] }] }
`,
  names: clusterPolicy(
    "ppp",
    'egress: [{ action: Accept, to: [{ domainNames: ["example.com"] }] }, { action: Deny, to: [{ networks: ["0.0.0.0/0"] }] }]',
  ),
  nodes: clusterPolicy(
    "pppp",
    "egress: [{ action: Deny, to: [{ nodes: { matchLabels: {} } }], protocols: [{ tcp: { destinationPort: { number: 10250 } } }] }]",
  ),
  "another pod": podYaml("shop/api", "10.0.0.2,fd00::2"),
  "a pod elsewhere": podYaml("shop/far", "10.0.1.3", { node: "there" }),
} as const;

type Part = keyof typeof parts;
const allParts = Object.keys(parts) as Part[];

const always = podYaml("shop/web", "10.0.0.1,fd00::1") + nodeYaml("here", "192.168.0.1");

interface Step {
  readonly there: readonly Part[];
  /** Whether the change before has been cleaned up after. */
  readonly swept: boolean;
}

const arbitraryHistory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ there: fc.subarray(allParts), swept: fc.boolean() }),
  { minLength: 3, maxLength: 8 },
);

const reason = whyNoNamespaces();
vi.setConfig({ testTimeout: 300_000 });

describe.skipIf(reason)(`histories of rules in the kernel${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  beforeEach(() => {
    node = new NetworkNamespace("twk");
  });
  afterEach(() => node.remove());

  const listed = (table: string): Ruleset =>
    splitState(parseListing(node.run("nft", "-s", "-nn", "list", "table", "inet", table)).ruleset).ruleset;

  async function live(history: readonly Step[], ranges: readonly string[]): Promise<void> {
    const drifts: unknown[] = [];
    const options = { ...plainOptions, localRanges: ranges.map((range) => parseCidr(range)!) };
    const table = value(
      await KernelTable.open({
        table: "tierwall",
        connectionMask: options.connectionMask,
        enter: node.enter,
        bridges: () => done([]),
        onDrift: (drift) => drifts.push(drift),
      }),
    );
    try {
      for (const [at, { there, swept }] of history.entries()) {
        const { program } = nodeWorld(always + there.map((part) => parts[part]).join(""), options);
        const applied = value(
          await table.apply((generation, place) => frame(program, options, generation, {}, place)),
        );
        // Only the first rules need a new table.
        const { kind, because } = applied;
        expect({ isWhole: kind === "swapped", because }).toEqual({
          isWhole: at === 0,
          because: at === 0 ? "there was no table" : undefined,
        });
        const wanted = atRest(
          frame(program, options, applied.generation, {}, applied.table === "tierwall" ? "first" : "second"),
        );
        const isLast = at === history.length - 1;
        if (swept || isLast)
          await expect
            .poll(() => listDifferences(listed(applied.table), wanted), { timeout: 60_000, interval: 50 })
            .toEqual([]);
      }
      expect(drifts).toEqual([]);
    } finally {
      value(await table.cleanup());
      await table.close();
    }
  }

  test("a policy with networks is deleted, and another one is applied at once", async () => {
    const steps: readonly (readonly Part[])[] = [["networks"], [], ["other networks"], [], ["networks"]];
    await live(
      steps.map((there) => ({ there, swept: false })),
      [],
    );
  });

  test("no transaction is refused, whatever is wanted and whenever", async () => {
    await fc.assert(fc.asyncProperty(arbitraryHistory, fc.subarray(["10.0.0.0/24", "fd00::/64"]), live), {
      numRuns: 12,
    });
  });
});

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}
