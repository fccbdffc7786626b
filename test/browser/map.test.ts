import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

const connection = (page: Page) => page.getByRole("region", { name: "Connection" });
const side = (page: Page, name: "may reach it" | "may be reached from it") =>
  page.getByRole("region", { name });

describe.skipIf(noChromium)(`the map of the example${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it.each(["light", "dark"] as const)("shows namespaces with their workloads, in %s", async (theme) => {
    await visit(at("#/map"), { theme }, async ({ page, picture }) => {
      const shop = page.getByRole("region", { name: "shop", exact: true });
      await shop.waitFor();
      await expect
        .poll(() => shop.getByRole("button", { name: /^shop\// }).allInnerTexts(), patience)
        .toEqual(expect.arrayContaining(["cart", "catalog-db", "search", "web"]));
      await expect.poll(() => page.locator(".line").count(), patience).toBeGreaterThan(5);
      expect(await barriers(page)).toEqual([]);
      await picture(`map-${theme}`);
    });
  });

  it("folds a namespace", onlyInFull, async () => {
    await visit(at("#/map"), {}, async ({ page }) => {
      await page.getByRole("button", { name: "workloads of shop" }).click();
      await page.getByRole("button", { name: /^namespace shop: \d+ may reach it/ }).waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^shop\// }).count(), patience).toBe(0);
      await page.getByRole("button", { name: /^payments\/api/ }).waitFor();
    });
  });

  it("shows one workload, and the rules of a connection", async () => {
    await visit(at("#/map"), {}, async ({ page, picture }) => {
      await page.getByRole("button", { name: /^shop\/cart:/ }).click();
      await side(page, "may reach it").getByRole("button", { name: "shop/web" }).waitFor();
      await side(page, "may be reached from it").getByRole("button", { name: "payments/api" }).click();
      await connection(page)
        .getByText(/pci-guardrail rule \d+ "checkout"/)
        .waitFor();
      await connection(page).getByRole("link", { name: "shop/cart → payments/api" }).waitFor();
      expect(await barriers(page)).toEqual([]);
      await picture("map-focus");
      await expect.poll(() => page.url(), patience).toContain("focus=");
    });
  });

  it("shows only what one policy decides, denials too", onlyInFull, async () => {
    await visit(at("#/map"), {}, async ({ page, picture }) => {
      await page.getByRole("combobox", { name: "Policy" }).fill("quarantine");
      await page.getByRole("option", { name: /quarantine-sandbox/ }).click();
      await page.waitForURL(/policy=/);
      await page.getByRole("radio", { name: "List" }).check();
      const rows = page.getByRole("row");
      await rows.getByText("denied: any").first().waitFor();
      for (const row of (await rows.allInnerTexts()).slice(1)) expect(row).toContain("sandbox/experiment");
      // A line or two of text each: no column leaves the others without room.
      expect((await rows.nth(1).boundingBox())!.height).toBeLessThan(60);
      await picture("map-policy");
    });
  });

  it.each([
    ["a port", "port=5432/TCP", "shop/catalog-db", "sandbox/missing"],
    ["a namespace", "namespace=team-b", "team-b/notebook", "payments/api"],
    ["labels", "label=app=cart", "shop/cart", "team-a/builder"],
  ])("is filtered by %s, and is a list as well", onlyInFull, async (_, filter, kept, lost) => {
    await visit(at(`#/map?view=list&${filter}`), {}, async ({ page }) => {
      const table = page.getByRole("table");
      await table.getByText(kept).first().waitFor();
      const text = await table.innerText();
      expect(text.split("\n").filter((line) => line.startsWith(`${lost}\t${lost}`))).toEqual([]);
      expect(await barriers(page)).toEqual([]);
    });
  });

  it("says what a label selector is", onlyInFull, async () => {
    await visit(at("#/map?label=app=(web"), {}, async ({ page }) => {
      await page.getByText("is not a label selector").waitFor();
    });
  });
});

/** Milliseconds; on a busy machine it takes a while to evaluate all pairs. */
const longPatience = 1_200_000;

describe.skipIf(noChromium)(`the map of 2,400 pods${skipNote}`, onlyInFull, () => {
  const at = useServer("big");
  const visit = useBrowser();

  it("shows only what one tier decides", { timeout: longPatience }, async () => {
    await visit(at("#/map"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(longPatience);
      const connections = page.getByRole("region", { name: "About this map" }).getByRole("heading").first();
      const figures = new Set([await connections.innerText()]);
      for (const tier of ["admin", "baseline"]) {
        await page.getByRole("combobox", { name: "Decided by" }).selectOption(tier);
        await expect
          .poll(async () => figures.has(await connections.innerText()), { timeout: longPatience })
          .toBe(false);
        figures.add(await connections.innerText());
      }
      await picture("map-big-tier");
    });
  });

  it("is tiles, then one namespace, then one workload", { timeout: longPatience }, async () => {
    await visit(at("#/map"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(longPatience);
      await page.getByRole("button", { name: /^namespace kube-system, 5 workloads/ }).hover();
      await picture("map-big");
      await page.getByRole("button", { name: /^namespace kube-system, 5 workloads/ }).click();
      await side(page, "may reach it").getByRole("button").first().waitFor();
      await picture("map-big-namespace");
      const workloads = page.getByRole("region", { name: "About this map" }).getByRole("button");
      await workloads.first().click();
      await page.waitForURL(/focus=(Deployment|StatefulSet|DaemonSet)/);
      await page.getByRole("button", { name: "namespace kube-system", exact: true }).waitFor();
      await side(page, "may reach it").getByRole("heading").first().waitFor();
      await picture("map-big-workload");
    });
  });
});
