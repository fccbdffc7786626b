import { describe, expect, it } from "vitest";
import { cellUnder, clamped, fitted, panned, showing, zoomed } from "./camera.js";

const size = { width: 800, height: 600 };

describe("the camera over a matrix", () => {
  it("shows all of it at first", () => {
    expect(fitted(2376, size)).toEqual({ x: 0, y: 0, scale: 0.25 });
  });

  it("does not blow up a few cells", () => {
    expect(fitted(3, size).scale).toBe(28);
  });

  it("keeps what is under the pointer there while it zooms", () => {
    const before = { x: 100, y: 200, scale: 2 };
    const point = { x: 300, y: 150 };
    const after = zoomed(before, 2, point, 2400, size);
    expect(after.scale).toBe(4);
    expect(cellUnder(after, point, 2400)).toEqual(cellUnder(before, point, 2400));
  });

  it("zooms out no further than all of it", () => {
    expect(zoomed({ x: 5, y: 5, scale: 1 }, 0.001, { x: 0, y: 0 }, 2400, size)).toEqual(fitted(2400, size));
  });

  it("stops at the edges", () => {
    const far = panned({ x: 0, y: 0, scale: 10 }, -1e6, 1e6, 100, size);
    expect(far).toEqual({ x: 20, y: 0, scale: 10 });
    expect(clamped({ x: 50, y: 50, scale: 1 }, 100, size)).toEqual({ x: 0, y: 0, scale: 1 });
  });

  it("moves just as far as a cell needs to be in sight", () => {
    const camera = { x: 10, y: 10, scale: 10 };
    expect(showing(camera, 20, 20, 1000, size)).toEqual(camera);
    expect(showing(camera, 5, 100, 1000, size)).toEqual({ x: 21, y: 5, scale: 10 });
  });

  it("knows what is outside the matrix", () => {
    const camera = { x: 0, y: 0, scale: 10 };
    expect(cellUnder(camera, { x: 25, y: 9 }, 3)).toEqual({ row: 0, column: 2 });
    expect(cellUnder(camera, { x: 31, y: 9 }, 3)).toBeUndefined();
    expect(cellUnder(camera, { x: -1, y: 9 }, 3)).toBeUndefined();
  });
});
