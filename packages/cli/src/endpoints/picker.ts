import type { Key } from "node:readline";

/* A list on a terminal from which one line is chosen: type to narrow it down, arrows to move, Enter to choose. */

export interface Choice {
  readonly value: string;
  /** What it is, shown next to it. */
  readonly note: string;
}

export interface PickerState {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly typed: string;
  /** Which of those that match what was typed. */
  readonly at: number;
}

export type Pressed =
  | { readonly kind: "open"; readonly state: PickerState }
  | { readonly kind: "chosen"; readonly value: string }
  | { readonly kind: "cancelled" };

/** Those that hold each word that was typed. */
export function matching({ choices, typed }: PickerState): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/);
  return choices.filter(({ value, note }) => {
    const text = `${value} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function press(state: PickerState, key: Key): Pressed {
  const found = matching(state);
  const open = (change: Partial<PickerState>): Pressed => ({ kind: "open", state: { ...state, ...change } });
  switch (key.name) {
    case "return":
    case "enter": {
      const chosen = found[state.at];
      return chosen === undefined ? open({}) : { kind: "chosen", value: chosen.value };
    }
    case "escape":
      return { kind: "cancelled" };
    case "up":
      return open({ at: Math.max(0, state.at - 1) });
    case "down":
    case "tab":
      return open({ at: Math.min(found.length - 1, state.at + 1) });
    case "backspace":
      return open({ typed: state.typed.slice(0, -1), at: 0 });
    default:
      if (key.ctrl === true) return /^[cd]$/.test(key.name ?? "") ? { kind: "cancelled" } : open({});
      return isPrintable(key.sequence) ? open({ typed: state.typed + key.sequence, at: 0 }) : open({});
  }
}

const isPrintable = (text: string | undefined): text is string =>
  text !== undefined && /^[\u0020-\u007e]$/.test(text);

/** What the terminal shows: at most `rows` lines of at most `columns` characters. */
export function pickerLines(state: PickerState, rows: number, columns: number): readonly string[] {
  const found = matching(state);
  const room = Math.max(1, Math.min(10, rows - 3));
  const first = Math.max(0, Math.min(state.at - Math.floor(room / 2), found.length - room));
  const width = Math.max(0, ...found.map(({ value }) => value.length));
  const lines = found
    .slice(first, first + room)
    .map(({ value, note }, i) => `${first + i === state.at ? ">" : " "} ${value.padEnd(width)}  ${note}`);
  const more = found.length - lines.length;
  return [
    `${state.title}: ${state.typed}`,
    ...(found.length === 0 ? ["  nothing matches"] : lines),
    `${more > 0 ? `${more} more; ` : ""}type to search, arrows to move, Enter to choose, Esc to cancel`,
  ].map((line) => line.slice(0, columns - 1));
}
