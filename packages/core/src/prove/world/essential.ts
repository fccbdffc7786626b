import { namespaceNameLabel } from "../../labels/requirement.js";
import { directions } from "../../policy/model.js";
import {
  type End,
  endKinds,
  ends,
  endOf,
  type Models,
  type OrderedValue,
  ownerActs,
  protocols,
} from "../encode/index.js";
import { type Answer, type Budget, FALSE, type Literal, not, TRUE } from "../sat/index.js";

/** Something about a counterexample, and the literals that say it. */
interface Feature {
  readonly text: string;
  readonly literals: readonly Literal[];
  /** Not worth a word unless it is essential. */
  readonly quiet?: boolean;
  /** A variable that says it alone, and that nothing else depends on. */
  readonly alone?: Literal;
  /** The text if it could be otherwise: the last model is an example, `more` looks for others. */
  readonly otherwise?: (more: (excluded: readonly Literal[]) => Answer) => string;
}

export interface Essential {
  /** Without it, everything else being as it is, the claim holds. */
  readonly essential: readonly string[];
  /** The claim is violated without it as well. */
  readonly incidental: readonly string[];
}

/**
 * What about the last model makes it a counterexample: without it, the claim would hold. What the claim itself asks for is left
 * out: without that, it would not be about the connection.
 */
export function essentialOf(
  encoding: Models,
  scope: readonly Literal[],
  violation: Literal,
  budget: Budget,
): Essential {
  const { formula } = encoding.connection;
  // Most labels do not matter. Where the model is one without the feature too, nothing has to be solved.
  const found = featuresOf(encoding);
  const holdsWithout = formula.withoutOne([...scope, violation]);
  const isIncidental = ({ quiet, alone }: Feature): boolean =>
    quiet === true && alone !== undefined && holdsWithout(alone);
  const settled = new Set(found.filter(isIncidental));
  const features = found.map((feature) => ({
    ...feature,
    isSettled: settled.has(feature),
    changed: settled.has(feature) ? TRUE : not(formula.and(feature.literals)),
  }));
  const [essential, incidental] = [new Set<string>(), new Map<string, string>()];
  // Halves: what is assumed for one half of the features is assumed once.
  const examine = (some: typeof features, assumed: readonly Literal[]): void => {
    const [feature] = some;
    if (feature === undefined || some.every(({ isSettled }) => isSettled)) return;
    if (some.length > 1) {
      const [left, right] = [some.slice(0, some.length >> 1), some.slice(some.length >> 1)];
      const literalsOf = (half: typeof features) => half.flatMap(({ literals }) => literals);
      examine(left, [...assumed, ...literalsOf(right)]);
      examine(right, [...assumed, ...literalsOf(left)]);
      return;
    }
    const otherwise = [...assumed, feature.changed, violation];
    const more = (excluded: readonly Literal[]) => encoding.solve([...otherwise, ...excluded], budget);
    const answer = more([]);
    if (answer === "satisfiable") incidental.set(feature.text, feature.otherwise?.(more) ?? feature.text);
    if (answer !== "unsatisfiable" || !encoding.solver.core.includes(violation)) return;
    // Without it, the connection may be none that the claim is about.
    if (encoding.solve([...assumed, feature.changed], budget) === "satisfiable") essential.add(feature.text);
  };
  examine(features, scope);
  return {
    essential: features.flatMap(({ text }) => (essential.has(text) ? [text] : [])),
    incidental: features.flatMap(({ text, quiet }) =>
      incidental.has(text) && quiet !== true ? [incidental.get(text)!] : [],
    ),
  };
}

function featuresOf({ connection, ownerRules }: Models): readonly Feature[] {
  const isTrue = (literal: Literal) => connection.formula.isTrue(literal);
  const features: Feature[] = [];
  const isOpen = (literal: Literal) => literal !== TRUE && literal !== FALSE;
  const add = (text: string, ...literals: readonly Literal[]) => {
    if (literals.some(isOpen)) features.push({ text, literals });
  };
  const addQuietly = (text: string, ...literals: readonly Literal[]) => {
    if (literals.some(isOpen)) features.push({ text, literals, quiet: true });
  };
  const family = isTrue(connection.family(4)) ? 4 : 6;
  for (const end of ends) {
    const kind = endKinds.find((each) => isTrue(connection.is(end, each)))!;
    const who = end === "source" ? "the client" : "the server";
    const address = connection.address(end, family);
    addQuietly(`the address of ${who}`, address.alike(address.interval(isTrue)[0]));
    addQuietly(`${who} is ${kind === "external" ? "external" : `a ${kind}`}`, connection.is(end, kind));
    if (kind === "pod")
      for (const scope of ["namespace", "pod", "account"] as const)
        addLabels(scope, end, `${who}${scope === "namespace" ? "'s namespace" : ""}`);
    if (kind === "node" || kind === "host-network pod") addLabels("node", end, `${who}'s node`);
  }
  for (const [name, literal] of connection.portNames)
    if (isTrue(literal)) add(`the port name ${name}`, literal);
  const protocol = protocols.find((each) => isTrue(connection.protocol(each)))!;
  add(`the protocol ${protocol}`, connection.protocol(protocol));
  if (protocol !== "ICMP") {
    const own = connection.port.interval(isTrue);
    const literals = [connection.port.alike(own[0])];
    const text = `the port number ${own[0] === own[1] ? own[0] : `(one of ${formatRange(own)})`}`;
    const otherwise: Feature["otherwise"] = (more) =>
      `the port number (${otherNumbers(connection.port, own, isTrue, more)})`;
    if (literals.some(isOpen)) features.push({ text, literals, otherwise });
  }
  addQuietly(`IPv${family}`, connection.family(family));
  for (const [key, literal] of connection.facts) addQuietly(key, isTrue(literal) ? literal : not(literal));
  for (const direction of directions) {
    if (!isTrue(connection.is(endOf(direction), "pod"))) continue;
    const acts = ownerActs.map((act) => connection.owners[direction][act]).filter(isTrue);
    const rules = (ownerRules?.all ?? []).flatMap(({ rule, literal }) =>
      rule.direction === direction ? [literal] : [],
    );
    // Another rule may do as well: that there is one at all can still be essential.
    const written = [...acts, ...(rules.some(isTrue) ? [connection.formula.or(rules)] : [])];
    if (written.length > 0)
      add(
        `what the owner of ${direction === "egress" ? "the client" : "the server"}'s namespace wrote`,
        ...written,
      );
  }
  return features;

  function addLabels(scope: "namespace" | "pod" | "node" | "account", end: End, who: string): void {
    for (const [key, pair] of connection.labels.get(scope) ?? []) {
      const mentioned = [...pair[end].values].find(([, literal]) => isTrue(literal));
      const isName = scope === "namespace" && key === namespaceNameLabel;
      if (mentioned !== undefined) {
        const what = isName ? "the name" : scope === "account" ? "the service account" : `the label ${key}=`;
        add(
          `${what}${isName || scope === "account" ? ` ${mentioned[0]} of ${who}` : `${mentioned[0]} of ${who}`}`,
          mentioned[1],
        );
      } else if (isTrue(pair.present(end)) && !isName && scope !== "account")
        add(
          `another value of the label ${key} of ${who}`,
          pair.present(end),
          ...[...pair[end].values.values()].map(not),
        );
      else if (!isTrue(pair.present(end)) && isOpen(pair.present(end)))
        features.push({
          text: `that ${who} has no label ${key}`,
          literals: [not(pair.present(end))],
          quiet: true,
          ...(pair.isIndependent(isTrue) ? { alone: pair.present(end) } : {}),
        });
    }
  }
}

type Range = readonly [first: bigint, last: bigint];

/** More ranges than these are not listed. */
const maxRanges = 4;

/** `any of 1-442, 444-65535`: the numbers that a value can have, with its own, as far as there are few ranges of them. */
function otherNumbers(
  value: OrderedValue,
  own: Range,
  isTrue: (literal: Literal) => boolean,
  more: (excluded: readonly Literal[]) => Answer,
): string {
  const found: Range[] = [own];
  const excluded: Literal[] = [];
  let answer: Answer = "satisfiable";
  while (answer === "satisfiable" && found.length < maxRanges) {
    const range = value.interval(isTrue);
    found.push(range);
    excluded.push(not(value.alike(range[0])));
    answer = more(excluded);
  }
  const ranges = merged(found).map(formatRange).join(", ");
  return `${answer === "unsatisfiable" ? "any of" : "for example"} ${ranges}`;
}

/** In ascending order, and neighbours as one. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = [];
  for (const [first, last] of ranges.toSorted((a, b) => (a[0] < b[0] ? -1 : 1))) {
    const before = found.at(-1);
    if (before !== undefined && before[1] + 1n === first) found.splice(-1, 1, [before[0], last]);
    else found.push([first, last]);
  }
  return found;
}

const formatRange = ([first, last]: Range): string => (first === last ? `${first}` : `${first}-${last}`);
