import { closeSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, messageOf } from "@tierwall/kube";

/** Writes lines to standard output, or to a file that log rotation may move. */
export class LineLog {
  readonly #file: string | undefined;
  readonly #onTrouble: (message: string) => void;
  #descriptor: number | undefined;
  #troubled = false;

  /** `-` is standard output. Throws if the file cannot be opened. */
  constructor(file: string, onTrouble: (message: string) => void) {
    this.#file = file === "-" ? undefined : file;
    this.#onTrouble = onTrouble;
    if (this.#file !== undefined) this.#descriptor = open(this.#file);
  }

  /** Not buffered, so that no line is lost when the process is killed. False if the line was not written, for example because the disk is full. */
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
      if (!this.#troubled) this.#onTrouble(`cannot write \`${this.#file}\`: ${messageOf(cause)}`);
      this.#troubled = true;
      return false;
    }
  }

  /** After the file was moved: continues in a new one of the same name. */
  reopen(): void {
    if (this.#file === undefined) return;
    const old = this.#descriptor;
    try {
      this.#descriptor = open(this.#file);
    } catch (cause) {
      this.#onTrouble(`${messageOf(cause)}; lines are still written to the old file`);
      return;
    }
    if (old !== undefined) closeSync(old);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Not readable by other users: it contains addresses and names of pods. */
function open(file: string): number {
  try {
    makeFolder(dirname(file), 0o750);
    return openSync(file, "a", 0o640);
  } catch (cause) {
    throw new Error(
      `cannot open the audit log \`${file}\`: ${messageOf(cause)}; set --audit-log to another file`,
      { cause },
    );
  }
}
