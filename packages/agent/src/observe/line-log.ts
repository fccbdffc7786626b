import { closeSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, messageOf } from "@tierwall/kube";

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

  /** At once, so that a kill loses nothing. False where the line is lost: a full disk, say, which is said once. */
  write(value: object): boolean {
    const line = `${JSON.stringify(value)}\n`;
    if (this.#file === undefined) {
      if (process.stdout.errored !== null) return false;
      process.stdout.write(line);
      return true;
    }
    if (this.#descriptor === undefined) return false;
    try {
      writeSync(this.#descriptor, line);
      this.#troubled = false;
      return true;
    } catch (cause) {
      if (!this.#troubled) this.#onTrouble(`\`${this.#file}\` cannot be written: ${messageOf(cause)}`);
      this.#troubled = true;
      return false;
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
    makeFolder(dirname(file), 0o750);
    return openSync(file, "a", 0o640);
  } catch (cause) {
    throw new Error(
      `\`${file}\` cannot be opened for the audit log: ${messageOf(cause)}; --audit-log takes another`,
      { cause },
    );
  }
}
