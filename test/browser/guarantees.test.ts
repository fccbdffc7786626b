import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { badge, card } from "./guarantee-cards.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/*
 * Guarantees hold in every cluster, or there is a counterexample. `examples/guarantees-pci` has one of each: card data is reached only
 * through port 443, except by monitoring; without the exception, a port that its owner names "metrics" is a counterexample.
 */

const holds = "card-data-only-through-443-except-monitoring";
const refuted = "card-data-only-through-443";

const counterexample = (page: Page, name = refuted) =>
  page.getByRole("region", { name: `Counterexample to ${name}` });
const headline = (page: Page) => page.getByRole("heading", { level: 1 });
const editor = (page: Page) => page.getByRole("textbox", { name: "The guarantee, as YAML" });
const result = (page: Page) => page.getByRole("region", { name: "Whether it holds" });
const problems = (page: Page) => page.getByRole("list", { name: "What is wrong with it" });
const offered = (page: Page) => page.getByRole("listbox", { name: "Completions" });

/** Replaces the whole text of the editor. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).press("Control+a");
  await editor(page).press("Backspace");
  await page.keyboard.insertText(text);
}

describe.skipIf(noChromium)(`the Guarantees view${skipNote}`, () => {
  const at = useServer("guarantees-pci");
  const visit = useBrowser();

  it.each([
    ["laptop", "light"],
    ["phone", "dark"],
  ] as const)("answers first: how many hold, and which does not, on a %s, %s", async (screen, theme) => {
    await visit(at("#/guarantees"), { screen, theme }, async ({ page, picture }) => {
      await badge(page, refuted, "Refuted").waitFor();
      await badge(page, holds, "Proven").waitFor();
      await expect.poll(() => headline(page).innerText(), patience).toMatch(/^1 of 2 guarantees/);
      // What a person would fix comes first.
      expect(await page.getByRole("article").first().getAttribute("aria-labelledby")).toBe(
        await card(page, refuted).getAttribute("aria-labelledby"),
      );
      await picture(`guarantees-${screen}-${theme}`);
      expect(await barriers(page)).toEqual([]);
      const isTooWide = await page.evaluate(() => document.body.scrollWidth > innerWidth);
      expect(isTooWide).toBe(false);
    });
  });

  it("shows the rules that a proof rests on, and leads to them", async () => {
    await visit(at("#/guarantees"), {}, async ({ page }) => {
      await badge(page, holds, "Proven").waitFor();
      await card(page, holds)
        .getByRole("link", { name: /pci-guardrail.*no-others/ })
        .click();
      const chosen = page.locator('.row[aria-selected="true"]');
      await expect.poll(() => chosen.innerText(), patience).toContain("no-others");
    });
  });

  it("shows a counterexample as two endpoints, a port, the rules that decide, and what is essential", async () => {
    await visit(at("#/guarantees"), {}, async ({ page }) => {
      const found = counterexample(page);
      await found.getByText("80/TCP").waitFor();
      const shown = await found.innerText();
      expect(shown).toMatch(/client[\s\S]*monitoring[\s\S]*server[\s\S]*pci=true/);
      expect(shown).toMatch(/“metrics”/);
      expect(shown).toMatch(/Essential[\s\S]*metrics/);
      await found.getByRole("link", { name: /pci-guardrail.*scrape/ }).waitFor();
    });
  });

  it("opens a counterexample in Explain, with the policies, and goes back", async () => {
    await visit(at("#/guarantees"), {}, async ({ page, picture }) => {
      await counterexample(page).getByRole("button", { name: "Open in Explain" }).click();
      await page.locator(".verdict.headline", { hasText: "allowed" }).waitFor();
      expect(page.url()).toContain("#/explain?from=monitoring/client&to=other/server&port=80/TCP");
      await page.getByText(`Counterexample to ${refuted}`).waitFor();
      // The rule as it is in its file, on its own lines.
      await page.getByRole("complementary").getByText("policies.yaml:17").waitFor();
      await picture("guarantees-explain");
      await page.getByRole("button", { name: "Close the counterexample" }).click();
      await badge(page, refuted, "Refuted").waitFor();
      await expect.poll(() => page.locator(".state-line").innerText(), patience).toContain("0 pods");
    });
  });

  it("saves a counterexample as manifests", onlyInFull, async () => {
    await visit(at("#/guarantees"), {}, async ({ page }) => {
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        counterexample(page).getByRole("button", { name: "Download manifests" }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe(`${refuted}.yaml`);
      expect(readFileSync(await saved.path(), "utf8")).toMatch(/kind: Namespace[\s\S]*kind: Pod/);
    });
  });

  it("says when the time was not enough, and tries again with more", async () => {
    await visit(at("#/guarantees?budget=0"), {}, async ({ page, picture }) => {
      await badge(page, refuted, "NotDecided").waitFor();
      await badge(page, holds, "NotDecided").waitFor();
      await expect.poll(() => headline(page).innerText(), patience).toBe("0 of 2 guarantees proven");
      await picture("guarantees-not-decided");
      expect(await barriers(page)).toEqual([]);
      await card(page, holds).getByRole("button", { name: "Try for a minute" }).click();
      await badge(page, holds, "Proven").waitFor();
      expect(page.url()).toContain("budget=60");
    });
  });
});

describe.skipIf(noChromium)(`writing a guarantee${skipNote}`, () => {
  const at = useServer("guarantees-pci");
  const visit = useBrowser();

  it("proves it while it is being written", async () => {
    await visit(at(`#/guarantees?edit=${refuted}`), {}, async ({ page }) => {
      await result(page).locator('[data-result="Refuted"]').waitFor();
      const text = readFileSync(
        new URL("../../examples/guarantees-pci/refuted.yaml", import.meta.url),
        "utf8",
      );
      await write(page, text.replace("exceptPorts: [443/TCP]", "ports: [8443/TCP]"));
      await result(page).getByText("on 8443/TCP is allowed").waitFor();
      await result(page).locator('[data-result="Refuted"]').waitFor();
      await counterexample(page).getByText("8443/TCP").waitFor();
      await page.getByRole("button", { name: "Reset" }).click();
      await result(page).locator('[data-result="Refuted"]').waitFor();
    });
  });

  it("turns from refuted to proven with one more condition", async () => {
    await visit(at("#/guarantees?template=one-port"), {}, async ({ page }) => {
      await result(page).locator('[data-result="Refuted"]').waitFor();
      const exception = "      - {key: kubernetes.io/metadata.name, operator: NotIn, values: [monitoring]}\n";
      const lines = await editor(page).locator(".cm-line").allInnerTexts();
      await write(page, lines.join("\n").replace("  to:\n", `${exception}  to:\n`));
      await result(page).locator('[data-result="Proven"]').waitFor();
      await result(page)
        .getByRole("link", { name: /no-others/ })
        .waitFor();
    });
  });

  it.each(["light", "dark"] as const)("marks a mistake with the line and a caret, %s", async (theme) => {
    await visit(at("#/guarantees?template=dns"), { theme }, async ({ page, picture }) => {
      await result(page).locator("[data-result]").waitFor();
      const lines = await editor(page).locator(".cm-line").allInnerTexts();
      await write(page, lines.join("\n").replace("verdict: Allow", "verdict: Alow"));
      await problems(page).getByRole("button").waitFor();
      expect(await problems(page).innerText()).toMatch(/\d+ \| verdict: Alow\n +\^{4}/);
      await result(page).getByText("Not a guarantee yet").waitFor();
      await picture(`guarantees-mistake-${theme}`);
      expect(await barriers(page)).toEqual([]);
      await problems(page).getByRole("button").click();
      await expect.poll(() => editor(page).evaluate((node) => node.matches(":focus")), patience).toBe(true);
    });
  });

  it("completes fields, values and labels", onlyInFull, async () => {
    await visit(at("#/guarantees?template=empty"), {}, async ({ page, picture }) => {
      const take = async (typed: string, name: string) => {
        await editor(page).pressSequentially(typed);
        await offered(page).getByRole("option", { name, selected: true }).waitFor();
        // A list that has just opened does not take keys yet.
        await page.waitForTimeout(150);
        await editor(page).press("Enter");
      };
      await result(page).getByText("Nothing to prove").waitFor();
      await editor(page).click();
      await take("apiV", "apiVersion");
      await take("tier", "tierwall.dev/v1");
      await editor(page).press("Enter");
      await take("kin", "kind");
      await take("Gua", "Guarantee");
      await editor(page).press("Enter");
      await take("meta", "metadata");
      await editor(page).pressSequentially("name: mine");
      await editor(page).press("Escape");
      await editor(page).press("Enter");
      await editor(page).press("Backspace");
      await take("sp", "spec");
      await take("fr", "from");
      await editor(page).pressSequentially("names");
      await offered(page).getByText("namespaces").first().waitFor();
      await picture("guarantees-completion");
      await page.waitForTimeout(150);
      await editor(page).press("Enter");
      await take("notSe", "notSelf");
      await take("tr", "true");
      expect((await editor(page).locator(".cm-line").allInnerTexts()).join("\n").trimEnd()).toBe(
        [
          "apiVersion: tierwall.dev/v1",
          "kind: Guarantee",
          "metadata:",
          "  name: mine",
          "spec:",
          "  from:",
          "    namespaces:",
          "      notSelf: true",
        ].join("\n"),
      );
    });
  });

  it("keeps what was written while another page is open", onlyInFull, async () => {
    await visit(at("#/guarantees?template=dns"), {}, async ({ page }) => {
      await editor(page).press("Control+Home");
      await editor(page).pressSequentially("# mine\n");
      await page.getByRole("link", { name: "Policies" }).first().click();
      await page.goBack();
      await editor(page).getByText("# mine").waitFor();
    });
  });
});

describe.skipIf(noChromium)(`guarantees in the Playground${skipNote}`, () => {
  const at = useServer("guarantees-pci");
  const visit = useBrowser();
  const guardrail = "ClusterNetworkPolicy.policy.networking.k8s.io/pci-guardrail";
  const guarantees = (page: Page) => page.getByRole("region", { name: "Guarantees", exact: true });

  it.each(["laptop", "phone"] as const)(
    "an edit that breaks one shows the counterexample, on a %s",
    async (screen) => {
      await visit(
        at(`#/playground?policy=${guardrail}&delete=yes`),
        { screen },
        async ({ page, picture }) => {
          await guarantees(page).getByText("1 guarantee breaks").waitFor();
          await guarantees(page).getByRole("link", { name: holds }).waitFor();
          await counterexample(page, holds).waitFor();
          await expect.poll(() => guarantees(page).getAttribute("aria-busy"), patience).toBe("false");
          await picture(`guarantees-playground-${screen}`);
          expect(await barriers(page)).toEqual([]);
        },
      );
    },
  );

  it("follows the text: an edit that changes nothing breaks none", async () => {
    await visit(at(`#/playground?policy=${guardrail}`), {}, async ({ page }) => {
      const policy = page.getByRole("textbox", { name: "The policy, as YAML" });
      await guarantees(page).getByText("No guarantee breaks").waitFor();
      const lines = await policy.locator(".cm-line").allInnerTexts();
      await policy.press("Control+a");
      await policy.press("Backspace");
      await page.keyboard.insertText(lines.join("\n").replace("action: Deny", "action: Pass"));
      await guarantees(page).getByText("1 guarantee breaks").waitFor();
      // While the text has errors, the last result stays, and nothing is being proven.
      await page.keyboard.insertText("\nspec");
      await page.getByRole("heading", { name: "Not a policy yet" }).waitFor();
      await guarantees(page).getByText("1 guarantee breaks").waitFor();
      await expect.poll(() => guarantees(page).getAttribute("aria-busy"), patience).toBe("false");
      await page.getByRole("button", { name: "Reset" }).click();
      await guarantees(page).getByText("No guarantee breaks").waitFor();
    });
  });

  it("opens the counterexample in Explain with the edited policy", async () => {
    await visit(at(`#/playground?policy=${guardrail}&delete=yes`), {}, async ({ page }) => {
      await counterexample(page, holds).getByRole("button", { name: "Open in Explain" }).click();
      await page.locator(".verdict.headline", { hasText: "allowed" }).waitFor();
      // Without the policy that is deleted.
      await expect.poll(() => page.locator(".state-line").innerText(), patience).toContain("0 policies");
    });
  });
});
