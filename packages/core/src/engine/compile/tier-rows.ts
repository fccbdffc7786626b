import type { Direction, Isolation, PodSelection, Rule, Tier } from "../../policy/model.js";
import type { EndClass, Ends } from "../classes/ends.js";
import { difference } from "../classes/list-difference.js";
import { ByNamespace } from "../classes/by-namespace.js";
import { hasNamedPorts } from "./rule-ports.js";
import { choiceKey, type PodChoice, type Selections } from "../classes/selection.js";
import { isRelative, peerKey, settlePeer } from "../classes/settled-peer.js";

/** Classes to which the same rules of a tier apply, in the same way. */
export interface Row {
  readonly index: number;
  /** Any class of the row, as the subject of its rules. */
  readonly subject: EndClass;
  /** In the order in which they are evaluated. */
  readonly rules: readonly Rule[];
  readonly isolation: readonly Isolation[];
}

/** By class; hosts have no policies of their own (S1.4). */
export const noRow = -1;

/** Which rules of a tier apply to which classes. */
export class TierRows {
  private constructor(
    readonly tier: Tier,
    private readonly direction: Direction,
    private readonly ends: Ends,
    private readonly selections: Selections,
    readonly rows: Row[],
    readonly rowOf: number[],
  ) {
    const dependsOnSubject = (rule: Rule) => isNamed(rule, direction) || rule.peers.some(isRelative);
    this.dependent = new Set(tier.rules.filter(dependsOnSubject));
  }

  /** The rules that may mean something else for another subject (S1.8, S5.4): few, and each is in many rows. */
  private readonly dependent: ReadonlySet<Rule>;
  /** Of the tier, for classes that are added later. */
  private subjects: ByNamespace<Subject> | undefined;

  static of(tier: Tier, direction: Direction, ends: Ends, selections: Selections): TierRows {
    const rowOf = ends.classes.map(() => noRow);
    const made = new TierRows(tier, direction, ends, selections, [], rowOf);
    const subjects = subjectsOf(tier);
    const chains = new Chains();
    const chainOf = new Int32Array(ends.classes.length).fill(chains.empty);
    for (const [number, { choice }] of subjects.entries())
      for (const index of selections.classesOf(choice)) chainOf[index] = chains.add(chainOf[index]!, number);

    const classesOf = new Map<number, number[]>();
    for (const index of ends.podClasses) {
      const chain = chainOf[index]!;
      const known = classesOf.get(chain);
      if (known === undefined) classesOf.set(chain, [index]);
      else known.push(index);
    }
    for (const [chain, classes] of classesOf) {
      const selecting = chains.numbersOf(chain).map((number) => subjects[number]!);
      made.addRows(classes, rulesOf(selecting), isolationOf(selecting));
    }
    return made;
  }

  /** A class of pods that was added later than all others. */
  addClass(end: EndClass): void {
    this.subjects ??= byNamespace(subjectsOf(this.tier));
    const { sample } = end;
    const candidates = [...this.subjects.in(sample.kind === "pod" ? sample.namespace.name : "")];
    const selecting = candidates.filter(({ choice }) => this.selections.includes(choice, end.index));
    const [rules, isolation] = [rulesOf(selecting), isolationOf(selecting)];
    const meaningOf = this.meaningOf(rules);
    const same = this.rows.find(
      (row) =>
        isSameList(row.rules, rules) &&
        isSameList(row.isolation, isolation) &&
        meaningOf(row.subject) === meaningOf(end),
    );
    if (same === undefined) this.addRows([end.index], rules, isolation);
    else this.rowOf[end.index] = same.index;
  }

  /** The rows of the tier as it is now. Rows of classes that it means the same for stay what they are. */
  changedTo(tier: Tier): { readonly rows: TierRows; readonly affected: ReadonlySet<number> } {
    const rules = difference(this.tier.rules, tier.rules);
    const isolation = difference(this.tier.isolation, tier.isolation);
    const affected = new Set<number>();
    for (const { subject } of [...rules.gone, ...rules.come, ...isolation.gone, ...isolation.come])
      for (const index of this.selections.classesOf(choiceOfSubject(subject))) affected.add(index);

    const made = new TierRows(
      tier,
      this.direction,
      this.ends,
      this.selections,
      [...this.rows],
      [...this.rowOf],
    );
    const bySelection = new Map<
      string,
      { classes: number[]; row: Row; rules: Rule[]; isolation: Isolation[] }
    >();
    for (const index of affected) {
      const row = this.rows[this.rowOf[index]!]!;
      const isIn = ({ subject }: { readonly subject: PodSelection }) =>
        this.selections.includes(choiceOfSubject(subject), index);
      const come = { rules: rules.come.filter(isIn), isolation: isolation.come.filter(isIn) };
      const numbers = [
        come.rules.map((r) => rules.come.indexOf(r)),
        come.isolation.map((i) => isolation.come.indexOf(i)),
      ];
      const key = `${row.index} ${numbers.join(" / ")}`;
      const known = bySelection.get(key);
      if (known === undefined) bySelection.set(key, { classes: [index], row, ...come });
      else known.classes.push(index);
    }
    const changes = [...bySelection.values()];
    const rulePositions = positions(
      tier.rules,
      changes.flatMap(({ row, rules }) => [...row.rules, ...rules]),
    );
    const isolationPositions = positions(
      tier.isolation,
      changes.flatMap(({ row, isolation }) => [...row.isolation, ...isolation]),
    );
    for (const { classes, row, ...come } of changes)
      made.addRows(
        classes,
        placed([...row.rules, ...come.rules], rulePositions),
        placed([...row.isolation, ...come.isolation], isolationPositions),
      );
    return { rows: made, affected };
  }

  /** Puts classes that the same rules select into rows: one, unless what the rules mean depends on the subject. */
  private addRows(classes: readonly number[], rules: readonly Rule[], isolation: readonly Isolation[]): void {
    const meaningOf = this.meaningOf(rules);
    const byMeaning = new Map<string, Row>();
    for (const index of classes) {
      const subject = this.ends.classes[index]!;
      const meaning = meaningOf(subject);
      let row = byMeaning.get(meaning);
      if (row === undefined) {
        row = { index: this.rows.length, subject, rules, isolation };
        this.rows.push(row);
        byMeaning.set(meaning, row);
      }
      this.rowOf[index] = row.index;
    }
  }

  /** A text that subjects share for which the rules mean the same (S1.8, S5.4). */
  private meaningOf(rules: readonly Rule[]): (subject: EndClass) => string {
    const dependent = this.dependent.size === 0 ? [] : rules.filter((rule) => this.dependent.has(rule));
    if (dependent.length === 0) return () => "";
    const relative = [...new Set(dependent.flatMap(({ peers }) => peers.filter(isRelative)))];
    const named = dependent.some((rule) => isNamed(rule, this.direction));
    return (subject) => {
      let meaning = named ? `${this.ends.portNaming(subject)?.index}\n` : "";
      for (const peer of relative) meaning += `${peerKey(settlePeer(peer, subject))}\n`;
      return meaning;
    };
  }
}

/** S1.8: named ports are looked up at the destination, which is the subject of ingress rules. */
const isNamed = (rule: Rule, direction: Direction): boolean => direction === "ingress" && hasNamedPorts(rule);

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/** The positions of the wanted elements that are in the list. */
function positions<T>(list: readonly T[], wanted: readonly T[]): ReadonlyMap<T, number> {
  const among = new Set(wanted);
  const found = new Map<T, number>();
  for (let i = 0; i < list.length; i++) if (among.has(list[i]!)) found.set(list[i]!, i);
  return found;
}

const placed = <T>(values: readonly T[], at: ReadonlyMap<T, number>): readonly T[] =>
  values.filter((value) => at.has(value)).toSorted((a, b) => at.get(a)! - at.get(b)!);

function rulesOf(selecting: readonly Subject[]): readonly Rule[] {
  const parts = inOrder(selecting.flatMap(({ rules }) => rules));
  if (parts.length === 1) return parts[0]!;
  const found: Rule[] = [];
  for (const part of parts) for (let i = 0; i < part.length; i++) found.push(part[i]!);
  return found;
}

const isolationOf = (selecting: readonly Subject[]): readonly Isolation[] =>
  inOrder(selecting.flatMap(({ isolation }) => isolation));

interface Placed<T> {
  readonly position: number;
  readonly value: T;
}

/** All that a tier says about the same selection of pods. */
interface Subject {
  readonly choice: PodChoice;
  /** Those that follow each other in the tier, mostly of one policy, are one list. */
  readonly rules: Placed<Rule[]>[];
  readonly isolation: Placed<Isolation>[];
}

function byNamespace(subjects: readonly Subject[]): ByNamespace<Subject> {
  const found = new ByNamespace<Subject>();
  for (const subject of subjects) found.add(subject.choice.namespaces, subject);
  return found;
}

function subjectsOf({ rules, isolation }: Tier): readonly Subject[] {
  const subjects = new Map<string, Subject>();
  // The rules of a policy have their selection in common, as an object.
  const known = new Map<PodSelection, Subject>();
  const of = (selection: PodSelection): Subject => {
    const found = known.get(selection) ?? add(selection);
    known.set(selection, found);
    return found;
  };
  const add = (selection: PodSelection): Subject => {
    const choice = choiceOfSubject(selection);
    const key = choiceKey(choice);
    const made = subjects.get(key) ?? { choice, rules: [], isolation: [] };
    subjects.set(key, made);
    return made;
  };
  let before: Subject | undefined;
  for (const [position, rule] of rules.entries()) {
    const subject = of(rule.subject);
    if (subject === before) subject.rules.at(-1)!.value.push(rule);
    else subject.rules.push({ position, value: [rule] });
    before = subject;
  }
  for (const [position, value] of isolation.entries()) of(value.subject).isolation.push({ position, value });
  return [...subjects.values()];
}

export function choiceOfSubject({ namespaces, pods, account }: PodSelection): PodChoice {
  return { namespaces: { kind: "labels", match: namespaces }, pods, account: account ?? [] };
}

const inOrder = <T>(placed: readonly Placed<T>[]): readonly T[] =>
  (placed.length > 1 ? placed.toSorted((a, b) => a.position - b.position) : placed).map(({ value }) => value);

/** Ascending lists of numbers, each held once and known by a number itself, so that equal lists are found at once. */
class Chains {
  readonly empty = 0;
  private readonly parents = [0];
  private readonly lasts = [-1];
  private readonly longer = new Map<number, number>();

  add(chain: number, number: number): number {
    const key = chain * 0x4000000 + number;
    const known = this.longer.get(key);
    if (known !== undefined) return known;
    const made = this.parents.push(chain) - 1;
    this.lasts.push(number);
    this.longer.set(key, made);
    return made;
  }

  numbersOf(chain: number): readonly number[] {
    const found: number[] = [];
    for (let at = chain; at !== this.empty; at = this.parents[at]!) found.push(this.lasts[at]!);
    return found;
  }
}
