import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";

/** The part of a long list that is in sight. */
export interface ListWindow {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Of the whole list, in pixels. */
  readonly height: number;
  /** The rows to draw: the first, and the one behind the last. */
  readonly first: number;
  readonly end: number;
  /** How far it is scrolled, and the row that is there. */
  readonly scrolled: number;
  readonly rowOnTop: number;
  readonly topOf: (index: number) => number;
  readonly reveal: (index: number) => void;
}

/** Rows beyond the edges, drawn already for when the user scrolls. */
const spare = 8;

/** Draws of thousands of rows only those in sight. Each row knows its height in pixels. */
export function useWindow(heights: readonly number[], cover = 0): ListWindow {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const tops = useMemo(() => {
    const sums = new Float64Array(heights.length + 1);
    for (const [i, height] of heights.entries()) sums[i + 1] = sums[i]! + height;
    return sums;
  }, [heights]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, []);
  const reveal = (index: number) => {
    const element = box.current;
    if (element === null || index < 0 || index >= heights.length) return;
    const [top, bottom] = [tops[index]!, tops[index + 1]!];
    // What covers the top of the box hides rows that are only just in it.
    if (top - cover < element.scrollTop) element.scrollTop = top - cover;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
  };
  return {
    box,
    height: tops.at(-1)!,
    first: Math.max(0, rowAt(tops, view.top) - spare),
    scrolled: view.top,
    rowOnTop: rowAt(tops, view.top),
    end: Math.min(heights.length, rowAt(tops, view.top + view.height) + 1 + spare),
    topOf: (index) => tops[index]!,
    reveal,
  };
}

/** The row at a height, by halving. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
