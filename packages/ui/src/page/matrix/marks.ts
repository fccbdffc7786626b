import type { Camera } from "./camera.js";
import { cssOf, mixed, type Mark } from "./palette.js";
import type { InSight, Scene } from "./scene.js";

/** One stroke for all cells with the same mark: a cell by itself costs nearly nothing. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  { codes, paints, ends: { length }, tokens }: Scene,
  { x, y, scale }: Camera,
  { rows, columns }: InSight,
): void {
  const paths: Record<Exclude<Mark, "none" | "question">, Path2D> = {
    cross: new Path2D(),
    dot: new Path2D(),
    half: new Path2D(),
    stripes: new Path2D(),
  };
  context.fillStyle = cssOf(tokens("surface"));
  context.font = `600 ${Math.round(scale * 0.7)}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const reach = scale * 0.18;
  for (let row = rows[0]; row < rows[1]; row++)
    for (let column = columns[0]; column < columns[1]; column++) {
      const { mark } = paints[codes[row * length + column]!]!;
      if (mark === "none") continue;
      const [left, top] = [(column - x) * scale, (row - y) * scale];
      const [over, down] = [left + scale / 2, top + scale / 2];
      switch (mark) {
        case "cross":
          paths.cross.moveTo(over - reach, down - reach);
          paths.cross.lineTo(over + reach, down + reach);
          paths.cross.moveTo(over + reach, down - reach);
          paths.cross.lineTo(over - reach, down + reach);
          break;
        case "dot":
          paths.dot.moveTo(over + reach, down);
          paths.dot.arc(over, down, reach, 0, 2 * Math.PI);
          break;
        case "half":
          paths.half.moveTo(left, top + scale);
          paths.half.lineTo(left, top);
          paths.half.lineTo(left + scale, top);
          break;
        case "stripes":
          paths.stripes.moveTo(left, top + scale);
          paths.stripes.lineTo(left + scale, top);
          break;
        case "question":
          context.fillText("?", over, down + 1);
      }
    }
  context.fillStyle = cssOf(tokens("surface"));
  context.fill(paths.dot);
  context.fillStyle = cssOf(mixed(tokens("accent"), tokens("surface"), 0.6));
  context.fill(paths.half);
  context.lineWidth = Math.max(1, scale * 0.07);
  context.strokeStyle = cssOf(mixed(tokens("ink"), tokens("surface"), 0.45));
  context.stroke(paths.cross);
  context.stroke(paths.stripes);
}
