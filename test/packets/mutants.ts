import type { Ruleset } from "@tierwall/agent";

/*
 * Planted bugs: mistakes in a table that its text does not show. Each must be found by comparing
 * packets with verdicts, or random clusters no longer reach what it breaks.
 */
export interface Mutant {
  readonly name: string;
  readonly plant: (ruleset: Ruleset) => Ruleset;
}

type Rules = readonly string[];

/** Changes the rules of the chains whose name fits; undefined takes a chain out. */
const chains =
  (name: RegExp, change: (rules: Rules) => Rules | undefined) =>
  (ruleset: Ruleset): Ruleset => ({
    ...ruleset,
    chains: new Map(
      [...ruleset.chains].flatMap(([own, chain]) => {
        const rules = name.test(own) ? change(chain.rules) : chain.rules;
        return rules === undefined ? [] : [[own, { ...chain, rules }] as const];
      }),
    ),
  });

const words = (name: RegExp, find: RegExp, put: string) =>
  chains(name, (rules) => rules.map((rule) => rule.replace(find, put)));

const without = (name: RegExp, rule: RegExp) =>
  chains(name, (rules) => rules.filter((own) => !rule.test(own)));

/** Changes the elements of the maps whose name fits. */
const maps =
  (
    name: RegExp,
    change: (elements: readonly (readonly [string, string])[]) => Iterable<readonly [string, string]>,
  ) =>
  (ruleset: Ruleset): Ruleset => ({
    ...ruleset,
    sets: new Map(
      [...ruleset.sets].map(([own, set]) =>
        name.test(own) && set.elements !== "learned"
          ? [own, { ...set, elements: new Map(change([...set.elements])) }]
          : [own, set],
      ),
    ),
  });

/** What a class asks of a tier. */
const tier = /^jump (?!identity)/;

export const mutants: readonly Mutant[] = [
  { name: "egress of pods is not judged", plant: without(/^(forward|forwarded)$/, /vmap @pods_out/) },
  { name: "ingress of pods is not judged", plant: without(/^(forward|forwarded)$/, /vmap @pods_in/) },
  { name: "a pod may ask everything of its own node", plant: without(/^to_node$/, /vmap/) },
  {
    name: "nothing binds a node towards its own pods",
    plant: without(/^from_node(_own)?$/, /vmap @pods_own/),
  },
  { name: "IPv6 is not judged going out", plant: without(/^(forward|forwarded)$/, /ip6 saddr vmap/) },
  { name: "IPv6 is not judged coming in", plant: without(/^(forward|forwarded)$/, /ip6 daddr vmap/) },
  { name: "the source port is taken for that of the destination", plant: words(/^ports/, /dport/, "sport") },
  { name: "UDP is taken for TCP", plant: words(/^ports/, /udp dport/, "tcp dport") },
  { name: "SCTP is taken for UDP", plant: words(/^ports/, /sctp dport/, "udp dport") },
  { name: "ranges of ports end one early", plant: words(/^ports/, /-65535/, "-65534") },
  {
    name: "echo requests are taken for another type of ICMP",
    plant: words(/^ports/, /type (8|128)/, "type 13"),
  },
  {
    name: "Pass is taken for Allow",
    plant: words(/^(pass|ports)/, /(counter name "\w+")( return)?$/, "$1 accept"),
  },
  { name: "Deny only counts", plant: without(/^deny_/, /goto deny/) },
  {
    name: "the first tier is the only one",
    plant: chains(/^class/, (rules) => onlyFirst(rules, tier)),
  },
  {
    name: "the last tier is asked first",
    plant: chains(/^class/, (rules) => inReverse(rules, tier)),
  },
  { name: "no peer has an identity", plant: without(/^tier/, /vmap/) },
  { name: "a peer without its own entry is not judged by a tier", plant: without(/^tier/, /^goto/) },
  {
    name: "the first rule for a port is passed over",
    plant: chains(/^ports/, (rules) => {
      const first = rules.findIndex((rule) => !rule.startsWith("ct direction"));
      return rules.filter((_, i) => i !== first);
    }),
  },
  { name: "addresses outside have no identity", plant: without(/^identity/, /goto ranges/) },
  { name: "the identity of one end is forgotten", plant: maps(/^ident/, (elements) => elements.slice(1)) },
  { name: "a block of addresses is forgotten", plant: maps(/^cidr/, (elements) => elements.slice(1)) },
  { name: "a pod is not judged at all", plant: maps(/^pods_(in|out)/, (elements) => elements.slice(1)) },
  { name: "what names resolve to is not looked at", plant: without(/^ports/, /@fresh|@kept/) },
];

function onlyFirst(rules: Rules, what: RegExp): Rules {
  const first = rules.findIndex((rule) => what.test(rule));
  return rules.filter((rule, i) => i === first || !what.test(rule));
}

function inReverse(rules: Rules, what: RegExp): Rules {
  const reversed = rules.filter((rule) => what.test(rule)).toReversed();
  return rules.map((rule) => (what.test(rule) ? reversed.shift()! : rule));
}
