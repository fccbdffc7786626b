import type { Direction, Isolation, PodSelection, Rule, Tier } from "../policy/model.js";
import type { EndClass, Ends } from "./ends.js";
import { hasNamedPorts } from "./rule-ports.js";
import { choiceKey, type PodChoice, type Selections } from "./selection.js";
import { isRelative, peerKey, settlePeer } from "./settled-peer.js";

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
  readonly rows: Row[] = [];
  readonly rowOf: number[];

  constructor(
    readonly tier: Tier,
    private readonly direction: Direction,
    private readonly ends: Ends,
    selections: Selections,
  ) {
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
    this.rowOf = ends.classes.map(() => noRow);
    for (const [chain, classes] of classesOf) {
      const selecting = chains.numbersOf(chain).map((number) => subjects[number]!);
      const rules = inOrder(selecting.flatMap((subject) => subject.rules));
      const isolation = inOrder(selecting.flatMap((subject) => subject.isolation));
      this.addRows(classes, rules, isolation);
    }
  }

  /** Puts classes that the same rules select into rows: one, unless what the rules mean depends on the subject. */
  addRows(classes: readonly number[], rules: readonly Rule[], isolation: readonly Isolation[]): void {
    const relative = [...new Set(rules.flatMap((rule) => rule.peers.filter(isRelative)))];
    const named = this.direction === "ingress" && rules.some(hasNamedPorts);
    const byMeaning = new Map<string, Row>();
    for (const index of classes) {
      const subject = this.ends.classes[index]!;
      let meaning = "";
      if (named) meaning += `${namedPorts(subject)}\n`;
      for (const peer of relative) meaning += `${peerKey(settlePeer(peer, subject))}\n`;
      let row = byMeaning.get(meaning);
      if (row === undefined) {
        row = { index: this.rows.length, subject, rules, isolation };
        this.rows.push(row);
        byMeaning.set(meaning, row);
      }
      this.rowOf[index] = row.index;
    }
  }
}

interface Placed<T> {
  readonly position: number;
  readonly value: T;
}

/** All that a tier says about the same selection of pods. */
interface Subject {
  readonly choice: PodChoice;
  readonly rules: Placed<Rule>[];
  readonly isolation: Placed<Isolation>[];
}

function subjectsOf({ rules, isolation }: Tier): readonly Subject[] {
  const subjects = new Map<string, Subject>();
  const of = (selection: PodSelection): Subject => {
    const choice = choiceOfSubject(selection);
    const key = choiceKey(choice);
    const known = subjects.get(key);
    if (known !== undefined) return known;
    const made: Subject = { choice, rules: [], isolation: [] };
    subjects.set(key, made);
    return made;
  };
  for (const [position, value] of rules.entries()) of(value.subject).rules.push({ position, value });
  for (const [position, value] of isolation.entries()) of(value.subject).isolation.push({ position, value });
  return [...subjects.values()];
}

export function choiceOfSubject({ namespaces, pods, account }: PodSelection): PodChoice {
  return { namespaces: { kind: "labels", match: namespaces }, pods, account: account ?? [] };
}

const inOrder = <T>(placed: readonly Placed<T>[]): readonly T[] =>
  placed.toSorted((a, b) => a.position - b.position).map(({ value }) => value);

function namedPorts({ sample }: EndClass): string {
  return sample.kind === "pod"
    ? sample.pod.ports.map(({ name, protocol, port }) => `${name ?? ""}:${protocol}:${port}`).join()
    : "";
}

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
