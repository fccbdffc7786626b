import type { MatrixEndView } from "../worker/questions/matrix.js";
import type { Band } from "./bands.js";
import type { Paint, Tokens } from "./palette.js";
import type { Picture } from "./picture.js";

/** Everything that a frame shows. */
export interface Scene {
  readonly ends: readonly MatrixEndView[];
  readonly bands: readonly Band[];
  readonly codes: Uint8Array;
  readonly paints: readonly Paint[];
  readonly picture: Picture;
  readonly tokens: Tokens;
}

export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The cells of which something is to be seen. */
export interface InSight {
  readonly rows: readonly [first: number, behind: number];
  readonly columns: readonly [first: number, behind: number];
}
