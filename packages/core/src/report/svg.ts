import { escapeMarkup } from "./markup.js";

/* The elements of pictures and their style: on white, one accent colour, amber for undecided. */

export const colours = {
  paper: "#ffffff",
  ink: "#1a202c",
  soft: "#5b6675",
  line: "#e3e8ee",
  band: "#f3f6fa",
  accent: "#2457c5",
  light: "#7fa3ea",
  unsure: "#c77700",
} as const;

export const fonts = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export interface TextLook {
  readonly size: number;
  readonly weight?: number;
  readonly fill?: string;
  readonly anchor?: "end" | "middle";
  readonly title?: string;
}

export function svgText(x: number, y: number, words: string, look: TextLook, turn = ""): string {
  const weight = look.weight === undefined ? "" : ` font-weight="${look.weight}"`;
  const anchor = look.anchor === undefined ? "" : ` text-anchor="${look.anchor}"`;
  const title = look.title === undefined ? "" : `<title>${escapeMarkup(look.title)}</title>`;
  const place =
    turn === ""
      ? ` x="${round(x)}" y="${round(y)}"`
      : ` transform="translate(${round(x)} ${round(y)}) ${turn}"`;
  return `<text${place} font-size="${round(look.size)}" fill="${look.fill ?? colours.ink}"${weight}${anchor}>${title}${escapeMarkup(words)}</text>`;
}

export const upright = (x: number, y: number, words: string, look: TextLook): string =>
  svgText(x, y, words, look, "rotate(-90)");

export function rect(x: number, y: number, width: number, height: number, fill: string, opacity = 1): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"${opacity === 1 ? "" : ` fill-opacity="${opacity}"`}/>`;
}

/** Tenths of a pixel are fine enough. */
export const round = (number: number): number => Math.round(number * 10) / 10;
