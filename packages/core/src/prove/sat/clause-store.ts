import type { Literal } from "./literal.js";
import { withRoom } from "./typed-arrays.js";

/** Where a clause begins in the store. */
export type ClauseRef = number;

export const noClause: ClauseRef = -1;

/*
 * All clauses in one typed array, and for each literal the clauses that watch it:
 *
 *   clauses   … | size | level | position | literal, literal, literal … | size | level | …
 *   watches   per literal: clause, blocker, clause, blocker …          (~clause for one of two literals)
 *
 * `level` is 0 for a clause that was given, -1 for one that was given for some time, and for a learned one the number of
 * decision levels it spans (its LBD). The first two literals of a clause are the watched ones. A blocker is another literal of the clause: where it is true the
 * clause need not be looked at. `position` is where the last open literal was found: the search for another goes on from there,
 * as those before it are likely to be false still.
 */
export class ClauseStore {
  data = new Int32Array(1 << 12);
  private end = 0;
  /** The watches of all literals. A list that is full moves to the end, with twice the room. */
  watches = new Int32Array(1 << 12);
  private watchesEnd = 0;
  /** By literal: where its list begins, how long it is, and for how much there is room. */
  watchStarts = new Int32Array(128);
  watchSizes = new Int32Array(128);
  private watchRooms = new Int32Array(128);
  learned: ClauseRef[] = [];
  given: ClauseRef[] = [];

  reserveLiterals(count: number): void {
    this.watchStarts = withRoom(this.watchStarts, count);
    this.watchSizes = withRoom(this.watchSizes, count);
    this.watchRooms = withRoom(this.watchRooms, count);
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
    (level <= 0 ? this.given : this.learned).push(clause);
    this.watchBoth(clause);
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
    if (size === this.watchRooms[literal]) this.moveWatches(literal);
    const at = this.watchStarts[literal]! + size;
    this.watches[at] = clause;
    this.watches[at + 1] = blocker;
    this.watchSizes[literal] = size + 2;
  }

  private moveWatches(literal: Literal): void {
    const [start, size] = [this.watchStarts[literal]!, this.watchSizes[literal]!];
    const room = Math.max(4, size * 2);
    this.watches = withRoom(this.watches, this.watchesEnd + room);
    this.watches.copyWithin(this.watchesEnd, start, start + size);
    this.watchStarts[literal] = this.watchesEnd;
    this.watchRooms[literal] = room;
    this.watchesEnd += room;
  }

  /** Of two literals: as its complement, so that it is recognized where it is watched. */
  private watchBoth(clause: ClauseRef): void {
    const [first, second] = [this.data[clause + headerSize]!, this.data[clause + headerSize + 1]!];
    const ref = this.data[clause] === 2 ? ~clause : clause;
    this.watch(first, ref, second);
    this.watch(second, ref, first);
  }

  /** Forgets clauses and moves the others together. `moved` hears where each of them is now. */
  drop(isDropped: (clause: ClauseRef) => boolean, moved?: (from: ClauseRef, to: ClauseRef) => void): void {
    const learned = this.learned.filter((clause) => !isDropped(clause));
    const kept = [...this.given.filter((clause) => !isDropped(clause)), ...learned];
    // Moving to lower places only, in ascending order, never overwrites a clause that is still to be moved.
    if (learned.length > 0) kept.sort((a, b) => a - b);
    this.end = 0;
    this.given = [];
    this.learned = [];
    this.watchSizes.fill(0);
    for (const clause of kept) {
      const length = this.data[clause]! + headerSize;
      const now = this.end;
      this.data.copyWithin(now, clause, clause + length);
      this.end += length;
      (this.data[now + 1]! <= 0 ? this.given : this.learned).push(now);
      this.watchBoth(now);
      moved?.(clause, now);
    }
  }

  private reserve(more: number): void {
    this.data = withRoom(this.data, this.end + more);
  }
}

/** The size, the level and the position. */
export const headerSize = 3;
