// `npm run screenshots`: pictures of every page, light and dark, of the example cluster and of 2,400 pods, for docs/how-to/page.md.
// Written to docs/pictures; `npm run screenshots -- map matrix-light` takes those only whose names begin so.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { planCluster } from "../bench/dist/generate/plan.js";
import { shapes } from "../bench/dist/generate/shape.js";
import { snapshotOf } from "../bench/dist/generate/snapshot.js";
import { writeSnapshot } from "../bench/dist/generate/snapshot-files.js";
import { FileFeed, startPage } from "../packages/server/dist/index.js";
import { root } from "./prepare.mjs";

/** Each page, and what is there once it has something to show. What to ask, each knows itself. */
const pages = {
  explain: ".verdict.headline",
  map: "main section, main svg, main canvas",
  matrix: "main canvas",
  policies: "main [role=treeitem], main li",
  playground: ".play-figures",
};
const folder = join(root, "docs", "pictures");
const laptop = { width: 1280, height: 720 };
const phone = { width: 390, height: 844 };
/** Milliseconds: 4,900 policies take a while on a busy machine. */
const patience = 300_000;
/** Kilobytes: pictures that are larger make the repository heavy. */
const mostKilobytes = 150;

const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning));
mkdirSync(folder, { recursive: true });
const big = mkdtempSync(join(tmpdir(), "tierwall-screenshots-"));
// Paths are relative to this folder: absolute paths of a temporary folder are useless in a picture.
writeSnapshot(join(big, "cluster.json"), snapshotOf(planCluster(shapes["2.4k/4.8k"], 1)), "json");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  process.chdir(root);
  await pictures("examples/mixed-six-apis", "Example cluster", "");
  process.chdir(big);
  await pictures("cluster.json", "A large cluster", "-2400-pods");
} finally {
  await browser.close();
  process.chdir(root);
  rmSync(big, { recursive: true, force: true });
}

async function pictures(path, title, suffix) {
  const opened = FileFeed.open({ paths: [path], recursive: true, title });
  if (!opened.ok) throw new Error(opened.diagnostics.map(({ message }) => message).join("\n"));
  const started = await startPage({ feed: opened.feed, port: 0 });
  if (!started.ok) throw new Error(started.message);
  try {
    for (const page of Object.keys(pages))
      for (const theme of ["light", "dark"])
        await picture(started.page.url, page, theme, laptop, `${page}${suffix}-${theme}`);
    if (suffix === "") await picture(started.page.url, "explain", "light", phone, "explain-phone");
  } finally {
    await started.page.close();
  }
}

async function picture(url, page, colorScheme, viewport, name) {
  if (!isWanted(name)) return;
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: 1.5,
    reducedMotion: "reduce",
    isMobile: viewport === phone,
  });
  try {
    const tab = await context.newPage();
    tab.setDefaultTimeout(patience);
    await tab.goto(`${url}#/${page}`);
    await settled(tab, pages[page]);
    const session = await context.newCDPSession(tab);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(join(folder, `${name}.webp`), bytes);
    const kilobytes = Math.round(bytes.length / 1000);
    console.log(`docs/pictures/${name}.webp  ${kilobytes} KB`);
    if (kilobytes > mostKilobytes) process.exitCode = 1;
  } finally {
    await context.close();
  }
}

/** Nothing turns, nothing is busy, and that for a moment: pages ask one question after another. */
async function settled(page, content) {
  await page.locator(content).first().waitFor({ state: "attached" });
  for (let quiet = 0; quiet < 4; ) {
    await page.waitForTimeout(300);
    const busy = await page
      .locator(".spinner, [aria-busy=true], main :text-matches('^(counting|looking|working).*…$', 'i')")
      .count();
    quiet = busy === 0 ? quiet + 1 : 0;
  }
}
