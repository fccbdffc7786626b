import { formatMeasure } from "./figure.js";
import type { CurvePoint } from "./results.js";

const width = 640;
const height = 320;
const margin = { left: 56, right: 24, top: 24, bottom: 44 };

/** Seconds over pods, both on plain scales: what is linear is a straight line. */
export function curveSvg(points: readonly CurvePoint[]): string {
  const pods = axis(Math.max(...points.map((point) => point.pods)));
  const seconds = axis(Math.max(...points.map((point) => point.seconds)));
  const x = (value: number) => margin.left + (value / pods.end) * (width - margin.left - margin.right);
  const y = (value: number) =>
    height - margin.bottom - (value / seconds.end) * (height - margin.top - margin.bottom);
  const at = (point: CurvePoint) => `${round(x(point.pods))},${round(y(point.seconds))}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    "<title>Seconds to compile and answer all pairs, by the number of pods</title>",
    "<style>",
    "  text { fill: #57606a } .grid { stroke: #d0d7de } .line { stroke: #0969da } .dot { fill: #0969da }",
    "  @media (prefers-color-scheme: dark) {",
    "    text { fill: #9198a1 } .grid { stroke: #3d444d } .line { stroke: #4493f8 } .dot { fill: #4493f8 }",
    "  }",
    "</style>",
    ...seconds.ticks.map(
      (tick) =>
        `<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>` +
        `<text x="${margin.left - 8}" y="${round(y(tick) + 4)}" text-anchor="end">${short(tick)} s</text>`,
    ),
    ...pods.ticks.map(
      (tick) =>
        `<text x="${round(x(tick))}" y="${height - margin.bottom + 18}" text-anchor="middle">${short(tick)}</text>`,
    ),
    `<text x="${width - margin.right}" y="${height - 8}" text-anchor="end">pods</text>`,
    `<polyline class="line" fill="none" stroke-width="2" points="${points.map(at).join(" ")}"/>`,
    ...points.map(
      (point) =>
        `<circle class="dot" cx="${round(x(point.pods))}" cy="${round(y(point.seconds))}" r="4"><title>${short(point.pods)} pods: ${formatMeasure(point.seconds, "s")}</title></circle>`,
    ),
    "</svg>",
    "",
  ].join("\n");
}

/** Round steps, four to eight of them, up to the first that holds the largest value. */
function axis(largest: number): { readonly end: number; readonly ticks: readonly number[] } {
  const magnitude = 10 ** Math.floor(Math.log10(largest));
  const step = [0.2, 0.5, 1].map((part) => part * magnitude).find((s) => largest / s <= 8) ?? magnitude;
  const count = Math.ceil(largest / step);
  return {
    end: count * step,
    ticks: Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6))),
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** `80k` */
function short(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
