import { describe, expect, it } from "vitest";
import { card, layoutBoard, lineBetween, rowMiddle } from "./board-layout.js";

const cards = ["db", "ingress", "web", "api"].map((key) => ({ key, rows: 2 }));
const links = [
  { from: 1, to: 2 },
  { from: 2, to: 3 },
  { from: 3, to: 0 },
];

describe("the board", () => {
  it("puts sources to the left of destinations", () => {
    const { cards: placed } = layoutBoard(cards, links, 1200);
    const at = (key: string) => placed[cards.findIndex((one) => one.key === key)]!.x;
    expect(at("ingress")).toBeLessThan(at("db"));
    expect(at("web")).toBeLessThanOrEqual(at("db"));
    expect(at("ingress")).toBeLessThanOrEqual(at("api"));
  });

  it("lays no card over another, and all of them in the room that there is", () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ key: `n${i}`, rows: i % 5 }));
    const all = many.map((_, i) => ({ from: i, to: (i * 7) % 30 }));
    const { cards: placed, width, height } = layoutBoard(many, all, 960);
    expect(width).toBeLessThanOrEqual(960);
    for (const [i, a] of placed.entries()) {
      expect(a.y + a.height).toBeLessThanOrEqual(height);
      for (const b of placed.slice(i + 1)) {
        const isApart = Math.abs(a.x - b.x) >= card.width;
        expect(isApart || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
      }
    }
  });

  it("draws lines between the sides that face each other, and around cards in one column", () => {
    const [here, there] = [
      { x: 64, y: 50 },
      { x: 400, y: 90 },
    ];
    expect(lineBetween(here, there)).toMatch(/^M284 50C.* 398 90$/);
    expect(lineBetween(there, here)).toMatch(/^M400 90C.* 286 50$/);
    expect(lineBetween(here, { x: 64, y: 150 })).toMatch(/^M284 50C.* 286 150$/);
  });

  it("is the same for the same", () => {
    expect(layoutBoard(cards, links, 900)).toEqual(layoutBoard(cards, [...links], 900));
  });

  it("has one column where there is no room for two", () => {
    const { cards: placed } = layoutBoard(cards, links, 300);
    expect(new Set(placed.map(({ x }) => x)).size).toBe(1);
  });

  it("ends lines in the middle of a row, or of the title of a folded card", () => {
    const placed = { x: 0, y: 100, height: 80 };
    expect(rowMiddle(placed, undefined)).toBe(115);
    expect(rowMiddle(placed, 1)).toBe(166);
  });
});
