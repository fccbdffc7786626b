import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useState } from "react";
import { useWindow } from "../frame/use-window.js";
import type { RuleUseAnswer } from "../worker/questions/rule-use.js";
import { DefaultShelf } from "./default-shelf.js";
import { StackRow } from "./row-view.js";
import type { Row } from "./rows.js";
import { ShelfHead } from "./shelf-head.js";
import { actionOf, levels } from "./tree-keys.js";

/** In pixels. */
const heights = { shelf: 38, policy: 34, rule: 28, finding: 25 } as const satisfies Record<
  Row["kind"],
  number
>;

export interface StackProps {
  readonly rows: readonly Row[];
  readonly chosen: string | undefined;
  readonly uses: RuleUseAnswer | undefined;
  /** Changes when rows come in between. */
  readonly edition: number;
  readonly onChoose: (row: Row) => void;
  readonly onTurn: (id: string) => void;
}

/** The stack as a tree. Only what is in sight is drawn. */
export function Stack({ rows, chosen, uses, edition, onChoose, onTurn }: StackProps) {
  const sizes = useMemo(() => rows.map(({ kind }) => heights[kind]), [rows]);
  const window = useWindow(sizes, heights.shelf);
  const { box, height, first, end, topOf, reveal } = window;
  const [active, setActive] = useState<string>();
  const chosenAt = rows.findIndex(({ id }) => id === chosen);
  const at = Math.max(0, active === undefined ? chosenAt : rows.findIndex(({ id }) => id === active));
  // Once it is drawn, and not again whenever a row is opened.
  useEffect(() => reveal(chosenAt), [chosen, chosenAt >= 0, edition]);

  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOf(event.key, rows, at);
    if (action === undefined) return;
    event.preventDefault();
    if (action.kind === "turn") onTurn(action.row.id);
    else if (action.kind === "choose") onChoose(action.row);
    else {
      setActive(rows[action.to]!.id);
      reveal(action.to);
    }
  };
  const onClick = (event: MouseEvent, row: Row) => {
    setActive(row.id);
    if (event.target instanceof Element && event.target.closest(".caret") !== null) onTurn(row.id);
    else onChoose(row);
  };
  return (
    <div className="stack">
      <ShelfHead rows={rows} window={window} height={heights.shelf} onTurn={onTurn} />
      <div
        ref={box}
        className="stack-rows"
        role="tree"
        aria-label="Policies in evaluation order"
        tabIndex={0}
        aria-activedescendant={`row-${at}`}
        onKeyDown={onKeyDown}
      >
        <div role="none" style={{ height }}>
          {rows.slice(first, end).map((row, i) => (
            <div
              key={row.id}
              id={`row-${first + i}`}
              role="treeitem"
              aria-level={levels[row.kind]}
              aria-expanded={"isOpen" in row ? row.isOpen : undefined}
              aria-selected={row.id === chosen}
              className={`row ${row.kind} ${first + i === at ? "active" : ""}`}
              style={{ top: topOf(first + i), height: heights[row.kind] }}
              onClick={(event) => onClick(event, row)}
            >
              <StackRow row={row} />
            </div>
          ))}
        </div>
        <DefaultShelf uses={uses} />
      </div>
    </div>
  );
}
