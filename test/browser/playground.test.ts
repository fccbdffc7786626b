import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

const editor = (page: Page) => page.getByRole("textbox", { name: "The policy, as YAML" });
const difference = (page: Page) => page.getByRole("region", { name: "What it changes" });
const figures = (page: Page) => difference(page).getByRole("list", { name: "Connections that change" });
const problems = (page: Page) => page.getByRole("list", { name: "What is wrong with it" });
const offered = (page: Page) => page.getByRole("listbox", { name: "Completions" });

/** Puts the cursor after the first occurrence of a text, with the keyboard. */
async function goBehind(page: Page, text: string): Promise<void> {
  await editor(page).getByText(text).first().waitFor();
  const lines = await editor(page).locator(".cm-line").allInnerTexts();
  const line = lines.findIndex((one) => one.includes(text));
  await editor(page).press("Control+Home");
  for (let i = 0; i < line; i++) await editor(page).press("ArrowDown");
  const column = lines[line]!.indexOf(text) + text.length;
  for (let i = 0; i < column; i++) await editor(page).press("ArrowRight");
}

describe.skipIf(noChromium)(`the playground${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it.each(["light", "dark"] as const)(
    "shows what a template would change, in the %s theme",
    async (theme) => {
      await visit(at("#/playground"), { theme }, async ({ page, picture }) => {
        await figures(page).getByText("5 newly denied").waitFor();
        // No endpoint can reach it any more.
        const cutOff = difference(page).locator("section", {
          has: page.getByRole("heading", { name: /^cut off/ }),
        });
        await cutOff.getByText("shop/web").first().waitFor();
        await difference(page).getByText("NetworkPolicy shop/allow-from-ingress: 1 connection").waitFor();
        await picture(`playground-${theme}`);
        expect(await barriers(page)).toEqual([]);
      });
    },
  );

  it("follows what is written, with each step back", onlyInFull, async () => {
    await visit(at("#/playground"), {}, async ({ page }) => {
      await figures(page).getByText("5 newly denied").waitFor();
      await goBehind(page, "action: Deny");
      for (let i = 0; i < "Deny".length; i++) await editor(page).press("Backspace");
      await editor(page).pressSequentially("Accept");
      await editor(page).press("Escape");
      await figures(page).getByText("0 newly denied").waitFor();
      await expect.poll(() => figures(page).innerText(), patience).not.toMatch(/✓ 0/);
      await page.getByRole("button", { name: "Reset" }).click();
      await figures(page).getByText("5 newly denied").waitFor();
    });
  });

  it("shows what would change without a policy, until it is edited", onlyInFull, async () => {
    await visit(at("#/playground"), {}, async ({ page, picture }) => {
      await figures(page).waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Delete" }).count(), patience).toBe(0);
      await page.getByRole("combobox", { name: "Edit a policy" }).fill("pci-guardrail");
      await page.getByRole("option", { name: /pci-guardrail/ }).click();
      await difference(page)
        .getByRole("heading", { name: /replacing .*pci-guardrail/ })
        .waitFor();
      await figures(page).getByText("0 newly allowed").waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      await difference(page)
        .getByRole("heading", { name: /deleting .*pci-guardrail/ })
        .waitFor();
      await figures(page)
        .getByText(/[1-9]\d* newly allowed/)
        .waitFor();
      await expect.poll(() => page.url(), patience).toContain("delete=yes");
      expect(await barriers(page)).toEqual([]);
      await picture("playground-delete");
      await editor(page).press("Control+Home");
      await editor(page).pressSequentially("# Kept.");
      await editor(page).press("Enter");
      await difference(page)
        .getByRole("heading", { name: /replacing .*pci-guardrail/ })
        .waitFor();
      await figures(page).getByText("0 newly allowed").waitFor();
    });
  });

  it("marks mistakes at their exact place, and says what was meant", async () => {
    await visit(at("#/playground"), {}, async ({ page, picture }) => {
      await goBehind(page, "matchLabels");
      await editor(page).press("Backspace");
      await problems(page).getByText("matchLabels", { exact: true }).waitFor();
      await expect
        .poll(() => page.locator(".cm-lintRange-error").allInnerTexts(), patience)
        .toEqual(["matchLabel"]);
      await difference(page).getByRole("heading", { name: "Not a policy yet" }).waitFor();
      await picture("playground-mistake");
      expect(await barriers(page)).toEqual([]);
      await page.getByRole("button", { name: /did you mean/ }).click();
      await editor(page).press("Delete");
      await editor(page).press("Control+z");
      await editor(page).press("Control+z");
      await figures(page).getByText("5 newly denied").waitFor();
    });
  });

  it("knows the fields, their values, and the labels of the cluster", async () => {
    await visit(at("#/playground?template=empty"), {}, async ({ page, picture }) => {
      await difference(page).getByRole("heading", { name: "Nothing to compare" }).waitFor();
      const take = async (typed: string, name: string) => {
        await editor(page).pressSequentially(typed);
        await offered(page).getByRole("option", { name, selected: true }).waitFor();
        // A list that has just opened does not take keys yet.
        await page.waitForTimeout(150);
        await editor(page).press("Enter");
      };
      await take("apiV", "apiVersion");
      await take("networking", "networking.k8s.io/v1");
      await editor(page).press("Enter");
      await take("kin", "kind");
      await take("Net", "NetworkPolicy");
      await editor(page).press("Enter");
      await take("meta", "metadata");
      await editor(page).pressSequentially("name: mine");
      await editor(page).press("Escape");
      await editor(page).press("Enter");
      await take("names", "namespace");
      await take("pay", "payments");
      await editor(page).press("Enter");
      await editor(page).press("Backspace");
      await take("sp", "spec");
      await editor(page).pressSequentially("pod");
      await offered(page).getByText("podSelector").waitFor();
      await picture("playground-completion");
      await page.waitForTimeout(150);
      await editor(page).press("Enter");
      await take("matchL", "matchLabels");
      await take("ap", "app");
      await take("a", "api");
      expect((await editor(page).locator(".cm-line").allInnerTexts()).join("\n").trimEnd()).toBe(
        [
          "apiVersion: networking.k8s.io/v1",
          "kind: NetworkPolicy",
          "metadata:",
          "  name: mine",
          "  namespace: payments",
          "spec:",
          "  podSelector:",
          "    matchLabels:",
          "      app: api",
        ].join("\n"),
      );
      await difference(page).getByText("adding NetworkPolicy payments/mine").waitFor();
    });
  });

  it("shows what a field means when the pointer is on it", onlyInFull, async () => {
    await visit(at("#/playground"), {}, async ({ page, picture }) => {
      await page.locator(".yaml-key", { hasText: "priority" }).hover();
      await page.getByText("policies with lower numbers are evaluated first").waitFor();
      await picture("playground-hover");
    });
  });

  it("edits a policy that is there, and gives it away as a file", onlyInFull, async () => {
    await visit(at("#/playground"), {}, async ({ page }) => {
      await page.getByRole("combobox", { name: "Edit a policy" }).fill("pci");
      await page.getByRole("option", { name: /pci-guardrail/ }).click();
      await difference(page).getByText("replacing ClusterNetworkPolicy pci-guardrail").waitFor();
      await difference(page).getByText("Every connection is allowed or denied as it was before.").waitFor();
      await expect
        .poll(() => page.url(), patience)
        .toContain("policy=ClusterNetworkPolicy.policy.networking.k8s.io/pci-guardrail");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("pci-guardrail.yaml");
      expect(readFileSync(await download.path(), "utf8")).toContain("name: no-other-tenants");
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("name: no-other-tenants");
    });
  });

  it("keeps what was written while other pages are looked at", onlyInFull, async () => {
    await visit(at("#/playground"), {}, async ({ page }) => {
      await editor(page).press("Control+Home");
      await editor(page).pressSequentially("# mine\n");
      await page.getByRole("link", { name: "Explain" }).first().click();
      await page.getByRole("link", { name: "Playground" }).click();
      await editor(page).getByText("# mine").waitFor();
    });
  });
});
