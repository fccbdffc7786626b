import { emitKeypressEvents, type Key } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { visible } from "@tierwall/core/report";
import { type Choice, type PickerState, pickerLines, press } from "./picker.js";

export interface Terminal {
  readonly input: Pick<ReadStream, "setRawMode" | "on" | "off" | "resume" | "pause" | "isTTY">;
  readonly output: Pick<WriteStream, "write" | "isTTY" | "columns" | "rows">;
}

/** The list goes to stderr: stdout may be a file. */
const ownTerminal: Terminal = { input: process.stdin, output: process.stderr };

export const canPick = ({ input, output }: Terminal = ownTerminal): boolean =>
  input.isTTY && output.isTTY && process.env.TERM !== "dumb";

/** What the user chooses; undefined where nothing was chosen. */
export async function pick(
  title: string,
  choices: readonly Choice[],
  { input, output }: Terminal = ownTerminal,
): Promise<string | undefined> {
  let state: PickerState = { title, choices, typed: "", at: 0 };
  let drawn = 0;
  const clear = () => {
    if (drawn > 0) output.write(`${escape}[${drawn}A\r${escape}[J`);
    drawn = 0;
  };
  const draw = () => {
    clear();
    // Some terminals say that they have no columns at all.
    const lines = pickerLines(state, output.rows || 24, output.columns || 80).map(visible);
    output.write(`${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  emitKeypressEvents(input as ReadStream);
  input.setRawMode(true);
  input.resume();
  draw();
  try {
    return await new Promise((resolve) => {
      const onKey = (_text: string | undefined, key: Key) => {
        const pressed = press(state, key);
        if (pressed.kind === "open") {
          state = pressed.state;
          draw();
          return;
        }
        input.off("keypress", onKey);
        resolve(pressed.kind === "chosen" ? pressed.value : undefined);
      };
      input.on("keypress", onKey);
    });
  } finally {
    clear();
    input.setRawMode(false);
    input.pause();
  }
}

const escape = String.fromCharCode(27);
