import type { ListWindow } from "../frame/use-window.js";
import { StackRow } from "./row-view.js";
import type { Row, ShelfRow } from "./rows.js";

/** The title of the current tier stays visible until the next one replaces it. Hidden from screen readers, which have the row itself. */
export function ShelfHead({
  rows,
  window: { scrolled, rowOnTop, topOf },
  height,
  onTurn,
}: {
  readonly rows: readonly Row[];
  readonly window: Pick<ListWindow, "scrolled" | "rowOnTop" | "topOf">;
  readonly height: number;
  readonly onTurn: (id: string) => void;
}) {
  const shelf = rows.slice(0, rowOnTop + 1).findLast(isShelf);
  if (shelf === undefined) return null;
  const next = rows.findIndex((row, i) => i > rowOnTop && isShelf(row));
  const room = next === -1 ? height : topOf(next) - scrolled;
  return (
    <div className="stack-head-room" aria-hidden="true">
      <div
        className="stack-head"
        style={{ translate: `0 ${Math.min(0, room - height)}px` }}
        onClick={() => onTurn(shelf.id)}
      >
        <StackRow row={shelf} />
      </div>
    </div>
  );
}

const isShelf = (row: Row): row is ShelfRow => row.kind === "shelf";
