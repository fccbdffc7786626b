/** A card of the board: so many rows below its title; a folded one has none. */
export interface CardShape {
  readonly key: string;
  readonly rows: number;
}

export interface Link {
  /** Places in the list of cards. */
  readonly from: number;
  readonly to: number;
}

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface BoardLayout {
  readonly cards: readonly Placed[];
  readonly width: number;
  readonly height: number;
}

export const card = { width: 220, title: 30, row: 24, foot: 6, gap: 16 } as const;
const narrowestGap = 64;
const widestGap = 180;
/** At the sides there is room for lines between cards that are below each other. */
const side = 64;
const margin = 16;

/**
 * Sources to the left, destinations to the right, and neighbours near each other. The same cards and
 * links always lie the same way.
 */
export function layoutBoard(cards: readonly CardShape[], links: readonly Link[], room: number): BoardLayout {
  const fitting = Math.floor((room - 2 * side + narrowestGap) / (card.width + narrowestGap));
  const count = Math.max(1, Math.min(fitting, cards.length, 5));
  const gap = count === 1 ? 0 : Math.min(widestGap, (room - 2 * side - count * card.width) / (count - 1));
  const columns = balanced(inFlowOrder(cards, links), cards, count);
  sortByNeighbours(columns, cards, links);
  const placed: Placed[] = [];
  let height = 0;
  for (const [column, members] of columns.entries()) {
    let y = margin;
    for (const index of members) {
      placed[index] = {
        x: (count === 1 ? margin : side) + column * (card.width + gap),
        y,
        height: heightOf(cards[index]!),
      };
      y += heightOf(cards[index]!) + card.gap;
    }
    height = Math.max(height, y);
  }
  return {
    cards: placed,
    width: 2 * (count === 1 ? margin : side) + count * card.width + (count - 1) * gap,
    height,
  };
}

export const heightOf = ({ rows }: CardShape): number =>
  card.title + (rows === 0 ? 0 : rows * card.row + card.foot);

/** From one card to another: between the sides that face each other, or around cards that are below each other. */
export function lineBetween(from: Spot, to: Spot): string {
  const [left, right] = [(x: number) => x - tip, (x: number) => x + card.width + tip];
  if (Math.abs(from.x - to.x) < 1) {
    const x = right(from.x) - tip;
    const reach = Math.min(side - 8, 26 + Math.abs(to.y - from.y) * 0.12);
    return `M${x} ${from.y}C${x + reach} ${from.y} ${x + tip + reach} ${to.y} ${x + tip} ${to.y}`;
  }
  const isForward = to.x > from.x;
  const start = isForward ? right(from.x) - tip : left(from.x) + tip;
  const end = isForward ? left(to.x) : right(to.x);
  const reach = (end - start) * 0.45;
  return `M${start} ${from.y}C${start + reach} ${from.y} ${end - reach} ${to.y} ${end} ${to.y}`;
}

/** A row of a card, by the left side of the card and the middle of the row. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Arrows end a little before what they point at. */
const tip = 2;

/** Where lines of a row end: the middle of it; of a folded card, the middle of its title. */
export const rowMiddle = ({ y }: Placed, row: number | undefined): number =>
  y + (row === undefined ? card.title / 2 : card.title + (row + 0.5) * card.row);

function inFlowOrder(cards: readonly CardShape[], links: readonly Link[]): readonly number[] {
  const balance = cards.map(() => ({ out: 0, in: 0 }));
  for (const { from, to } of links) {
    if (from === to) continue;
    balance[from]!.out++;
    balance[to]!.in++;
  }
  const score = balance.map((at) => (at.out - at.in) / Math.max(1, at.out + at.in));
  return [...cards.keys()].toSorted((a, b) => score[b]! - score[a]! || byKey(cards[a]!, cards[b]!));
}

/** Columns of about the same height. */
function balanced(order: readonly number[], cards: readonly CardShape[], count: number): number[][] {
  const heights = order.map((index) => heightOf(cards[index]!) + card.gap);
  const total = heights.reduce((sum, height) => sum + height, 0);
  const columns: number[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const [i, index] of order.entries()) {
    const middle = before + heights[i]! / 2;
    columns[Math.min(count - 1, Math.floor((middle / total) * count))]!.push(index);
    before += heights[i]!;
  }
  return columns.filter((column) => column.length > 0);
}

const sweeps = 6;

function sortByNeighbours(columns: number[][], cards: readonly CardShape[], links: readonly Link[]): void {
  const neighbours = cards.map((): number[] => []);
  for (const { from, to } of links) {
    neighbours[from]!.push(to);
    neighbours[to]!.push(from);
  }
  const rank = cards.map(() => 0);
  const number = (column: readonly number[]) => {
    for (const [i, index] of column.entries()) rank[index] = (i + 0.5) / column.length;
  };
  for (const column of columns) number(column);
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (const column of columns) {
      const pull = new Map(
        column.map((index) => {
          const near = neighbours[index]!.filter((other) => !column.includes(other));
          const sum = near.reduce((total, other) => total + rank[other]!, 0);
          return [index, near.length === 0 ? rank[index]! : sum / near.length];
        }),
      );
      column.sort((a, b) => pull.get(a)! - pull.get(b)! || byKey(cards[a]!, cards[b]!));
      number(column);
    }
}

const byKey = (a: CardShape, b: CardShape): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
