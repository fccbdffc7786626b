import type { SurveyedChunk } from "@tierwall/core";

/*
 * Hands chunks from one thread to another, which wait for each other without leaving what they are at: reading is a loop, not a
 * chain of events. Each of a few slots in shared memory is in turn filled by one and emptied by the other.
 */

const slotCount = 4;
const room = { bytes: 4 << 20, notes: 1 << 20, texts: 2 << 20 } as const;
const slotSize = room.bytes + room.notes + room.texts;

/** In the numbers before the slots: whether nobody reads any more, and of each slot, its state and what it holds. */
const isLeft = 0;
const numbersOfSlot = 4;
const headSize = 4 * (1 + slotCount * numbersOfSlot);
const [state, byteCount, noteCount, textCount] = [0, 1, 2, 3] as const;
const states = { empty: 0, full: 1, end: 2, broken: 3 } as const;

const memorySize = roundUp(headSize) + slotCount * slotSize;

/** Both ends of it share this. */
export class ChunkRing {
  private readonly head: Int32Array;
  private turn = 0;

  constructor(readonly memory = new SharedArrayBuffer(memorySize)) {
    this.head = new Int32Array(memory, 0, headSize / 4);
  }

  /** Fills the next slot; false when nobody reads any more. What is too large goes in several pieces, without notes. */
  put({ bytes, notes, texts }: SurveyedChunk): boolean {
    const fits = bytes.length <= room.bytes && notes.byteLength <= room.notes && texts.length <= room.texts;
    if (fits) return this.fill(bytes, notes, texts);
    for (let at = 0; at < bytes.length; at += room.bytes)
      if (!this.fill(bytes.subarray(at, at + room.bytes), none.notes, none.texts)) return false;
    return true;
  }

  /** There is no more: all was put, or it cannot be. */
  close(how: "end" | "broken"): void {
    if (this.waitFor(states.empty, undefined)) this.turnTo(states[how]);
  }

  /**
   * What is put, one after the other; each is good until the next is asked for. `broken` where whoever puts them cannot go
   * on, or has not been heard of for so many milliseconds.
   */
  *taken(patience: number): Generator<SurveyedChunk, "end" | "broken"> {
    try {
      for (;;) {
        if (!this.waitFor(undefined, patience)) return "broken";
        const found = Atomics.load(this.head, this.at(state));
        if (found !== states.full) return found === states.end ? "end" : "broken";
        yield this.held();
        this.turnTo(states.empty);
      }
    } finally {
      Atomics.store(this.head, isLeft, 1);
      for (let slot = 0; slot < slotCount; slot++) Atomics.notify(this.head, 1 + slot * numbersOfSlot);
    }
  }

  private fill(bytes: Uint8Array, notes: Int32Array, texts: Uint8Array): boolean {
    if (!this.waitFor(states.empty, undefined)) return false;
    const slot = this.slot();
    slot.bytes.set(bytes);
    slot.notes.set(notes);
    slot.texts.set(texts);
    this.head[this.at(byteCount)] = bytes.length;
    this.head[this.at(noteCount)] = notes.length;
    this.head[this.at(textCount)] = texts.length;
    this.turnTo(states.full);
    return true;
  }

  private held(): SurveyedChunk {
    const { bytes, notes, texts } = this.slot();
    return {
      bytes: bytes.subarray(0, this.head[this.at(byteCount)]),
      notes: notes.subarray(0, this.head[this.at(noteCount)]),
      texts: texts.subarray(0, this.head[this.at(textCount)]),
    };
  }

  private slot(): SurveyedChunk {
    const { memory } = this;
    const start = roundUp(headSize) + this.turn * slotSize;
    return {
      bytes: new Uint8Array(memory, start, room.bytes),
      notes: new Int32Array(memory, start + room.bytes, room.notes / 4),
      texts: new Uint8Array(memory, start + room.bytes + room.notes, room.texts),
    };
  }

  /** Until the slot whose turn it is has this state, or is not empty any more; false where that will not be. */
  private waitFor(wanted: number | undefined, patience: number | undefined): boolean {
    const at = this.at(state);
    for (;;) {
      if (Atomics.load(this.head, isLeft) === 1) return false;
      const found = Atomics.load(this.head, at);
      if (wanted === undefined ? found !== states.empty : found === wanted) return true;
      if (Atomics.wait(this.head, at, found, patience) === "timed-out") return false;
    }
  }

  private turnTo(next: number): void {
    const at = this.at(state);
    Atomics.store(this.head, at, next);
    Atomics.notify(this.head, at);
    this.turn = (this.turn + 1) % slotCount;
  }

  private at(number: number): number {
    return 1 + this.turn * numbersOfSlot + number;
  }
}

const none = { notes: new Int32Array(0), texts: new Uint8Array(0) } as const;

/** Numbers of four bytes stand at multiples of four. */
function roundUp(size: number): number {
  return Math.ceil(size / 64) * 64;
}
