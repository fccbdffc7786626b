import {
  ask,
  decidingNames,
  parseEndpoint,
  parseTarget,
  readConnectivityTests,
  runConnectivityTest,
} from "@tierwall/core/analysis";
import type { State } from "@tierwall/core/state";
import { Document, isCollection, isMap, visit } from "yaml";
import { testEndpoints } from "./test-endpoints.js";

/** A connection, its verdict today, and the policy that decides it. */
export interface Assertion {
  readonly from: string;
  readonly to: string;
  readonly verdict: "Allow" | "Deny";
  readonly decidedBy: string;
}

/** Of each verdict. */
const mostOfEach = 4;

/** How many flows are evaluated at most: a workload with a hundred replicas has a hundred. */
const flowBudget = 4000;

/**
 * The most informative assertions that hold now: each is decided by another policy, and denials are about destinations
 * that something else can reach. Without policies, connections that the default allows.
 */
export function firstAssertions(state: State): readonly Assertion[] {
  const all = candidates(state);
  const decided = all.filter(({ decidedBy }) => decidedBy !== "default");
  if (decided.length === 0) return onePerDestination(all).slice(0, 2);
  const allowed = chosen(decided, "Allow", new Set());
  const denied = chosen(decided, "Deny", new Set(allowed.map(({ to }) => to)));
  return [...allowed, ...denied].toSorted((a, b) => compare(a.to, b.to) || compare(a.verdict, b.verdict));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** One for each policy, as far as there are so many; endpoints that are not in the others come first. */
function chosen(
  all: readonly Assertion[],
  verdict: Assertion["verdict"],
  preferred: ReadonlySet<string>,
): readonly Assertion[] {
  const left = all.filter((one) => one.verdict === verdict);
  const taken: Assertion[] = [];
  const uses = (key: keyof Assertion, value: string) => taken.filter((one) => one[key] === value).length;
  while (taken.length < mostOfEach) {
    const cost = (one: Assertion) =>
      16 * uses("decidedBy", one.decidedBy) +
      4 * uses("to", one.to) +
      4 * uses("from", one.from) +
      (preferred.has(one.to) ? 0 : 2) +
      (isAcross(one) ? 0 : 1);
    const next = left
      .filter((one) => !taken.includes(one))
      .reduce<Assertion | undefined>(
        (best, one) => (best === undefined || cost(one) < cost(best) ? one : best),
        undefined,
      );
    // A second example of the same policy is worth it only where there are few policies.
    if (next === undefined || uses("decidedBy", next.decidedBy) > 1) break;
    taken.push(next);
  }
  return taken;
}

const isAcross = ({ from, to }: Assertion): boolean => from.split("/")[0] !== to.split("/")[0];

function onePerDestination(all: readonly Assertion[]): readonly Assertion[] {
  return [...new Map(all.map((one) => [one.to, one])).values()];
}

/** All pairs within the budget, spread over sources and destinations. Undecided ones and those that differ by replica are left out. */
function candidates(state: State): readonly Assertion[] {
  const { sources, targets } = testEndpoints(state);
  const found: Assertion[] = [];
  let left = flowBudget;
  for (let shift = 0; shift < targets.length; shift++)
    for (const [i, from] of sources.entries()) {
      const to = targets[(i + shift) % targets.length]!;
      const isItself = to.startsWith(`${from}:`);
      if (isItself || left <= 0 || (isExternal(from) && isExternal(to))) continue;
      const answer = answerTo(state, from, to);
      left -= answer?.flows ?? 0;
      for (const decidedBy of answer?.deciders ?? [])
        found.push({ from, to, verdict: answer!.verdict, decidedBy });
    }
  return found;
}

const isExternal = (text: string): boolean => /^[\d.]+(?::|$)/.test(text);

interface DecidedAnswer {
  readonly verdict: Assertion["verdict"];
  /** Policies, any of which can be named as the one that decides. */
  readonly deciders: readonly string[];
  readonly flows: number;
}

function answerTo(state: State, from: string, to: string): DecidedAnswer | undefined {
  const [source, target] = [parseEndpoint(from), parseTarget(to)];
  if (!source.ok || !target.ok) return undefined;
  const asked = ask(state, { from: source.value, to: target.value.endpoint, port: target.value.port });
  if (!asked.ok) return undefined;
  const { verdict, answers } = asked.value;
  if (verdict !== "Allow" && verdict !== "Deny") return undefined;
  const [first = [], ...others] = answers.map(({ connection }) => decidingNames(connection));
  const common = first.filter((name) => others.every((names) => names.includes(name)));
  // `KIND/NAMESPACE/NAME` comes before its short form.
  const deciders = common.filter((name, i) => !isShortForm(name, common[i - 1]));
  return { verdict, deciders: [...new Set(deciders)], flows: answers.length };
}

function isShortForm(name: string, before: string | undefined): boolean {
  const [kind, short, ...more] = name.split("/");
  return (
    more.length === 0 &&
    before?.startsWith(`${kind}/`) === true &&
    before.endsWith(`/${short}`) &&
    before !== name
  );
}

/** The ConnectivityTest with these assertions, one on each line. `given` is empty for a live cluster. */
export function testText(
  assertions: readonly Assertion[],
  given: readonly string[],
  comment: string,
): string {
  const document = new Document({
    apiVersion: "tierwall.dev/v1",
    kind: "ConnectivityTest",
    metadata: { name: "first-test" },
    spec: { ...(given.length === 0 ? {} : { given }), expect: assertions },
  });
  visit(document, {
    Pair: (_, { key, value }) => {
      if (String(key) === "given" && isCollection(value)) value.flow = true;
    },
    Map: (_, node, path) => {
      const parent = path.at(-1);
      if (isCollection(parent) && !isMap(parent)) node.flow = true;
    },
  });
  document.commentBefore = comment;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** The assertions that hold when the text is read as a test; all of them, unless a name reads differently than it was written. */
export function holding(state: State, assertions: readonly Assertion[]): readonly Assertion[] {
  return assertions.filter((assertion) => {
    const { tests, diagnostics } = readConnectivityTests(
      testText([assertion], [], ""),
      "connectivity-test.yaml",
    );
    const [test] = tests;
    return diagnostics.length === 0 && test !== undefined && runConnectivityTest(state, test).passed === 1;
  });
}
