import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { contentOf, difference, emptyTable, type Held, nothingLeft } from "./difference.js";
import { parseListing } from "./listing.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { listDifferences } from "./equality.js";

/*
 * Small rulesets in the words of `nft -s -nn list`, with everything that a difference has to get right: chains that name
 * each other, maps that name chains, identities that come and go, intervals that are cut differently, counters in use.
 */
const ports = fc.integer({ min: 1, max: 4 });
const addresses = fc.integer({ min: 1, max: 6 }).map((last) => `10.0.0.${last}`);
const identities = fc.integer({ min: 1, max: 6 }).map((minor) => `1:${minor}`);
const chainNames = ["c0", "c1", "c2", "c3"] as const;
const counterNames = ["r_a", "r_b", "r_c"] as const;

const setNames = ["ident4", "names", "cidr4_a", "cidr4_b"] as const;

interface Names {
  readonly chains: readonly string[];
  readonly counters: readonly string[];
  /** Sets come and go as chains do: a chain that stays, or comes back, may refer to other ones than before. */
  readonly sets: readonly (typeof setNames)[number][];
}

const arbitraryRuleset: fc.Arbitrary<Ruleset> = fc
  .record({
    chains: fc.subarray([...chainNames]),
    counters: fc.subarray([...counterNames]),
    sets: fc.subarray([...setNames]),
  })
  .chain((names) =>
    fc.record({
      counters: fc.constant(new Set(names.counters)),
      chains: chainsOf(names),
      sets: setsOf(names),
    }),
  );

function chainsOf(names: Names): fc.Arbitrary<ReadonlyMap<string, Chain>> {
  // Chains go to later ones only: nft refuses loops.
  const bodies = names.chains.map((name, at) =>
    rulesOf({ ...names, chains: names.chains.slice(at + 1) }).map((rules) => [name, { rules }] as const),
  );
  const hooks = ["egress", "ingress"].map((name, at) =>
    fc.option(rulesOf(names), { nil: undefined }).map((rules): [string, Chain][] => {
      const hook = `type filter hook forward priority -${10 - 5 * at}; policy accept;`;
      return rules ? [[name, { hook, rules: [...rules, "meta priority vmap @tier"] }]] : [];
    }),
  );
  return fc
    .tuple(fc.tuple(...bodies), fc.tuple(...hooks))
    .map(([named, based]) => new Map<string, Chain>([...named, ...based.flat()]));
}

const lookingInto: Readonly<Record<(typeof setNames)[number], string>> = {
  ident4: "meta priority set ip daddr map @ident4",
  names: "ip saddr . ip daddr @names accept",
  cidr4_a: "meta priority set ip daddr map @cidr4_a",
  cidr4_b: "meta priority set ip daddr map @cidr4_b",
};

function rulesOf({ chains, counters, sets }: Names): fc.Arbitrary<string[]> {
  const rules: fc.Arbitrary<string>[] = [
    ports.map((port) => `tcp dport ${port} accept`),
    ports.map((port) => `udp dport ${port}-${port + 10} drop`),
    ...sets.map((name) => fc.constant(lookingInto[name])),
  ];
  if (chains.length > 0) rules.push(fc.constantFrom(...chains).map((name) => `icmp type 8 jump ${name}`));
  if (counters.length > 0) rules.push(fc.constantFrom(...counters).map((name) => `counter name "${name}"`));
  return fc.array(fc.oneof(...rules), { maxLength: 3 });
}

function setsOf({ chains, sets: wanted }: Names): fc.Arbitrary<ReadonlyMap<string, NamedSet>> {
  const verdicts =
    chains.length > 0
      ? fc.oneof(
          fc.constantFrom("accept", "drop"),
          fc.constantFrom(...chains).map((name) => `goto ${name}`),
        )
      : fc.constantFrom("accept", "drop");
  const map = (keys: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<Map<string, string>> =>
    fc.array(fc.tuple(keys, values), { maxLength: 6 }).map((elements) => new Map(elements));
  return fc
    .record({
      tier: map(identities, verdicts),
      pods: fc.option(map(addresses, verdicts), { nil: undefined }),
      ident4: map(addresses, identities),
      cidr4_a: intervals(identities),
      cidr4_b: intervals(identities),
    })
    .map(({ tier, pods, ident4, cidr4_a, cidr4_b }) => {
      const sets = new Map<string, NamedSet>(
        (
          [
            ["ident4", { kind: "map", type: "ipv4_addr : classid", flags: [], size: 64, elements: ident4 }],
            ["cidr4_a", { kind: "map", type: "ipv4_addr : classid", flags: ["interval"], elements: cidr4_a }],
            ["cidr4_b", { kind: "map", type: "ipv4_addr : classid", flags: ["interval"], elements: cidr4_b }],
            [
              "names",
              { kind: "set", type: "ipv4_addr . ipv4_addr", flags: ["timeout"], elements: "learned" },
            ],
          ] as const
        ).filter(([name]) => wanted.includes(name)),
      );
      sets.set("tier", { kind: "map", type: "classid : verdict", flags: [], elements: tier });
      if (pods) sets.set("pods", { kind: "map", type: "ipv4_addr : verdict", flags: [], elements: pods });
      return sets;
    });
}

/** The 32 addresses from 10.1.0.0 on, split at random; each piece has a value or none. */
function intervals(values: fc.Arbitrary<string>): fc.Arbitrary<Map<string, string>> {
  const piece = fc.record({
    from: fc.integer({ min: 0, max: 31 }),
    value: fc.option(values, { nil: undefined }),
  });
  return fc.uniqueArray(piece, { selector: ({ from }) => from, maxLength: 6 }).map((pieces) => {
    pieces.sort((a, b) => a.from - b.from);
    const elements = new Map<string, string>();
    pieces.forEach(({ from, value }, at) => {
      if (value !== undefined) elements.set(rangeText(from, (pieces[at + 1]?.from ?? 32) - 1), value);
    });
    return elements;
  });
}

/** As nft prints it: an address, a prefix where it is one, or a range. */
function rangeText(first: number, last: number): string {
  const size = last - first + 1;
  if (size === 1) return `10.1.0.${first}`;
  const isPrefix = Number.isInteger(Math.log2(size)) && first % size === 0;
  return isPrefix ? `10.1.0.${first}/${32 - Math.log2(size)}` : `10.1.0.${first}-10.1.0.${last}`;
}

const reason = whyNoNamespaces();
describe.skipIf(reason)(`differences in the kernel${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  beforeAll(() => {
    node = new NetworkNamespace("twk");
  });
  afterAll(() => node.remove());

  test("the kernel takes each difference of a history, and lists exactly what was wanted and what is left over", {
    timeout: 1_200_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(arbitraryRuleset, { minLength: 2, maxLength: 5 }), (wishes) => {
        node.load("table inet t\ndelete table inet t\ntable inet t {\n}\n");
        let held: Held = emptyTable;
        for (const wanted of [...wishes, wishes.at(-1)!]) {
          const change = difference("t", held, wanted);
          if (change.kind === "impossible") throw new Error(change.because);
          node.load(change.transaction);
          held = { ruleset: wanted, leftover: change.leftover };
          const listed = parseListing(node.run("nft", "-s", "-nn", "list", "table", "inet", "t"));
          expect(listed.strange).toEqual([]);
          expect(listDifferences(listed.ruleset, contentOf(held))).toEqual([]);
        }
        expect(held.leftover).toEqual(nothingLeft);
      }),
      { numRuns: 25 },
    );
  });
});
