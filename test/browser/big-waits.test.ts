import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { useBrowser } from "./visit.js";

/* The page is never empty: while 2,400 pods are read and evaluated, it shows what it is doing. */

/** Milliseconds; on a busy machine 4,900 policies take a while. */
const patience = 1_200_000;

/** Every line that says what is going on, from the first on, until something is there. */
async function linesUntil(page: Page, content: string): Promise<readonly string[]> {
  await page.addInitScript(() => {
    const lines = new Set<string>();
    Object.assign(globalThis, { shownLines: lines });
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll(".notice.loading")) lines.add(textContent);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.reload();
  await page.locator(content).first().waitFor({ state: "attached" });
  return page.evaluate(() => [...(globalThis as unknown as { shownLines: ReadonlySet<string> }).shownLines]);
}

describe.skipIf(noChromium)(`2,400 pods${skipNote}`, () => {
  const at = useServer("big");
  const visit = useBrowser();

  it.each([
    ["explain", ".verdict.headline", /Looking for a connection worth explaining among 2,400 pods…/],
    ["map", ".tile", /Asking about all pairs…/],
    ["matrix?by=pod", "main canvas", /Asking about all pairs…/],
  ])("%s shows what it is doing meanwhile", { timeout: patience }, async (address, content, doing) => {
    await visit(at(`#/${address}`), {}, async ({ page }) => {
      page.setDefaultTimeout(patience);
      const lines = await linesUntil(page, content);
      expect(lines).toContainEqual(expect.stringMatching(/Reading the cluster: [\d,]+ objects so far…/));
      expect(lines).toContainEqual(expect.stringMatching(doing));
    });
  });
});
