import type { BookEntry } from "../ruleset/program.js";

type Book = ReadonlyMap<string, BookEntry>;

/**
 * How long a removed rule is still needed: log lines are read some tenths of a second after their packets were judged, and the
 * number of suppressed lines is known after the second reading of counters (audit.ts).
 */
const needed = { milliseconds: 10_000, readings: 3 };

/** The limit for the case that counters cannot be read; then the oldest versions are forgotten. */
const mostLeft = 10_000;

/**
 * The rule of an id. An id always means the same version of a rule (rule-book.ts), so that a packet is never attributed to a
 * version that did not judge it. Versions are known from before they are in the kernel until no more lines of them can arrive.
 */
export class RuleVersions {
  #present: Book = new Map();
  #coming: Book = new Map();
  readonly #left = new Map<string, { readonly entry: BookEntry; readonly since: number; readings: number }>();

  /** These are about to be written to the kernel. */
  coming(book: Book): void {
    // The turn before may have failed after its rules were in the kernel.
    this.#leave(this.#coming, (id) => this.#present.has(id) || book.has(id));
    this.#coming = book;
  }

  /** These are in the kernel now, and no others. */
  programmed(book: Book): void {
    this.#leave(this.#present, (id) => book.has(id));
    for (const id of book.keys()) this.#left.delete(id);
    this.#present = book;
  }

  get(id: string): BookEntry | undefined {
    return this.#present.get(id) ?? this.#coming.get(id) ?? this.#left.get(id)?.entry;
  }

  #leave(book: Book, stays: (id: string) => boolean): void {
    const since = performance.now();
    for (const [id, entry] of book) {
      if (stays(id)) continue;
      this.#left.delete(id);
      this.#left.set(id, { entry, since, readings: 0 });
    }
    for (const id of this.#left.keys()) {
      if (this.#left.size <= mostLeft) break;
      this.#left.delete(id);
    }
  }

  /** Counters were read, and everything that follows from them was reported. */
  counted(): void {
    const now = performance.now();
    for (const [id, left] of this.#left) {
      left.readings += 1;
      if (left.readings >= needed.readings && now - left.since > needed.milliseconds) this.#left.delete(id);
    }
  }
}
