import type { Cell } from "../analysis/matrix/cells.js";
import { escapeMarkup } from "./markup.js";
import { cellText } from "./matrix-groups.js";
import { type Look, lookOf, type Picture, type PictureEnd } from "./matrix-picture.js";

/*
 *   title, subtitle
 *                      namespace bands
 *                      labels of columns, upright
 *   namespace  label  ┌────────────────┐
 *   namespace  label  │ cells          │
 *                     └────────────────┘
 *   legend
 */

const colours = {
  paper: "#ffffff",
  ink: "#1a202c",
  soft: "#5b6675",
  line: "#e3e8ee",
  band: "#f3f6fa",
  accent: "#2457c5",
  light: "#7fa3ea",
  unsure: "#c77700",
} as const;

const fonts = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** A picture of who can reach whom: rows open connections to columns. Nothing in it is loaded from elsewhere. */
export function* matrixSvg(picture: Picture, { heading = true } = {}): Iterable<string> {
  const layout = layOut(picture, heading ? headHeight : 12);
  const { width, height } = layout;
  yield `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${fonts}" data-left="${layout.left}" data-top="${layout.top}" data-cell="${layout.cell}" data-count="${picture.ends.length}" role="img" aria-label="Who can reach whom">`;
  yield `<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#e4ecfb"/><rect width="2.2" height="5" fill="${colours.accent}"/></pattern></defs>`;
  yield `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`;
  if (heading) {
    yield text(margin, 44, "Who can reach whom", { size: 24, weight: 650 });
    yield text(margin, 68, picture.subtitle, { size: 13, fill: colours.soft });
  }
  yield* bands(picture, layout);
  yield* labels(picture, layout);
  yield* grid(picture, layout);
  yield* cells(picture, layout);
  yield* legend(picture, layout);
  yield "</svg>";
}

interface Layout {
  readonly width: number;
  readonly height: number;
  /** Where the cells begin, and how large they are. */
  readonly left: number;
  readonly top: number;
  readonly cell: number;
  readonly font: number;
  /** Room for the names of namespaces beside and above the labels. */
  readonly bandWidth: number;
  readonly labelWidth: number;
}

const margin = 36;
const headHeight = 84;
const legendHeight = 74;
const longestLabel = 38;

function layOut({ ends }: Picture, head: number): Layout {
  const count = ends.length;
  const cell = count <= 14 ? 46 : count <= 26 ? 30 : count <= 42 ? 21 : count <= 75 ? 16 : 9;
  const font = Math.min(13, Math.max(7, Math.round(cell * 0.72)));
  const widest = (texts: readonly string[], size: number) =>
    Math.max(0, ...texts.map((one) => Math.min(one.length, longestLabel) * size * 0.6));
  const labelWidth =
    Math.ceil(
      widest(
        ends.map(({ label }) => label),
        font,
      ),
    ) + 14;
  const bandWidth =
    Math.ceil(
      widest(
        ends.map(({ band }) => band),
        font,
      ),
    ) + (ends.some(({ band }) => band !== "") ? 18 : 0);
  const left = margin + bandWidth + labelWidth;
  const top = head + bandWidth + labelWidth;
  const side = count * cell;
  return {
    width: Math.max(left + side + margin, 760),
    height: top + side + legendHeight,
    left,
    top,
    cell,
    font,
    bandWidth,
    labelWidth,
  };
}

/** Runs of rows of one namespace. */
function runsOf(
  ends: readonly PictureEnd[],
): readonly { readonly band: string; readonly first: number; readonly count: number }[] {
  const runs: { band: string; first: number; count: number }[] = [];
  for (const [i, { band }] of ends.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.band === band) last.count++;
    else runs.push({ band, first: i, count: 1 });
  }
  return runs;
}

function* bands(
  { ends }: Picture,
  { left, top, cell, font, bandWidth, labelWidth }: Layout,
): Iterable<string> {
  const side = ends.length * cell;
  if (ends.every(({ band }) => band === "")) return;
  for (const [number, { band, first, count }] of runsOf(ends).entries()) {
    const [start, length] = [first * cell, count * cell];
    if (number % 2 === 0) {
      yield rect(margin - 8, top + start, left - margin + 8 + side, length, colours.band);
      yield rect(
        left + start,
        top - labelWidth - bandWidth,
        length,
        labelWidth + bandWidth + side,
        colours.band,
        0.75,
      );
    }
    if (band === "") continue;
    const middle = start + length / 2 + font * 0.35;
    yield text(margin, top + middle, cut(band), { size: font, weight: 650 });
    yield upright(left + middle, top - labelWidth - bandWidth + 10, cut(band), {
      size: font,
      weight: 650,
      anchor: "end",
    });
  }
}

function* labels({ ends }: Picture, { left, top, cell, font }: Layout): Iterable<string> {
  for (const [i, { label, name }] of ends.entries()) {
    const middle = i * cell + cell / 2 + font * 0.35;
    const shown = { size: font, fill: colours.ink, title: name };
    yield text(left - 8, top + middle, cut(label), { ...shown, anchor: "end" });
    yield upright(left + middle, top - 8, cut(label), shown);
  }
  yield text(left - 10, top - 10, "from ↓   to →", {
    size: Math.min(font, 11),
    fill: colours.soft,
    anchor: "end",
  });
}

function* grid({ ends }: Picture, { left, top, cell }: Layout): Iterable<string> {
  const side = ends.length * cell;
  const lines = Array.from({ length: ends.length + 1 }, (_, i) => {
    const at = i * cell;
    return `M${left} ${top + at}h${side}M${left + at} ${top}v${side}`;
  });
  yield `<path d="${lines.join("")}" stroke="${colours.line}" fill="none"/>`;
}

function* cells(picture: Picture, layout: Layout): Iterable<string> {
  if (picture.ends.length > mostElements) yield* crowdedCells(picture, layout);
  else yield* singleCells(picture, layout);
}

/** More rows than this are too many for an element a cell. */
const mostElements = 75;

function* singleCells({ ends, cells: rows }: Picture, { left, top, cell: size }: Layout): Iterable<string> {
  for (const [i, row] of rows.entries())
    for (const [j, cell] of row.entries()) {
      const look = lookOf(cell);
      if (look === "none") continue;
      const [x, y] = [left + j * size, top + i * size];
      const said = cell === undefined ? "" : `${ends[i]!.name} → ${ends[j]!.name}: ${cellText(cell)}`;
      const tip = said === "" ? "" : `<title>${escapeMarkup(said)}</title>`;
      const isAlsoUnsure = cell !== undefined && look !== "undecided" && cell.undecided.length > 0;
      const words = cell === undefined || size < 40 ? "" : portWords(cell, x + size / 2, y + size / 2);
      yield `<g>${tip}${mark(look, x, y, size, words !== "")}${isAlsoUnsure ? corner(x, y, size) : ""}${words}</g>`;
    }
}

/** One path for all cells that look alike. */
function* crowdedCells({ cells: rows }: Picture, { left, top, cell: size }: Layout): Iterable<string> {
  const square = (inset: number) => `h${size - 2 * inset}v${size - 2 * inset}h${2 * inset - size}z`;
  const shapes: Readonly<Partial<Record<Look, { inset: number; shape: string; fill: string }>>> = {
    all: { inset: 0.5, shape: square(0.5), fill: colours.accent },
    some: { inset: 2.5, shape: square(2.5), fill: colours.light },
    partly: { inset: 0.5, shape: square(0.5), fill: "url(#hatch)" },
    undecided: { inset: size / 2, shape: `l-4-4 4-4 4 4z`, fill: colours.unsure },
  };
  for (const [look, { inset, shape, fill }] of Object.entries(shapes)) {
    const path = rows.flatMap((row, i) =>
      row.flatMap((cell, j) =>
        lookOf(cell) === look ? [`M${left + j * size + inset} ${top + i * size + inset}${shape}`] : [],
      ),
    );
    if (path.length > 0) yield `<path d="${path.join("")}" fill="${fill}"/>`;
  }
}

/** Each look has a shape of its own, so that nobody needs the colours. */
function mark(look: Look, x: number, y: number, size: number, hasWords: boolean): string {
  const gap = Math.max(0.6, size * 0.06);
  const whole = size - 2 * gap;
  const round = Math.min(4, size * 0.12).toFixed(1);
  switch (look) {
    case "all":
      return `<rect x="${x + gap}" y="${y + gap}" width="${whole}" height="${whole}" rx="${round}" fill="${colours.accent}"/>`;
    case "some": {
      if (hasWords)
        return `<rect x="${x + gap}" y="${y + gap}" width="${whole}" height="${whole}" rx="${round}" fill="#dbe6fb" stroke="${colours.light}"/>`;
      const inset = size * 0.26;
      return `<rect x="${x + inset}" y="${y + inset}" width="${size - 2 * inset}" height="${size - 2 * inset}" rx="${round}" fill="${colours.light}"/>`;
    }
    case "partly":
      return `<rect x="${x + gap}" y="${y + gap}" width="${whole}" height="${whole}" rx="${round}" fill="url(#hatch)"/>`;
    case "undecided":
      return (
        `<rect x="${x + gap}" y="${y + gap}" width="${whole}" height="${whole}" rx="${round}" fill="#fdf1dc" stroke="${colours.unsure}"/>` +
        text(x + size / 2, y + size / 2 + size * 0.24, "?", {
          size: size * 0.66,
          weight: 700,
          fill: colours.unsure,
          anchor: "middle",
        })
      );
    case "itself":
      return `<path d="M${x + size * 0.3} ${y + size * 0.7}L${x + size * 0.7} ${y + size * 0.3}" stroke="#b8c1cc"/>`;
    case "none":
      return "";
  }
}

const corner = (x: number, y: number, size: number): string =>
  `<path d="M${x + size - 1} ${y + 1}v${size * 0.34}l${-size * 0.34} ${-size * 0.34}z" fill="${colours.unsure}"/>`;

/** The ports themselves, where they are few enough to be read. */
function portWords(cell: Cell, x: number, y: number): string {
  const look = lookOf(cell);
  if (look === "all") return text(x, y + 4, "any", { size: 11, fill: "#ffffff", anchor: "middle" });
  if (look !== "some") return "";
  const [but, rest] = ["any but ", cellText(cell).replace(/^any but /, "")];
  const ports = rest.replaceAll("/TCP", "").split(" ");
  const lines = cellText(cell).startsWith(but) ? [but.trim(), ...ports] : ports;
  if (lines.length > 2 || lines.some((line) => line.length > 7)) return "";
  const first = y + 4 - (lines.length - 1) * 6;
  return lines
    .map((line, i) => text(x, first + i * 12, line, { size: 10.5, fill: colours.ink, anchor: "middle" }))
    .join("");
}

function* legend({ cells: rows }: Picture, { height }: Layout): Iterable<string> {
  const looks = new Set(rows.flat().map(lookOf));
  const entries = [
    ["all", "every port"],
    ["some", "some ports"],
    ["partly", "some of their pods or addresses only"],
    ["undecided", "undecided"],
    ["none", "nothing"],
    ["itself", "no two ends to connect"],
  ] as const;
  let x = margin;
  const y = height - 40;
  for (const [look, words] of entries) {
    if (!looks.has(look)) continue;
    yield `<rect x="${x}" y="${y}" width="18" height="18" fill="#ffffff" stroke="${colours.line}"/>`;
    yield mark(look, x, y, 18, false);
    yield text(x + 26, y + 13.5, words, { size: 12.5 });
    x += 26 + words.length * 6.7 + 22;
  }
}

interface TextLook {
  readonly size: number;
  readonly weight?: number;
  readonly fill?: string;
  readonly anchor?: "end" | "middle";
  readonly title?: string;
}

function text(x: number, y: number, words: string, look: TextLook, turn = ""): string {
  const weight = look.weight === undefined ? "" : ` font-weight="${look.weight}"`;
  const anchor = look.anchor === undefined ? "" : ` text-anchor="${look.anchor}"`;
  const title = look.title === undefined ? "" : `<title>${escapeMarkup(look.title)}</title>`;
  const place =
    turn === ""
      ? ` x="${round(x)}" y="${round(y)}"`
      : ` transform="translate(${round(x)} ${round(y)}) ${turn}"`;
  return `<text${place} font-size="${round(look.size)}" fill="${look.fill ?? colours.ink}"${weight}${anchor}>${title}${escapeMarkup(words)}</text>`;
}

const upright = (x: number, y: number, words: string, look: TextLook): string =>
  text(x, y, words, look, "rotate(-90)");

function rect(x: number, y: number, width: number, height: number, fill: string, opacity = 1): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"${opacity === 1 ? "" : ` fill-opacity="${opacity}"`}/>`;
}

const round = (number: number): number => Math.round(number * 10) / 10;

const cut = (label: string): string =>
  label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
