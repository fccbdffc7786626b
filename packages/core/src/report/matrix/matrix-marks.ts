import type { MatrixCell } from "../../analysis/matrix/cells.js";
import { escapeMarkup } from "../markup.js";
import { cellText } from "./matrix-groups.js";
import { type Look, lookOf, type Picture } from "./matrix-picture.js";
import { colours, round, svgText } from "../svg.js";

/** Where the cells begin, and how large they are. */
export interface CellLayout {
  readonly left: number;
  readonly top: number;
  readonly cell: number;
}

export function* cellMarks(picture: Picture, layout: CellLayout): Iterable<string> {
  if (picture.ends.length > mostElements) yield* crowdedCells(picture, layout);
  else yield* singleCells(picture, layout);
}

/** More rows than this are too many for one element per cell. */
const mostElements = 75;

function* singleCells(
  { ends, cells: rows }: Picture,
  { left, top, cell: size }: CellLayout,
): Iterable<string> {
  for (const [i, row] of rows.entries())
    for (const [j, cell] of row.entries()) {
      const look = lookOf(cell);
      if (look === "none") continue;
      const [x, y] = [left + j * size, top + i * size];
      const said = cell === undefined ? "" : `${ends[i]!.name} → ${ends[j]!.name}: ${cellText(cell)}`;
      const tip = said === "" ? "" : `<title>${escapeMarkup(said)}</title>`;
      const isAlsoUnsure = cell !== undefined && look !== "undecided" && cell.undecided.length > 0;
      const words = cell === undefined || size < 40 ? "" : portWords(cell, x + size / 2, y + size / 2);
      yield `<g>${tip}${lookMark(look, x, y, size, words !== "")}${isAlsoUnsure ? corner(x, y, size) : ""}${words}</g>`;
    }
}

/** One path for all cells that look the same. */
function* crowdedCells({ cells: rows }: Picture, { left, top, cell: size }: CellLayout): Iterable<string> {
  const square = (inset: number) => `h${size - 2 * inset}v${size - 2 * inset}h${2 * inset - size}z`;
  const shapes: Readonly<Partial<Record<Look, { inset: number; shape: string; fill: string }>>> = {
    all: { inset: 0.5, shape: square(0.5), fill: colours.accent },
    some: { inset: 2.5, shape: square(2.5), fill: colours.light },
    partly: { inset: 0.5, shape: square(0.5), fill: "url(#hatch)" },
    undecided: { inset: size / 2, shape: "m0 4l-4-4 4-4 4 4z", fill: colours.unsure },
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

/** Each look has its own shape, so that colour is never the only signal. */
export function lookMark(look: Look, x: number, y: number, size: number, hasWords: boolean): string {
  const gap = Math.max(0.6, size * 0.06);
  const square = (inset: number, paint: string) =>
    `<rect x="${round(x + inset)}" y="${round(y + inset)}" width="${round(size - 2 * inset)}" height="${round(size - 2 * inset)}" rx="${round(Math.min(4, size * 0.12))}" ${paint}/>`;
  switch (look) {
    case "all":
      return square(gap, `fill="${colours.accent}"`);
    case "some":
      return hasWords
        ? square(gap, `fill="#dbe6fb" stroke="${colours.light}"`)
        : square(size * 0.26, `fill="${colours.light}"`);
    case "partly":
      return square(gap, 'fill="url(#hatch)"');
    case "undecided":
      return (
        square(gap, `fill="#fdf1dc" stroke="${colours.unsure}"`) +
        svgText(x + size / 2, y + size * 0.74, "?", {
          size: size * 0.66,
          weight: 700,
          fill: colours.unsure,
          anchor: "middle",
        })
      );
    case "itself":
      return `<path d="M${round(x + size * 0.3)} ${round(y + size * 0.7)}l${round(size * 0.4)} ${round(-size * 0.4)}" stroke="#b8c1cc"/>`;
    case "none":
      return "";
  }
}

/** Something else is undecided. */
const corner = (x: number, y: number, size: number): string =>
  `<path d="M${x + size - 1} ${y + 1}v${round(size * 0.34)}l${round(-size * 0.34)} ${round(-size * 0.34)}z" fill="${colours.unsure}"/>`;

/** The ports themselves, where they are few enough to be read. */
function portWords(cell: MatrixCell, x: number, y: number): string {
  const look = lookOf(cell);
  if (look === "all") return svgText(x, y + 4, "any", { size: 11, fill: "#ffffff", anchor: "middle" });
  if (look !== "some") return "";
  const [but, rest] = ["any but ", cellText(cell).replace(/^any but /, "")];
  const ports = rest.replaceAll("/TCP", "").split(" ");
  const lines = cellText(cell).startsWith(but) ? [but.trim(), ...ports] : ports;
  if (lines.length > 2 || lines.some((line) => line.length > 7)) return "";
  const first = y + 4 - (lines.length - 1) * 6;
  return lines
    .map((line, i) => svgText(x, first + i * 12, line, { size: 10.5, fill: colours.ink, anchor: "middle" }))
    .join("");
}
