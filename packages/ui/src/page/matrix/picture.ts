import type { Camera, Size } from "./camera.js";
import type { Rgb } from "./palette.js";

/**
 * All cells as one image, a pixel each, and smaller copies of it for looking from far away. Made once for each colouring: a
 * frame copies the part that is in sight, whatever the number of cells.
 */
export class Picture {
  private readonly levels: readonly HTMLCanvasElement[];

  constructor(
    readonly cells: number,
    codes: Uint8Array,
    colours: readonly Rgb[],
  ) {
    const levels = [painted(cells, codes, colours)];
    for (let last = levels[0]!; last.width > 256; levels.push((last = halved(last))));
    this.levels = levels;
  }

  draw(context: CanvasRenderingContext2D, { x, y, scale }: Camera, { width, height }: Size): void {
    // The smallest copy that still has a pixel for each one on the screen.
    const level = Math.max(0, Math.min(this.levels.length - 1, Math.floor(Math.log2(1 / scale))));
    const image = this.levels[level]!;
    const shrunk = image.width / this.cells;
    const seen = {
      width: Math.min(this.cells - x, width / scale),
      height: Math.min(this.cells - y, height / scale),
    };
    context.imageSmoothingEnabled = scale < 1;
    context.drawImage(
      image,
      x * shrunk,
      y * shrunk,
      seen.width * shrunk,
      seen.height * shrunk,
      0,
      0,
      seen.width * scale,
      seen.height * scale,
    );
  }
}

function painted(cells: number, codes: Uint8Array, colours: readonly Rgb[]): HTMLCanvasElement {
  const { canvas, context } = blank(cells);
  const image = new ImageData(Math.max(1, cells), Math.max(1, cells));
  const pixels = new Uint32Array(image.data.buffer);
  const packed = Uint32Array.from(colours, packedColour);
  for (let i = 0; i < codes.length; i++) pixels[i] = packed[codes[i]!]!;
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Bytes in memory are red, green, blue, opacity; numbers on all machines that browsers run on begin with the last. */
const packedColour = ([red, green, blue]: Rgb): number =>
  ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

function halved(image: HTMLCanvasElement): HTMLCanvasElement {
  const { canvas, context } = blank(Math.ceil(image.width / 2));
  context.imageSmoothingEnabled = true;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function blank(width: number) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(1, width);
  return { canvas, context: canvas.getContext("2d")! };
}
