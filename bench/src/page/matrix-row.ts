/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { quantile } from "./quantiles.js";
import { withPage } from "./opened-page.js";
import type { RowResult } from "../report/results.js";

/** The matrix of all pods: until it is drawn, and while it is dragged about, from far away and near. */
export async function measureMatrix(folder: string): Promise<Omit<RowResult, "row">> {
  return withPage(folder, async (page, url) => {
    await page.goto(`${url}#/matrix?by=pod`);
    await page.locator("canvas").waitFor();
    const drawn = await page.evaluate(() => performance.now());
    await page.waitForTimeout(1000);
    const frames = await zoomThrough(page, [3, 5]);
    return {
      figures: [
        { what: "all pods drawn after load", measured: drawn / 1000, unit: "s" },
        ...frames.flatMap(({ name, times }) => [
          { what: `${name}, frame times p50`, measured: quantile(times, 0.5), unit: "ms" as const },
          {
            what: `${name}, frame times p95`,
            measured: quantile(times, 0.95),
            unit: "ms" as const,
            bar: { atMost: 34 },
          },
        ]),
      ],
      notes: [
        "the time from one frame to the next while the matrix is dragged in each of 180 frames; a screen shows 60 a second, without a graphics card here",
      ],
    };
  });
}

/** Pans after each of so many steps of the zoom. */
async function zoomThrough(page: Page, steps: readonly number[]) {
  const names = ["panning from far away", "panning with marks and names"];
  const found: { readonly name: string; readonly times: readonly number[] }[] = [];
  for (const [i, count] of steps.entries()) {
    for (let step = 0; step < count; step++) await page.getByRole("button", { name: "Zoom in" }).click();
    found.push({ name: names[i]!, times: await pan(page) });
  }
  return found;
}

/** In the page itself, so that nothing but the page takes time. */
function pan(page: Page): Promise<readonly number[]> {
  return page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const canvas = document.querySelector("canvas")!;
        const { left, top } = canvas.getBoundingClientRect();
        const send = (type: string, x: number, y: number) =>
          canvas.dispatchEvent(
            new PointerEvent(type, { clientX: left + x, clientY: top + y, pointerId: 1, bubbles: true }),
          );
        // A pointer that is not there cannot be captured.
        canvas.setPointerCapture = () => undefined;
        send("pointerdown", 600, 400);
        const times: number[] = [];
        let last = 0;
        const frame = (now: number) => {
          if (last > 0) times.push(now - last);
          last = now;
          const turn = times.length / 12;
          send("pointermove", 600 + 180 * Math.sin(turn), 400 + 140 * Math.cos(turn));
          if (times.length < 180) requestAnimationFrame(frame);
          else {
            send("pointerup", 600, 400);
            resolve(times);
          }
        };
        requestAnimationFrame(frame);
      }),
  );
}
