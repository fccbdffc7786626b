import type { Camera, Size } from "./camera.js";
import { drawMarks } from "./marks.js";
import { cssOf } from "./palette.js";
import type { CellPlace, InSight, Scene } from "./scene.js";

/** Room for the names of rows and columns. */
export const gutter = { left: 184, top: 128 } as const;

/** Cells at least so large have lines between them, names next to them, and marks on them. */
const gridScale = 7;
const nameScale = 11;
const markScale = 12;
const font = '11px "Liberation Mono", ui-monospace, Menlo, Consolas, monospace';

/** The part of the window that cells take. */
export const fieldOf = ({ width, height }: Size): Size => ({
  width: Math.max(1, width - gutter.left),
  height: Math.max(1, height - gutter.top),
});

export function drawScene(
  context: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  size: Size,
  cursor: CellPlace | undefined,
): void {
  const { tokens, ends } = scene;
  const field = fieldOf(size);
  const seen = inSight(ends.length, camera, field);
  context.fillStyle = cssOf(tokens("surface"));
  context.fillRect(0, 0, size.width, size.height);
  clipped(context, gutter.left, gutter.top, field.width, field.height, () => {
    scene.picture.draw(context, camera, field);
    if (camera.scale >= markScale) drawMarks(context, scene, camera, seen);
    if (camera.scale >= gridScale) drawGrid(context, scene, camera, seen);
    drawBandLines(context, scene, camera, field);
    if (cursor !== undefined) drawCursor(context, scene, camera, field, cursor);
  });
  const axes = [
    { count: seen.rows, offset: camera.y, length: field.height, at: cursor?.row },
    { count: seen.columns, offset: camera.x, length: field.width, at: cursor?.column },
  ] as const;
  clipped(context, 0, gutter.top, gutter.left, field.height, () =>
    drawNames(context, scene, camera.scale, axes[0], gutter.left),
  );
  clipped(context, gutter.left, 0, field.width, gutter.top, () => {
    // Drawn like the left side, and rotated.
    context.translate(0, gutter.top);
    context.rotate(-Math.PI / 2);
    drawNames(context, scene, camera.scale, axes[1], gutter.top);
  });
}

function inSight(cells: number, { x, y, scale }: Camera, { width, height }: Size): InSight {
  const span = (start: number, pixels: number) =>
    [Math.floor(start), Math.min(cells, Math.ceil(start + pixels / scale))] as const;
  return { rows: span(y, height), columns: span(x, width) };
}

function clipped(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  draw: () => void,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.translate(x, y);
  draw();
  context.restore();
}

function drawGrid(
  context: CanvasRenderingContext2D,
  { tokens, ends: { length } }: Scene,
  { x, y, scale }: Camera,
  { rows, columns }: InSight,
): void {
  context.strokeStyle = cssOf(tokens("surface"));
  context.lineWidth = 1;
  context.beginPath();
  const [right, bottom] = [
    (Math.min(columns[1], length) - x) * scale,
    (Math.min(rows[1], length) - y) * scale,
  ];
  for (let row = rows[0]; row <= rows[1]; row++) {
    const at = Math.round((row - y) * scale) + 0.5;
    context.moveTo(0, at);
    context.lineTo(right, at);
  }
  for (let column = columns[0]; column <= columns[1]; column++) {
    const at = Math.round((column - x) * scale) + 0.5;
    context.moveTo(at, 0);
    context.lineTo(at, bottom);
  }
  context.stroke();
}

/** Namespaces that are too narrow to be distinguished get no lines. */
const narrowestBand = 6;

function drawBandLines(
  context: CanvasRenderingContext2D,
  { tokens, bands, ends: { length } }: Scene,
  { x, y, scale }: Camera,
  field: Size,
): void {
  context.strokeStyle = cssOf(tokens("strong-line"));
  context.lineWidth = 1;
  context.beginPath();
  const [right, bottom] = [
    Math.min(field.width, (length - x) * scale),
    Math.min(field.height, (length - y) * scale),
  ];
  for (const { first, behind } of bands) {
    if ((behind - first) * scale < narrowestBand || behind === length) continue;
    const [down, over] = [Math.round((behind - y) * scale) + 0.5, Math.round((behind - x) * scale) + 0.5];
    if (down > 0 && down < bottom) {
      context.moveTo(0, down);
      context.lineTo(right, down);
    }
    if (over > 0 && over < right) {
      context.moveTo(over, 0);
      context.lineTo(over, bottom);
    }
  }
  context.stroke();
}

function drawCursor(
  context: CanvasRenderingContext2D,
  { tokens, ends: { length } }: Scene,
  { x, y, scale }: Camera,
  field: Size,
  { row, column }: CellPlace,
): void {
  const [left, top] = [(column - x) * scale, (row - y) * scale];
  const side = Math.max(scale, 3);
  const [red, green, blue] = tokens("ink");
  context.fillStyle = `rgb(${red} ${green} ${blue} / 10%)`;
  context.fillRect(0, top, Math.min(field.width, (length - x) * scale), side);
  context.fillRect(left, 0, side, Math.min(field.height, (length - y) * scale));
  context.lineWidth = 3;
  context.strokeStyle = cssOf(tokens("surface"));
  context.strokeRect(left - 1.5, top - 1.5, side + 3, side + 3);
  context.lineWidth = 2;
  context.strokeStyle = cssOf(tokens("ink"));
  context.strokeRect(left - 1, top - 1, side + 2, side + 2);
}

interface Axis {
  readonly count: readonly [first: number, behind: number];
  /** The first cell in sight. */
  readonly offset: number;
  readonly length: number;
  readonly at: number | undefined;
}

/** Names of ends where there is room for each, else of namespaces; that of the cursor in any case. */
function drawNames(
  context: CanvasRenderingContext2D,
  { ends, bands, tokens }: Scene,
  scale: number,
  { count, offset, length, at }: Axis,
  room: number,
): void {
  // Rows go down; columns are seen with the head to the left, and go down as well.
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const isColumn = room === gutter.top;
  const put = (text: string, middle: number) => {
    if (isColumn) {
      context.textAlign = "left";
      context.fillText(shortened(text, room), 8, middle);
    } else context.fillText(shortened(text, room), room - 8, middle);
  };
  if (scale >= nameScale) {
    context.fillStyle = cssOf(tokens("muted"));
    for (let i = count[0]; i < count[1]; i++) put(ends[i]!.name, (i + 0.5 - offset) * scale);
  } else {
    context.fillStyle = cssOf(tokens("muted"));
    let free = -Infinity;
    for (const { name, first, behind } of bands) {
      const from = Math.max(0, (first - offset) * scale);
      const to = Math.min(length, (behind - offset) * scale);
      const middle = (from + to) / 2;
      if (name === "" || to - from < 3 || middle - 7 < free) continue;
      put(name, middle);
      free = middle + 7;
    }
  }
  if (at === undefined || at < count[0] - 1 || at > count[1]) return;
  const middle = Math.min(length - 9, Math.max(9, (at + 0.5 - offset) * scale));
  context.fillStyle = cssOf(tokens("ink"));
  context.fillRect(0, middle - 9, room, 18);
  context.fillStyle = cssOf(tokens("surface"));
  put(ends[at]!.name, middle);
}

/** The end of a name says more than its beginning. */
function shortened(text: string, room: number): string {
  const most = Math.floor((room - 14) / 6.65);
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}
