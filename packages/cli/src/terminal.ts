import type { Style } from "@tierwall/core";
import pc from "picocolors";

/** Colour where there is a terminal to show it, and nobody asked for none (NO_COLOR). */
export function styleFor(stream: { readonly isTTY?: boolean }): Style {
  const colors = pc.createColors(
    stream.isTTY === true && pc.isColorSupported && process.env.NO_COLOR === undefined,
  );
  return {
    bold: colors.bold,
    dim: colors.dim,
    good: colors.green,
    bad: colors.red,
    unsure: colors.yellow,
  };
}

/** Data goes to stdout, talk to stderr. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}
