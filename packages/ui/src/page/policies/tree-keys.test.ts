import { expect, test } from "vitest";
import type { Row } from "./rows.js";
import { actionOf } from "./tree-keys.js";

const rows = [
  { kind: "shelf", id: "admin", isOpen: true },
  { kind: "policy", id: "a", isOpen: true },
  { kind: "rule", id: "a1" },
  { kind: "finding", id: "a1 shadowed" },
  { kind: "policy", id: "b", isOpen: false },
  { kind: "shelf", id: "baseline", isOpen: false },
] as unknown as readonly Row[];

test.each([
  ["ArrowDown", "a", "to a1"],
  ["ArrowDown", "baseline", "to baseline"],
  ["ArrowUp", "admin", "to admin"],
  ["ArrowUp", "b", "to a1 shadowed"],
  ["Home", "b", "to admin"],
  ["End", "admin", "to baseline"],
  ["PageDown", "admin", "to baseline"],
  ["ArrowRight", "b", "turn b"],
  ["ArrowRight", "a", "to a1"],
  ["ArrowRight", "a1", "nothing"],
  ["ArrowLeft", "a1 shadowed", "to a"],
  ["ArrowLeft", "a", "turn a"],
  ["ArrowLeft", "b", "to admin"],
  ["ArrowLeft", "baseline", "to admin"],
  ["Enter", "a1", "choose a1"],
  [" ", "b", "choose b"],
  ["x", "b", "nothing"],
])("%s at %s: %s", (key, id, expected) => {
  const action = actionOf(
    key,
    rows,
    rows.findIndex((row) => row.id === id),
  );
  const said =
    action === undefined
      ? "nothing"
      : action.kind === "move"
        ? `to ${rows[action.to]!.id}`
        : `${action.kind} ${action.row.id}`;
  expect(said).toBe(expected);
});
