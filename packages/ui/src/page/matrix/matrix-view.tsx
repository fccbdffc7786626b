import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from "react";
import { onThemeChange } from "../frame/theme.js";
import type { MatrixEndView } from "../worker/questions/matrix.js";
import { bandsOf } from "./bands.js";
import { type Camera, cellUnder, fitted, panned, showing, type Size, zoomed } from "./camera.js";
import { pageTokens, type Paint, type Tokens } from "./palette.js";
import { Picture } from "./picture.js";
import { drawScene, fieldOf, gutter } from "./draw-scene.js";
import type { CellPlace, Scene } from "./scene.js";

export interface MatrixViewProps {
  readonly ends: readonly MatrixEndView[];
  readonly codes: Uint8Array;
  readonly paintsOf: (tokens: Tokens) => readonly Paint[];
  readonly cursor: CellPlace | undefined;
  readonly onCursor: (place: CellPlace | undefined) => void;
  readonly onOpen: (place: CellPlace) => void;
  readonly describedBy: string;
}

/** The cells, drawn on a canvas: only what is in sight, and only when something changed. */
export function MatrixView({
  ends,
  codes,
  paintsOf,
  cursor,
  onCursor,
  onOpen,
  describedBy,
}: MatrixViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const camera = useRef<Camera>(undefined);
  const frame = useRef(0);
  const scene = useRef<Scene>(undefined);
  const place = useRef(cursor);
  const cells = ends.length;
  const bands = useMemo(() => bandsOf(ends), [ends]);

  const draw = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = canvas.current;
      if (element === null || scene.current === undefined || camera.current === undefined) return;
      const size = sizeOf(element);
      const context = element.getContext("2d", { alpha: false })!;
      context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      drawScene(context, scene.current, camera.current, size, place.current);
    });
  }, []);
  const move = useCallback(
    (next: Camera) => {
      camera.current = next;
      draw();
    },
    [draw],
  );

  useEffect(() => {
    const paint = () => {
      const tokens = pageTokens();
      const paints = paintsOf(tokens);
      const colours = paints.map(({ colour }) => colour);
      scene.current = { ends, bands, codes, paints, tokens, picture: new Picture(cells, codes, colours) };
      draw();
    };
    paint();
    return onThemeChange(paint);
  }, [ends, bands, codes, paintsOf, cells, draw]);

  // Other rows are another matrix; other colours of the same are not.
  useEffect(() => {
    const element = canvas.current!;
    const fit = () => {
      const { clientWidth, clientHeight } = element;
      element.width = Math.round(clientWidth * devicePixelRatio);
      element.height = Math.round(clientHeight * devicePixelRatio);
      const field = fieldOf(sizeOf(element));
      const known = camera.current;
      move(known === undefined ? fitted(cells, field) : zoomed(known, 1, { x: 0, y: 0 }, cells, field));
    };
    camera.current = undefined;
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [cells, move]);

  useEffect(() => {
    place.current = cursor;
    draw();
  }, [cursor, draw]);

  const zoom = useCallback(
    (factor: number, point?: { readonly x: number; readonly y: number }) => {
      const field = fieldOf(sizeOf(canvas.current!));
      const middle = { x: field.width / 2, y: field.height / 2 };
      move(zoomed(camera.current!, factor, point ?? middle, cells, field));
    },
    [cells, move],
  );
  usePointer(canvas, camera, cells, { move, zoom, onCursor, onOpen });

  const onKeyDown = (event: KeyboardEvent) => {
    const field = fieldOf(sizeOf(canvas.current!));
    const step = event.shiftKey ? 10 : 1;
    const page = Math.max(1, Math.floor(field.height / camera.current!.scale) - 1);
    const go = (down: number, over: number) => {
      const { row, column } = place.current ?? {
        row: Math.floor(camera.current!.y) - down,
        column: Math.floor(camera.current!.x) - over,
      };
      const next = { row: within(row + down, cells), column: within(column + over, cells) };
      onCursor(next);
      move(showing(camera.current!, next.row, next.column, cells, field));
    };
    const keys: Readonly<Record<string, () => void>> = {
      ArrowUp: () => go(-step, 0),
      ArrowDown: () => go(step, 0),
      ArrowLeft: () => go(0, -step),
      ArrowRight: () => go(0, step),
      PageUp: () => go(-page, 0),
      PageDown: () => go(page, 0),
      Home: () => go(0, -cells),
      End: () => go(0, cells),
      "+": () => zoom(1.4),
      "=": () => zoom(1.4),
      "-": () => zoom(1 / 1.4),
      "0": () => move(fitted(cells, field)),
      Enter: () => place.current && onOpen(place.current),
      Escape: () => onCursor(undefined),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  return (
    <div className="matrix-field">
      <canvas
        ref={canvas}
        className="matrix-canvas"
        tabIndex={0}
        role="application"
        aria-label={`Matrix of ${cells} by ${cells}: rows open connections to columns`}
        aria-describedby={describedBy}
        onKeyDown={onKeyDown}
      />
      <div className="matrix-zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(1.6)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / 1.6)}>
          −
        </button>
        <button
          type="button"
          aria-label="Show all of it"
          onClick={() => move(fitted(cells, fieldOf(sizeOf(canvas.current!))))}
        >
          ⤢
        </button>
      </div>
      <span className="matrix-corner" aria-hidden="true">
        from ↓ &nbsp; to →
      </span>
    </div>
  );
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLCanvasElement): Size => ({
  width: clientWidth,
  height: clientHeight,
});

const within = (at: number, cells: number): number => Math.min(cells - 1, Math.max(0, at));

/** A press that moves less is a click. */
const still = 4;

interface PointerActs {
  readonly move: (camera: Camera) => void;
  readonly zoom: (factor: number, point: { readonly x: number; readonly y: number }) => void;
  readonly onCursor: (place: CellPlace | undefined) => void;
  readonly onOpen: (place: CellPlace) => void;
}

/** Drag to pan, wheel to zoom, hover to look, click to open. */
function usePointer(
  canvas: { readonly current: HTMLCanvasElement | null },
  camera: { readonly current: Camera | undefined },
  cells: number,
  acts: PointerActs,
): void {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  useEffect(() => {
    const element = canvas.current!;
    let pressed: { readonly x: number; readonly y: number; moved: number } | undefined;
    const pointOf = ({ offsetX, offsetY }: MouseEvent) => ({
      x: offsetX - gutter.left,
      y: offsetY - gutter.top,
    });
    const under = (event: MouseEvent) => camera.current && cellUnder(camera.current, pointOf(event), cells);
    const down = (event: PointerEvent) => {
      pressed = { x: event.offsetX, y: event.offsetY, moved: 0 };
      element.setPointerCapture(event.pointerId);
    };
    const moveBy = (event: PointerEvent) => {
      if (pressed === undefined) return latest.current.onCursor(under(event));
      const [dx, dy] = [event.offsetX - pressed.x, event.offsetY - pressed.y];
      pressed = { x: event.offsetX, y: event.offsetY, moved: pressed.moved + Math.abs(dx) + Math.abs(dy) };
      if (pressed.moved < still) return;
      element.classList.add("dragged");
      latest.current.move(panned(camera.current!, dx, dy, cells, fieldOf(sizeOf(element))));
    };
    const up = (event: PointerEvent) => {
      const isClick = pressed !== undefined && pressed.moved < still;
      pressed = undefined;
      element.classList.remove("dragged");
      const place = under(event);
      if (isClick && place !== undefined) latest.current.onOpen(place);
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      latest.current.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), pointOf(event));
      latest.current.onCursor(under(event));
    };
    const leave = () =>
      pressed === undefined && document.activeElement !== element && latest.current.onCursor(undefined);
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", moveBy);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", moveBy);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("wheel", wheel);
    };
  }, [canvas, camera, cells]);
}
