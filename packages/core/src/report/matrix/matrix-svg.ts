import type { Caveat } from "../../state/caveat.js";
import { moreCaveats, shownCaveats } from "../caveats.js";
import { escapeMarkup } from "../markup.js";
import { type CellLayout, cellMarks, lookMark } from "./matrix-marks.js";
import { lookOf, type Picture, type PictureEnd } from "./matrix-picture.js";
import { wrap } from "../style.js";
import { colours, fonts, rect, svgText, upright } from "../svg.js";

/*
 *   title, subtitle
 *                      namespace bands
 *                      labels of columns, upright
 *   namespace  label  ┌────────────────┐
 *   namespace  label  │ cells          │
 *                     └────────────────┘
 *   legend
 *   caveats
 */

/** A picture of who can reach whom: rows open connections to columns. Nothing in it is loaded from elsewhere. */
export function* matrixSvg(
  picture: Picture,
  { caveats = [] }: { readonly caveats?: readonly Caveat[] } = {},
): Iterable<string> {
  const noted = caveatTexts(caveats);
  const layout = layOut(picture, noted.length);
  const { width, height } = layout;
  yield `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${fonts}" role="img" aria-label="Who can reach whom">`;
  if (caveats.length > 0)
    yield `<desc>${escapeMarkup(caveats.map((caveat) => `Caveat: ${caveat.text}`).join("\n"))}</desc>`;
  yield `<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#e4ecfb"/><rect width="2.2" height="5" fill="${colours.accent}"/></pattern></defs>`;
  yield `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`;
  yield svgText(margin, 44, "Who can reach whom", { size: 24, weight: 650 });
  yield svgText(margin, 68, picture.subtitle, { size: 13, fill: colours.soft });
  yield* bands(picture, layout);
  yield* labels(picture, layout);
  yield* grid(picture, layout);
  yield* cellMarks(picture, layout);
  yield* legend(picture, layout);
  for (const [i, line] of noted.entries())
    yield svgText(margin, layout.height - 18 - (noted.length - 1 - i) * caveatHeight, line, { size: 12.5 });
  yield "</svg>";
}

/** In lines that fit below the narrowest picture. */
function caveatTexts(caveats: readonly Caveat[]): readonly string[] {
  const { shown, more } = shownCaveats(caveats);
  const lines = shown.flatMap((caveat) => wrap("! caveat: ", caveat.text, "    ", caveatColumns).split("\n"));
  return [...lines, ...(more > 0 ? [`! ${moreCaveats(more)}`] : [])].map((line) =>
    line.length > caveatColumns ? `${line.slice(0, caveatColumns - 1)}…` : line,
  );
}

interface Layout extends CellLayout {
  readonly width: number;
  readonly height: number;
  readonly font: number;
  /** Room for the names of namespaces next to and above the labels. */
  readonly bandWidth: number;
  readonly labelWidth: number;
}

const margin = 36;
const headHeight = 84;
const legendHeight = 74;
const caveatHeight = 18;
const caveatColumns = 100;
const longestLabel = 38;

function layOut({ ends }: Picture, caveatLines: number): Layout {
  const count = ends.length;
  const cell = count <= 14 ? 46 : count <= 26 ? 30 : count <= 42 ? 21 : count <= 75 ? 16 : 9;
  const font = Math.min(13, Math.max(7, Math.round(cell * 0.72)));
  const widest = (texts: readonly string[]) =>
    Math.ceil(Math.max(0, ...texts.map((one) => Math.min(one.length, longestLabel) * font * 0.6)));
  const labelWidth = widest(ends.map(({ label }) => label)) + 14;
  const names = widest(ends.map(({ band }) => band));
  const bandWidth = names === 0 ? 0 : names + 18;
  const left = margin + bandWidth + labelWidth;
  const top = headHeight + bandWidth + labelWidth;
  const side = count * cell;
  return {
    width: Math.max(left + side + margin, 760),
    height: top + side + legendHeight + caveatLines * caveatHeight,
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
    yield svgText(margin, top + middle, cut(band), { size: font, weight: 650 });
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
    yield svgText(left - 8, top + middle, cut(label), { ...shown, anchor: "end" });
    yield upright(left + middle, top - 8, cut(label), shown);
  }
  yield svgText(left - 10, top - 10, "from ↓   to →", {
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

function* legend({ ends, cells: rows }: Picture, { top, cell }: Layout): Iterable<string> {
  const looks = new Set(rows.flat().map(lookOf));
  const entries = [
    ["all", "every port"],
    ["some", "some ports"],
    ["partly", "some of their pods or addresses only"],
    ["undecided", "undecided"],
    ["none", "nothing"],
    ["itself", "no pair of endpoints to connect"],
  ] as const;
  let x = margin;
  const y = top + ends.length * cell + legendHeight - 40;
  for (const [look, words] of entries) {
    if (!looks.has(look)) continue;
    yield `<rect x="${x}" y="${y}" width="18" height="18" fill="#ffffff" stroke="${colours.line}"/>`;
    yield lookMark(look, x, y, 18, false);
    yield svgText(x + 26, y + 13.5, words, { size: 12.5 });
    x += 26 + words.length * 6.7 + 22;
  }
}

const cut = (label: string): string =>
  label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
