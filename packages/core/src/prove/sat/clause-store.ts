import type { Literal } from "./literal.js";

/** Where a clause begins in the store. */
export type ClauseRef = number;

export const noClause: ClauseRef = -1;

/*
 * All clauses in one typed array, and for each literal the clauses that watch it:
 *
 *   clauses   … | size | level | position | literal, literal, literal … | size | level | …
 *   watches   per literal: clause, blocker, clause, blocker …
 *
 * `level` is 0 for a clause that was given, and for a learned one the number of decision levels it spans (its LBD). The
 * first two literals of a clause are the watched ones. A blocker is another literal of the clause: where it is true the
 * clause need not be looked at. `position` is where the last open literal was found: the search for another goes on from there,
 * as those before it are likely to be false still.
 */
export class ClauseStore {
  data = new Int32Array(1 << 12);
  private end = 0;
  watches: Int32Array[] = [];
  watchSizes: number[] = [];
  learned: ClauseRef[] = [];
  given: ClauseRef[] = [];

  addVariable(): void {
    this.watches.push(emptyWatches, emptyWatches);
    this.watchSizes.push(0, 0);
  }

  /** Of at least two literals. */
  add(literals: readonly Literal[], level: number): ClauseRef {
    const clause = this.end;
    this.reserve(literals.length + headerSize);
    this.data[clause] = literals.length;
    this.data[clause + 1] = level;
    this.data[clause + 2] = 2;
    this.data.set(literals, clause + headerSize);
    this.end += literals.length + headerSize;
    (level === 0 ? this.given : this.learned).push(clause);
    this.watch(literals[0]!, clause, literals[1]!);
    this.watch(literals[1]!, clause, literals[0]!);
    return clause;
  }

  literalsOf(clause: ClauseRef): Int32Array {
    return this.data.subarray(clause + headerSize, clause + headerSize + this.data[clause]!);
  }

  /** Where a literal of the clause is that is not false, other than the two watched ones; 0 where there is none. */
  openLiteral(clause: ClauseRef, values: Int8Array): number {
    const { data } = this;
    const first = clause + headerSize;
    const end = first + data[clause]!;
    const start = first + data[clause + 2]!;
    for (let i = start; i < end; i++)
      if (values[data[i]!] !== -1) {
        data[clause + 2] = i - first;
        return i;
      }
    for (let i = first + 2; i < start; i++)
      if (values[data[i]!] !== -1) {
        data[clause + 2] = i - first;
        return i;
      }
    return 0;
  }

  watch(literal: Literal, clause: ClauseRef, blocker: Literal): void {
    const size = this.watchSizes[literal]!;
    let list = this.watches[literal]!;
    if (size + 2 > list.length) {
      const larger = new Int32Array(Math.max(8, list.length * 2));
      larger.set(list);
      this.watches[literal] = list = larger;
    }
    list[size] = clause;
    list[size + 1] = blocker;
    this.watchSizes[literal] = size + 2;
  }

  /** Forgets learned clauses and moves the others together. Returns where each kept clause is now. */
  drop(dropped: ReadonlySet<ClauseRef>): (clause: ClauseRef) => ClauseRef {
    const moved = new Map<ClauseRef, ClauseRef>();
    const kept = [...this.given, ...this.learned.filter((clause) => !dropped.has(clause))];
    // Moving to lower places only, in ascending order, never overwrites a clause that is still to be moved.
    kept.sort((a, b) => a - b);
    this.end = 0;
    this.given = [];
    this.learned = [];
    this.watchSizes.fill(0);
    for (const clause of kept) {
      const length = this.data[clause]! + headerSize;
      const now = this.end;
      this.data.copyWithin(now, clause, clause + length);
      this.end += length;
      moved.set(clause, now);
      (this.data[now + 1] === 0 ? this.given : this.learned).push(now);
      const [first, second] = [this.data[now + headerSize]!, this.data[now + headerSize + 1]!];
      this.watch(first, now, second);
      this.watch(second, now, first);
    }
    return (clause) => moved.get(clause)!;
  }

  private reserve(more: number): void {
    if (this.end + more <= this.data.length) return;
    const larger = new Int32Array(Math.max(this.data.length * 2, this.end + more));
    larger.set(this.data);
    this.data = larger;
  }
}

/** The size, the level and the position. */
export const headerSize = 3;
const emptyWatches = new Int32Array(0);
