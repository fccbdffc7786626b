/** What part of a matrix is in sight: the cell at the upper left corner, and how large cells are. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  /** Pixels of a cell. */
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const largest = 40;
/** So that the last row is seen to be the last. */
const margin = 6;

/** All of it, as large as it goes; few cells are no larger than they need to be. */
export function fitted(cells: number, { width, height }: Size): Camera {
  const scale = Math.min(largest * 0.7, (Math.min(width, height) - margin) / Math.max(1, cells));
  return { x: 0, y: 0, scale };
}

/** Nothing but the matrix is in sight, if it is larger than the window. */
export function clamped({ x, y, scale }: Camera, cells: number, { width, height }: Size): Camera {
  const most = (pixels: number) => Math.max(0, cells - pixels / scale);
  return { x: Math.min(Math.max(0, x), most(width)), y: Math.min(Math.max(0, y), most(height)), scale };
}

/** What is under the point stays there. */
export function zoomed(
  { x, y, scale }: Camera,
  factor: number,
  point: { readonly x: number; readonly y: number },
  cells: number,
  size: Size,
): Camera {
  const smallest = fitted(cells, size).scale;
  const next = Math.min(largest, Math.max(smallest, scale * factor));
  const moved = {
    x: x + point.x / scale - point.x / next,
    y: y + point.y / scale - point.y / next,
    scale: next,
  };
  return clamped(moved, cells, size);
}

export function panned(camera: Camera, dx: number, dy: number, cells: number, size: Size): Camera {
  const { x, y, scale } = camera;
  return clamped({ x: x - dx / scale, y: y - dy / scale, scale }, cells, size);
}

/** Moves no further than needed to have a cell in sight. */
export function showing(camera: Camera, row: number, column: number, cells: number, size: Size): Camera {
  const { scale } = camera;
  const into = (start: number, at: number, pixels: number) =>
    Math.min(at, Math.max(start, at + 1 - pixels / scale));
  return clamped(
    { x: into(camera.x, column, size.width), y: into(camera.y, row, size.height), scale },
    cells,
    size,
  );
}

/** The cell under a point; undefined outside the matrix. */
export function cellUnder(
  { x, y, scale }: Camera,
  point: { readonly x: number; readonly y: number },
  cells: number,
): { readonly row: number; readonly column: number } | undefined {
  if (point.x < 0 || point.y < 0) return undefined;
  const [column, row] = [Math.floor(x + point.x / scale), Math.floor(y + point.y / scale)];
  return column < cells && row < cells ? { row, column } : undefined;
}
