import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

const row = (page: Page, text: string | RegExp) => page.getByRole("treeitem").filter({ hasText: text });
const filter = (page: Page) => page.getByRole("searchbox");
/** Counting and linting take longer than drawing. */
const settled = async (page: Page) => {
  await page.locator(".stack-bar").waitFor();
  await page.locator(".busy").waitFor({ state: "detached" });
};

describe.skipIf(noChromium)(`4,900 policies${skipNote}`, onlyInFull, () => {
  const at = useServer("big");
  const visit = useBrowser();

  it("are drawn where they are visible, and found by name", { timeout: 1_200_000 }, async () => {
    await visit(at("#/policies"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(300_000);
      await page.getByRole("treeitem").first().waitFor();
      await expect.poll(() => page.locator(".stack-bar").innerText(), patience).toContain("4,900 policies");
      await expect.poll(() => page.getByRole("treeitem").count(), patience).toBeLessThan(80);
      await page.getByRole("tree").focus();
      await page.keyboard.press("End");
      await page.locator(".row.active").waitFor();
      await expect.poll(() => page.locator(".row.active").isVisible(), patience).toBe(true);
      await filter(page).fill("admin-security-20");
      await row(page, "admin-security-20").click();
      await page.getByRole("complementary").locator(".yaml").waitFor();
      await expect.poll(() => page.locator(".stack-bar").innerText(), patience).toContain("1 policy");
      await picture("policies-2400-pods");
    });
  });
});

describe.skipIf(noChromium)(`Policies${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it("stack the tiers in evaluation order, and say what each rule decides", async () => {
    await visit(at("#/policies"), {}, async ({ page, picture }) => {
      await row(page, "pci-guardrail").first().waitFor();
      await settled(page);
      await picture("policies-light");
      const shelves: string[] = [];
      for (const shelf of await page.locator(".row.shelf").all())
        shelves.push(await shelf.locator("strong").innerText());
      expect(shelves.slice(0, 3)).toEqual(["Guardrail", "Guardrail allow", "Admin"]);
      await expect
        .poll(() => row(page, "no-other-tenants").innerText(), patience)
        .toMatch(/Deny[\s\S]*\d+ pairs/);
    });
  });

  it("mark what is never reached, in place, with the reason and the YAML", async () => {
    await visit(at("#/policies"), {}, async ({ page }) => {
      await filter(page).fill("allow-cart");
      await settled(page);
      const rule = row(page, "from pods with app=cart");
      await expect.poll(() => rule.innerText(), patience).toContain("never reached");
      await rule.click();
      const panel = page.getByRole("complementary");
      await panel.getByText("TW4102").waitFor();
      await expect.poll(() => panel.innerText(), patience).toContain("In this cluster it decides nothing.");
      await panel.locator(".yaml-line.marked", { hasText: "8443" }).waitFor();
      await expect.poll(() => page.url(), patience).toContain("filter=allow-cart");
      await expect.poll(() => page.url(), patience).toContain("rule=spec.ingress");
    });
  });

  it("come open from a link, such as that of Explain", onlyInFull, async () => {
    await visit(at("#/explain?from=shop/cart&to=payments/api&port=8443/TCP"), {}, async ({ page }) => {
      await page.getByRole("link", { name: "show in Policies" }).click();
      const chosen = page.locator('.row[aria-selected="true"]');
      await chosen.waitFor();
      await expect.poll(() => chosen.innerText(), patience).toContain("pci-guardrail");
      await settled(page);
      await chosen.waitFor();
    });
  });

  it("are found by words of any line, or by their findings", onlyInFull, async () => {
    await visit(at("#/policies"), {}, async ({ page }) => {
      await settled(page);
      await filter(page).fill("monitoring metrics");
      await row(page, "scrape").first().waitFor();
      await filter(page).fill("no such policy");
      await page.getByText("No policy matches").waitFor();
      await filter(page).fill("");
      await page.getByRole("button", { name: "With findings" }).click();
      await row(page, "allow-dns").first().waitFor();
      await expect.poll(() => page.url(), patience).toContain("show=findings");
    });
  });

  it("are walked with the keyboard alone", onlyInFull, async () => {
    await visit(at("#/policies"), {}, async ({ page }) => {
      await settled(page);
      await page.getByRole("tree").focus();
      const active = async () => {
        const id = await page.getByRole("tree").getAttribute("aria-activedescendant");
        return page.locator(`#${id}`);
      };
      await expect.poll(async () => (await active()).innerText(), patience).toContain("Guardrail");
      await page.keyboard.press("ArrowDown");
      await expect.poll(async () => (await active()).getAttribute("aria-expanded"), patience).toBe("true");
      await page.keyboard.press("ArrowLeft");
      await expect.poll(async () => (await active()).getAttribute("aria-expanded"), patience).toBe("false");
      await page.keyboard.press("Enter");
      await page.getByRole("complementary").locator(".yaml").waitFor();
      await page.keyboard.press("End");
      // What comes into sight is drawn a moment later.
      await (await active()).waitFor();
    });
  });

  it.each(["light", "dark"] as const)("pass axe: %s", onlyInFull, async (theme) => {
    await visit(at("#/policies"), { theme }, async ({ page, picture }) => {
      await row(page, "sandbox").first().click();
      await settled(page);
      await page.locator(".policy-panel .yaml").waitFor();
      expect(await barriers(page)).toEqual([]);
      await picture(`policies-${theme}`);
    });
  });
});
