import { closeSync, openSync, writeSync } from "node:fs";

/** Where lines go: standard output, or a file that may be moved away under us. */
export class LineLog {
  readonly #file: string | undefined;
  readonly #onTrouble: (message: string) => void;
  #descriptor: number | undefined;
  #troubled = false;

  /** `-` is standard output. Throws where the file cannot be opened. */
  constructor(file: string, onTrouble: (message: string) => void) {
    this.#file = file === "-" ? undefined : file;
    this.#onTrouble = onTrouble;
    if (this.#file !== undefined) this.#descriptor = open(this.#file);
  }

  /** Written at once, so that a kill loses nothing. A full disk is said once, and costs the lines until it is over. */
  write(value: object): void {
    const line = `${JSON.stringify(value)}\n`;
    if (this.#file === undefined) {
      process.stdout.write(line);
      return;
    }
    try {
      if (this.#descriptor !== undefined) writeSync(this.#descriptor, line);
      this.#troubled = false;
    } catch (cause) {
      if (!this.#troubled) this.#onTrouble(`\`${this.#file}\` cannot be written: ${messageOf(cause)}`);
      this.#troubled = true;
    }
  }

  /** After the file was moved away: goes on in a new one of the same name. */
  reopen(): void {
    if (this.#file === undefined) return;
    const old = this.#descriptor;
    try {
      this.#descriptor = open(this.#file);
    } catch (cause) {
      this.#onTrouble(`${messageOf(cause)}; lines go on into the old file`);
      return;
    }
    if (old !== undefined) closeSync(old);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Addresses and names of pods are nobody else's business. */
function open(file: string): number {
  try {
    return openSync(file, "a", 0o640);
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be opened for the audit log: ${messageOf(cause)}`, { cause });
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
