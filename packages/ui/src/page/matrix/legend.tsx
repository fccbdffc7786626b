import { figure } from "../frame/counted.js";
import { cssOf, type Mark, type Paint } from "./palette.js";

/** One kind of cell: how it looks, what it means, and how many there are. */
export interface LegendEntry {
  readonly paint: Paint;
  readonly text: string;
  readonly count: number;
}

export interface LegendBand {
  readonly title: string;
  readonly entries: readonly LegendEntry[];
}

/** What the colours mean; tiers as bands, in evaluation order. */
export function Legend({ bands, note }: { readonly bands: readonly LegendBand[]; readonly note: string }) {
  return (
    <section className="legend" aria-label="Legend">
      {bands.map(({ title, entries }) => (
        <div className="legend-band" key={title}>
          {title !== "" && <h2>{title}</h2>}
          <ul>
            {entries.map(({ paint, text, count }) => (
              <li key={text}>
                <Swatch paint={paint} />
                <span>{text}</span>
                <span className="legend-count">{figure(count)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="legend-note">{note}</p>
    </section>
  );
}

const shapes: Readonly<Record<Mark, string>> = {
  none: "",
  cross: "M5 5L11 11M11 5L5 11",
  question: "",
  dot: "M8 5.5a2.5 2.5 0 1 0 .01 0z",
  half: "M0 16V0H16z",
  stripes: "M0 16L16 0",
};

function Swatch({ paint: { colour, mark } }: { readonly paint: Paint }) {
  return (
    <svg className={`swatch swatch-${mark}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect width="16" height="16" fill={cssOf(colour)} />
      <path d={shapes[mark]} />
      {mark === "question" && (
        <text x="8" y="12" textAnchor="middle">
          ?
        </text>
      )}
    </svg>
  );
}
