import type { Namespace } from "../../cluster/model.js";
import {
  type LabelMatch,
  type Labels,
  namespaceNameLabel,
  type Requirement,
} from "../../labels/requirement.js";
import { absent, type Ends } from "./ends.js";

/** Which namespaces: by labels, or (S5.4) the one of this name and all others. */
export type NamespaceChoice =
  | { readonly kind: "labels"; readonly match: LabelMatch }
  | { readonly kind: "named" | "not-named"; readonly name: string };

export interface PodChoice {
  readonly namespaces: NamespaceChoice;
  readonly pods: LabelMatch;
  readonly account: LabelMatch;
}

/** A text that equal choices share. */
export function choiceKey({ namespaces, pods, account }: PodChoice): string {
  const who =
    namespaces.kind === "labels" ? matchKey(namespaces.match) : `${namespaces.kind} ${namespaces.name}`;
  return `${who}\n${matchKey(pods)}\n${matchKey(account)}`;
}

export function matchKey(match: LabelMatch): string {
  let key = "";
  for (const { key: label, operator, values } of match)
    key += `${label}\u0000${operator}\u0000${values.join("\u0000")}\u0001`;
  return key;
}

/** Answers which classes of pods a selector selects, by what the classes have in their columns rather than one by one. */
export class Selections {
  private readonly namespaceSets = new Map<string, NamespaceSet>();
  /** By key of the vocabulary: the classes that have each value; made when first asked for, and for classes that came since. */
  private readonly classesByValue: LabelIndex[] = [];
  /** Of the namespaces, by key of a label; made when first asked for. */
  private readonly namespaceLabels = new Map<string, LabelColumn>();

  constructor(private readonly ends: Ends) {}

  /** Ascending. Never host-network pods (S3.4). */
  classesOf(choice: PodChoice): readonly number[] {
    const { podClassesIn, namespaceOfClass } = this.ends;
    const found: number[] = [];
    const tests = choice.pods.map((requirement) => this.testOf(requirement));
    if (choice.account.length > 0) tests.push((index) => this.accountFits(choice.account, index));
    const { list, isIn } = this.namespacesOf(choice.namespaces);
    // Few classes have the label, or few are in the namespaces.
    const labelled = list.length < few ? undefined : this.labelledAs(choice.pods);
    if (labelled === undefined)
      for (let n = 0; n < list.length; n++) {
        const classes = podClassesIn[list[n]!]!;
        for (let i = 0; i < classes.length; i++) if (passes(tests, classes[i]!)) found.push(classes[i]!);
      }
    else
      for (let i = 0; i < labelled.length; i++) {
        const index = labelled[i]!;
        if (isIn[namespaceOfClass[index]!] === 1 && passes(tests, index)) found.push(index);
      }
    return isAscending(found) ? found : found.toSorted((a, b) => a - b);
  }

  /** The classes with the one value that some requirement asks for; undefined where none asks for one value. */
  private labelledAs(match: LabelMatch): readonly number[] | undefined {
    const asked = match.find(({ operator, values }) => operator === "In" && values.length === 1);
    if (asked === undefined) return undefined;
    const key = this.ends.vocabulary.podKeys.get(asked.key)!;
    const value = this.ends.valueNumber(key, asked.values[0]!);
    const index = (this.classesByValue[key] ??= { podClasses: 0, byValue: [] });
    const { podClasses, labelValues } = this.ends;
    for (; index.podClasses < podClasses.length; index.podClasses++) {
      const number = podClasses[index.podClasses]!;
      const own = labelValues[key]![number]!;
      if (own !== absent) (index.byValue[own] ??= []).push(number);
    }
    return (value === undefined ? undefined : index.byValue[value]) ?? [];
  }

  includes({ namespaces, pods, account }: PodChoice, index: number): boolean {
    const { sample, kind } = this.ends.classes[index]!;
    return (
      sample.kind === "pod" &&
      kind === "pod" &&
      namespaceFits(namespaces, sample.namespace) &&
      holdForAll(pods, sample.pod.labels) &&
      this.accountFits(account, index)
    );
  }

  private namespacesOf(choice: NamespaceChoice): NamespaceSet {
    const named = namedNamespaces(choice);
    // Most selectors name their namespace: no other needs to be looked at, and nothing to be kept.
    if (named !== undefined)
      return this.amongNamespaces(
        choice,
        named.flatMap((name) => this.numberOf(name)),
      );
    const key = choice.kind === "labels" ? matchKey(choice.match) : `${choice.kind} ${choice.name}`;
    const known = this.namespaceSets.get(key);
    if (known !== undefined) return known;
    const found = this.amongNamespaces(choice, this.candidates(choice));
    this.namespaceSets.set(key, found);
    return found;
  }

  private numberOf(namespace: string): readonly number[] {
    const number = this.ends.namespaceNumber(namespace);
    return number === undefined ? [] : [number];
  }

  private amongNamespaces(choice: NamespaceChoice, candidates: readonly number[]): NamespaceSet {
    const list = candidates.filter(this.namespaceTest(choice));
    const isIn = new Uint8Array(list.length < few ? 0 : this.ends.namespaces.length);
    for (const number of list) isIn[number] = 1;
    return { list, isIn };
  }

  private namespaceTest(choice: NamespaceChoice): (number: number) => boolean {
    // Naming a namespace mostly says everything.
    if (choice.kind !== "labels" || choice.match.length === 1)
      return (number) => namespaceFits(choice, this.ends.namespaces[number]!);
    const tests = choice.match.map(({ key, operator, values }) => {
      const { column, numbers } = this.namespaceLabel(key);
      return columnTest(
        column,
        operator,
        values.map((value) => numbers.get(value)),
      );
    });
    return (number) => passes(tests, number);
  }

  /** All that have a label of which a requirement lists the values: of the requirement that fewest satisfy. */
  private candidates(choice: NamespaceChoice): readonly number[] {
    let fewest: readonly (readonly number[])[] | undefined;
    let count = Infinity;
    for (const { key, operator, values } of choice.kind === "labels" ? choice.match : []) {
      if (operator !== "In") continue;
      const { numbers, byValue } = this.namespaceLabel(key);
      const lists = [...new Set(values)].map((value) => byValue[numbers.get(value) ?? absent] ?? []);
      const size = lists.reduce((sum, list) => sum + list.length, 0);
      if (size < count) [fewest, count] = [lists, size];
    }
    return fewest === undefined ? [...this.ends.namespaces.keys()] : fewest.flat();
  }

  private namespaceLabel(key: string): LabelColumn {
    const known = this.namespaceLabels.get(key);
    if (known !== undefined) return known;
    const made: LabelColumn = { column: [], numbers: new Map(), byValue: [] };
    for (const [namespace, { labels }] of this.ends.namespaces.entries()) {
      made.column.push(absent);
      if (!Object.hasOwn(labels, key)) continue;
      const number = made.numbers.get(labels[key]!) ?? made.byValue.push([]) - 1;
      made.numbers.set(labels[key]!, number);
      made.column[namespace] = number;
      made.byValue[number]!.push(namespace);
    }
    this.namespaceLabels.set(key, made);
    return made;
  }

  private testOf({ key, operator, values }: Requirement): Test {
    const number = this.ends.vocabulary.podKeys.get(key)!;
    const wanted = values.map((value) => this.ends.valueNumber(number, value));
    return columnTest(this.ends.labelValues[number]!, operator, wanted);
  }

  private accountFits(match: LabelMatch, index: number): boolean {
    if (match.length === 0) return true;
    const { sample } = this.ends.classes[index]!;
    return (
      sample.kind === "pod" && match.every((r) => holdsFor(r, { serviceaccount: sample.pod.serviceAccount }))
    );
  }
}

/** Fewer namespaces are looked through class by class. */
const few = 4;

interface NamespaceSet {
  readonly list: readonly number[];
  /** By number of a namespace, where there are more than a few; 1 for those in the list. */
  readonly isIn: Uint8Array;
}

interface LabelIndex {
  /** How many classes of pods are in it. */
  podClasses: number;
  /** By number of the value, ascending. */
  readonly byValue: number[][];
}

/** The labels with one key, of all classes or of all namespaces. */
interface LabelColumn {
  /** By number of a class or a namespace: the number of the value, or `absent`. */
  readonly column: number[];
  readonly numbers: Map<string, number>;
  /** By number of the value, ascending. */
  readonly byValue: number[][];
}

type Test = (index: number) => boolean;

/** S1.10; `values` are numbers, undefined for a value that nothing has. */
function columnTest(
  column: readonly number[],
  operator: Requirement["operator"],
  values: readonly (number | undefined)[],
): Test {
  switch (operator) {
    case "Exists":
      return (index) => column[index] !== absent;
    case "DoesNotExist":
      return (index) => column[index] === absent;
    case "In":
    case "NotIn": {
      const wanted = new Set(values);
      const [only] = wanted;
      if (operator === "In")
        return wanted.size === 1 ? (index) => column[index] === only : (index) => wanted.has(column[index]);
      return (index) => !wanted.has(column[index]);
    }
  }
}

function passes(tests: readonly Test[], index: number): boolean {
  for (let i = 0; i < tests.length; i++) if (!tests[i]!(index)) return false;
  return true;
}

/** Mostly it is: pods of a namespace come one after the other. */
function isAscending(numbers: readonly number[]): boolean {
  for (let i = 1; i < numbers.length; i++) if (numbers[i - 1]! > numbers[i]!) return false;
  return true;
}

/** The only namespaces that a choice can fit, by name, each once; undefined where it does not name them. */
export function namedNamespaces(choice: NamespaceChoice): readonly string[] | undefined {
  switch (choice.kind) {
    case "named":
      return [choice.name];
    case "not-named":
      return undefined;
    case "labels": {
      const naming = choice.match.find(
        ({ key, operator }) => key === namespaceNameLabel && operator === "In",
      );
      return naming && [...new Set(naming.values)];
    }
  }
}

export function namespaceFits(choice: NamespaceChoice, { name, labels }: Namespace): boolean {
  switch (choice.kind) {
    case "labels":
      return holdForAll(choice.match, labels);
    case "named":
      return name === choice.name;
    case "not-named":
      return name !== choice.name;
  }
}

/** Asked of every namespace, for every selector. */
function holdForAll(match: LabelMatch, labels: Labels): boolean {
  for (let i = 0; i < match.length; i++) if (!holdsFor(match[i]!, labels)) return false;
  return true;
}

// S1.10
function holdsFor({ key, operator, values }: Requirement, labels: Labels): boolean {
  const has = Object.hasOwn(labels, key);
  if (operator === "Exists" || operator === "DoesNotExist") return has === (operator === "Exists");
  return (has && values.includes(labels[key]!)) === (operator === "In");
}
