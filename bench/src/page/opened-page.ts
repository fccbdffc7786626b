import { existsSync } from "node:fs";
import { FileFeed, startPage } from "@tierwall/server";
import { chromium, type Page } from "playwright-core";

export const chromiumPath: string | undefined = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((file) => existsSync(file));

/** The page on the manifests of a folder, in a browser of its own with nothing stored. */
export async function withPage<T>(
  folder: string,
  measure: (page: Page, url: string) => Promise<T>,
): Promise<T> {
  const opened = FileFeed.open({ paths: [folder], recursive: true, title: "measured" });
  if (!opened.ok) throw new Error(opened.diagnostics[0]?.message ?? `\`${folder}\` cannot be read`);
  const started = await startPage({ feed: opened.feed, port: 0 });
  if (!started.ok) throw new Error(started.message);
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(patience);
    await page.waitForTimeout(settling);
    return await measure(page, started.page.url);
  } finally {
    await browser.close();
    await started.page.close();
  }
}

/** Milliseconds in which a browser that was just started loads its own pages, which slows down the measured one. */
const settling = 2000;

/** Milliseconds; the limit for everything. */
const patience = 300_000;
