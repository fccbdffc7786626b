import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

const field = (page: Page) => page.getByRole("application", { name: /^Matrix of/ });
const cell = (page: Page) => page.getByRole("region", { name: "Cell" });
const legend = (page: Page) => page.getByRole("region", { name: "Legend" });

/** The middle of a cell, where all of the matrix is in sight. */
async function point(page: Page, row: number, column: number) {
  const box = (await field(page).boundingBox())!;
  const name = (await field(page).getAttribute("aria-label"))!;
  const cells = Number(/\d+/.exec(name)![0]);
  const side = Math.min(28, (Math.min(box.width - 184, box.height - 128) - 6) / cells);
  return { x: box.x + 184 + (column + 0.5) * side, y: box.y + 128 + (row + 0.5) * side };
}

/** Where the pointer is on the cell of this name: the field may get another place while the page is drawn. */
async function pointAt(page: Page, row: number, column: number, name: string) {
  const heading = cell(page).getByRole("heading", { name });
  let at = await point(page, row, column);
  const isThere = async () => {
    at = await point(page, row, column);
    await page.mouse.move(at.x, at.y);
    return heading.isVisible();
  };
  await expect.poll(isThere, patience).toBe(true);
  return at;
}

describe.skipIf(noChromium)(`the matrix of the example${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it.each(["light", "dark"] as const)("is drawn, and passes axe, in %s", async (theme) => {
    await visit(at("#/matrix"), { theme }, async ({ page, picture }) => {
      await field(page).waitFor();
      await expect.poll(() => legend(page).innerText(), patience).toContain("every port denied");
      expect(await barriers(page)).toEqual([]);
      await picture(`matrix-${theme}`);
    });
  });

  it("says why, under the pointer", async () => {
    await visit(at("#/matrix"), {}, async ({ page }) => {
      await pointAt(page, 9, 5, "shop/cart to payments/api");
      await cell(page).getByText("some ports allowed").waitFor();
      await cell(page)
        .getByText(/ClusterNetworkPolicy pci-guardrail rule \d+ "checkout"/)
        .waitFor();
    });
  });

  it("is walked with the keyboard, cell by cell", onlyInFull, async () => {
    await visit(at("#/matrix"), {}, async ({ page }) => {
      await field(page).focus();
      await page.keyboard.press("ArrowDown");
      await cell(page)
        .getByRole("heading", { name: "ingress-nginx/controller to ingress-nginx/controller" })
        .waitFor();
      for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
      await cell(page)
        .getByRole("heading", { name: "ingress-nginx/controller to kube-system/node-exporter" })
        .waitFor();
      await page.keyboard.press("End");
      await cell(page).getByRole("heading", { name: "to node worker-2" }).waitFor();
    });
  });

  it.each(["a click", "Enter"])("explains a cell on %s", async (how) => {
    await visit(at("#/matrix?port=8443/TCP"), {}, async ({ page }) => {
      const { x, y } = await pointAt(page, 9, 5, "shop/cart to payments/api");
      if (how === "a click") await page.mouse.click(x, y);
      else {
        await field(page).focus();
        await page.keyboard.press("Enter");
      }
      await page.waitForURL(/#\/explain\?from=shop\/cart&to=payments\/api&port=8443\/TCP/);
    });
  });

  it("is coloured by the tier that decides, tiers as bands in evaluation order", onlyInFull, async () => {
    await visit(at("#/matrix?port=53/UDP"), {}, async ({ page, picture }) => {
      await page.getByRole("radio", { name: "Deciding tier" }).check();
      await legend(page).getByRole("heading", { name: "Guardrail", exact: true }).waitFor();
      const titles = await legend(page).getByRole("heading").allInnerTexts();
      const order = [
        "Guardrail",
        "Guardrail allow",
        "Admin",
        "NetworkPolicy",
        "Baseline",
        "Cluster default",
        "Default",
      ];
      expect(titles).toEqual(order.filter((title) => titles.includes(title)));
      expect(titles.length).toBeGreaterThan(3);
      await picture("matrix-tiers");
    });
  });

  it("refuses what is not a port, and says what would be", async () => {
    await visit(at("#/matrix?port=no/way"), {}, async ({ page }) => {
      await page.getByText("`no/way` has the unknown protocol").waitFor();
    });
  });
});

/** Milliseconds; on a busy machine six million pairs take a while. */
const longPatience = 1_200_000;

describe.skipIf(noChromium)(`the matrix of 2,400 pods${skipNote}`, onlyInFull, () => {
  const at = useServer("big");
  const visit = useBrowser();

  it("is drawn whole, and zooms to a cell", { timeout: longPatience }, async () => {
    await visit(at("#/matrix?by=pod"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(longPatience);
      await field(page).waitFor();
      await expect
        .poll(() => field(page).getAttribute("aria-label"), patience)
        .toContain("Matrix of 2424 by 2424");
      await picture("matrix-big");
      const { x, y } = await point(page, 1200, 1300);
      await page.mouse.move(x, y);
      for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -400);
      await cell(page).getByRole("link", { name: "Explain this connection" }).waitFor();
      await picture("matrix-big-near");
    });
  });
});
