import type { Argument, Command, Option } from "commander";
import { isSwitch } from "../input/option-value.js";

/** What the word at the cursor is, by the words before it. */
export type Slot =
  | { readonly kind: "command" }
  | { readonly kind: "option"; readonly command: Command; readonly given: Given }
  | {
      readonly kind: "value";
      readonly of: Option | Argument;
      readonly command: Command;
      readonly given: Given;
    }
  | { readonly kind: "nothing" };

export interface Line {
  readonly slot: Slot;
  /** What the shell replaces it with begins with this: `--output=` of `--output=js`. */
  readonly lead: string;
  /** The word, after its lead. */
  readonly word: string;
}

/** The options before the cursor, by the names that programs know them by; switches have no values. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** Takes the words apart as the program itself would, the last being the one at the cursor. */
export function readLine(program: Command, words: readonly string[]): Line {
  const before = new WordsBefore(program);
  for (const word of words.slice(0, -1)) before.take(word);
  const word = words.at(-1) ?? "";
  const { command, given, pending, onlyArguments } = before;
  if (pending !== undefined) return { slot: { kind: "value", of: pending, command, given }, lead: "", word };
  if (word.startsWith("-") && !onlyArguments) {
    const equals = word.indexOf("=");
    if (equals === -1) return { slot: { kind: "option", command, given }, lead: "", word };
    const option = before.optionOf(word.slice(0, equals));
    const slot: Slot =
      option === undefined ? { kind: "nothing" } : { kind: "value", of: option, command, given };
    return { slot, lead: word.slice(0, equals + 1), word: word.slice(equals + 1) };
  }
  return { slot: before.argumentSlot(), lead: "", word };
}

class WordsBefore {
  command: Command;
  readonly given = new Map<string, readonly string[]>();
  /** The option whose value comes next. */
  pending: Option | undefined;
  onlyArguments = false;
  private readonly operands: string[] = [];

  constructor(private readonly program: Command) {
    this.command = program;
  }

  take(word: string): void {
    if (this.pending !== undefined) {
      this.note(this.pending, word);
      this.pending = undefined;
    } else if (word === "--" && !this.onlyArguments) this.onlyArguments = true;
    else if (word.startsWith("-") && word !== "-" && !this.onlyArguments) this.takeOption(word);
    else this.takeOperand(word);
  }

  optionOf(flag: string): Option | undefined {
    return [...this.command.options, ...this.program.options].find(
      ({ short, long }) => flag === short || flag === long,
    );
  }

  argumentSlot(): Slot {
    if (this.command === this.program) return { kind: "command" };
    const { registeredArguments: list } = this.command;
    const last = list.at(-1);
    const of = list[this.operands.length] ?? (last?.variadic === true ? last : undefined);
    return of === undefined
      ? { kind: "nothing" }
      : { kind: "value", of, command: this.command, given: this.given };
  }

  /** `--output json`, `--output=json`, `-o json`, `-ojson`, and switches, several of which may share a dash. */
  private takeOption(word: string): void {
    const [flag = "", ...rest] = word.startsWith("--") ? word.split("=") : [word.slice(0, 2), word.slice(2)];
    const attached = rest.join("=");
    const option = this.optionOf(flag);
    if (option === undefined) return;
    if (isSwitch(option)) {
      this.given.set(option.attributeName(), []);
      if (!word.startsWith("--") && attached !== "") this.takeOption(`-${attached}`);
    } else if (attached !== "") this.note(option, attached);
    else this.pending = option;
  }

  private takeOperand(word: string): void {
    const found =
      this.command === this.program ? this.program.commands.find((c) => c.name() === word) : undefined;
    if (found === undefined) this.operands.push(word);
    else this.command = found;
  }

  private note(option: Option, value: string): void {
    const name = option.attributeName();
    this.given.set(name, [...(this.given.get(name) ?? []), value]);
  }
}
