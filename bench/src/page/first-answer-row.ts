/// <reference lib="dom" />
import { gzipSync } from "node:zlib";
import { quantile } from "./quantiles.js";
import { withPage } from "./opened-page.js";
import type { RowResult } from "../report/results.js";

/** In the page itself: asking from outside takes time of its own. */
function noteFirstVerdict(): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector(".verdict") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => performance.mark("verdict")));
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** What a user waits for after opening the page: its scripts, and the first verdict. */
export async function measureFirstAnswer(folder: string, rounds: number): Promise<Omit<RowResult, "row">> {
  const times: number[] = [];
  let kilobytes = 0;
  for (let round = 0; round < rounds; round++) {
    const found = await withPage(folder, async (page, url) => {
      const scripts: Promise<Buffer>[] = [];
      page.on("response", (response) => {
        if (new URL(response.url()).pathname.endsWith(".js")) scripts.push(response.body());
      });
      await page.addInitScript(noteFirstVerdict);
      await page.goto(url);
      await page.locator(".verdict").first().waitFor();
      const noted = await page.waitForFunction(() => performance.getEntriesByName("verdict")[0]?.startTime);
      const time = (await noted.jsonValue())!;
      const sizes = await Promise.all(scripts.map(async (body) => gzipSync(await body, { level: 9 }).length));
      return { time, kilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1000 };
    });
    times.push(found.time);
    kilobytes = Math.max(kilobytes, found.kilobytes);
  }
  return {
    figures: [
      { what: "first answer after load", measured: quantile(times, 0.5), unit: "ms", bar: { atMost: 1000 } },
      { what: "scripts until then, gzipped", measured: kilobytes, unit: "KB", bar: { atMost: 300 } },
    ],
    notes: [
      `the median of ${rounds} visits, each in a browser with nothing stored, from the beginning of the navigation to the frame that shows the verdict`,
    ],
  };
}
