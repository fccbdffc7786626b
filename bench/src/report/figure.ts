/** Something that was measured, and what it was to be. */
export interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly unit: Unit;
  readonly bar?: Bar;
}

export type Unit = "s" | "ms" | "us" | "KB" | "MB" | "times" | "power" | "share";

/** A time or a size is not to exceed its bar, a gain is to reach it. */
export type Bar = { readonly atMost: number } | { readonly atLeast: number };

export type Holds = "holds" | "misses" | "no bar";

export function holds({ measured, bar }: Pick<Figure, "measured" | "bar">): Holds {
  if (bar === undefined) return "no bar";
  const fine = "atMost" in bar ? measured <= bar.atMost : measured >= bar.atLeast;
  return fine ? "holds" : "misses";
}

export function barValue(bar: Bar): number {
  return "atMost" in bar ? bar.atMost : bar.atLeast;
}

/** `0.61 s (bar 0.75 s)`, `2 s (bar 1 s, misses)` */
export function formatFigure(figure: Figure): string {
  const measured = formatMeasure(figure.measured, figure.unit);
  if (figure.bar === undefined) return measured;
  const bar = formatMeasure(barValue(figure.bar), figure.unit);
  return `${measured} (bar ${bar}${holds(figure) === "misses" ? ", misses" : ""})`;
}

/** Two digits that mean something are enough: machines are noisy. */
export function formatMeasure(value: number, unit: Unit): string {
  if (unit === "MB" && value >= 950) return `${significant(value / 1000)} GB`;
  if (unit === "s" && value >= 600) return `${significant(value / 60)} min`;
  // Shares of almost one differ in the third digit.
  if (unit === "share") return value.toFixed(3);
  const number = significant(value);
  switch (unit) {
    case "times":
      return `${number}x`;
    case "power":
      return `n^${number}`;
    case "us":
      return `${number} µs`;
    case "s":
    case "ms":
    case "KB":
    case "MB":
      return `${number} ${unit}`;
  }
}

function significant(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))));
  // 0.9987 has its first digit in another place once it is rounded.
  const rounded = Number(value.toPrecision(2));
  const text = digits > 0 ? String(rounded) : Math.round(rounded).toString();
  return text.replace(/\B(?=(\d{3})+$)/g, text.includes(".") ? "" : ",");
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}
