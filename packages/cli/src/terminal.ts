import type { Style } from "@tierwall/core";
import pc from "picocolors";

/** Colour where there is a terminal to show it, or where it is asked for (FORCE_COLOR); none where nobody wants it (NO_COLOR). */
export function styleFor(stream: { readonly isTTY?: boolean }): Style {
  const { NO_COLOR: none = "", FORCE_COLOR: forced = "" } = process.env;
  const shown = forced === "" ? stream.isTTY === true && pc.isColorSupported : forced !== "0";
  const wanted = none === "" && shown;
  const colors = pc.createColors(wanted);
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
  process.stdout.write(`${harmless(text)}\n`);
}

export function talk(text: string): void {
  process.stderr.write(`${harmless(text)}\n`);
}

/** Manifests may hold anything; of what a terminal would obey, only line breaks, tabs and our own colours go through. */
export function harmless(text: string): string {
  return text.replace(controls, (found) => (ownColours.has(found) ? found : "\uFFFD"));
}

const escape = String.fromCharCode(27);
const controls = new RegExp(`${escape}\\[[0-9;]*m|[^\\n\\t\\P{Cc}]`, "gu");
const ownColours: ReadonlySet<string> = new Set(
  [1, 2, 22, 31, 32, 33, 39].map((code) => `${escape}[${code}m`),
);
