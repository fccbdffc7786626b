import type { Row } from "./rows.js";

/** How deep a row is in the tree. */
export const levels = { shelf: 1, policy: 2, rule: 3, finding: 3 } as const satisfies Record<
  Row["kind"],
  number
>;

/** So many rows are a page. */
const page = 12;

/** What a key does at a row: go to another, open or close it, choose it, or nothing. */
export type KeyAction =
  | { readonly kind: "move"; readonly to: number }
  | { readonly kind: "turn"; readonly row: Row }
  | { readonly kind: "choose"; readonly row: Row };

/** As trees everywhere have it: arrows move, right opens, left closes or goes up. */
export function actionOf(key: string, rows: readonly Row[], at: number): KeyAction | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const move = (to: number): KeyAction => ({ kind: "move", to: Math.min(Math.max(to, 0), rows.length - 1) });
  const isOpen = "isOpen" in row ? row.isOpen : undefined;
  switch (key) {
    case "ArrowDown":
      return move(at + 1);
    case "ArrowUp":
      return move(at - 1);
    case "PageDown":
      return move(at + page);
    case "PageUp":
      return move(at - page);
    case "Home":
      return move(0);
    case "End":
      return move(rows.length - 1);
    case "ArrowRight":
      if (isOpen === undefined) return undefined;
      return isOpen ? move(at + 1) : { kind: "turn", row };
    case "ArrowLeft":
      if (isOpen === true) return { kind: "turn", row };
      return move(rows.slice(0, at).findLastIndex(({ kind }) => levels[kind] < levels[row.kind]));
    case "Enter":
    case " ":
      return { kind: "choose", row };
    default:
      return undefined;
  }
}
