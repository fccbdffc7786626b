import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { folderOf, removeFolders } from "../../packages/cli/testing/run-command.js";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { servePage, useServer } from "./served-page.js";
import { patience, screens, useBrowser } from "./visit.js";

const denied = "#/explain?from=shop/cart&to=payments/api&port=8443/TCP";

const answer = (page: Page) => page.locator(".answer");
const stepTexts = async (page: Page, walk: number) => {
  const texts = await page.locator(".walk").nth(walk).locator(".step").allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, " "));
};

describe.skipIf(noChromium)(`Explain${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();
  afterAll(removeFolders);

  it("never starts empty: the first question is an interesting one of this cluster", async () => {
    await visit(at(), {}, async ({ page }) => {
      await answer(page).waitFor();
      await expect.poll(() => answer(page).innerText(), patience).toMatch(/denied/i);
      await expect.poll(() => page.url(), patience).toMatch(/#\/explain\?from=.+&to=.+&port=.+/);
    });
  });

  it("asks for a question where there are no endpoints", onlyInFull, async () => {
    const folder = folderOf({
      "pod.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: blog}}",
    });
    const page = await servePage(folder);
    try {
      await visit(page.url, {}, async ({ page }) => {
        await page.getByRole("heading", { name: "Ask about a connection" }).waitFor();
        await page.getByRole("combobox", { name: "From" }).waitFor();
      });
    } finally {
      await page.close();
    }
  });

  it("walks both directions down the tiers, to the rule that stops it, with its YAML", async () => {
    await visit(at(denied), {}, async ({ page, picture }) => {
      await answer(page).waitFor();
      await expect
        .poll(() => answer(page).innerText(), patience)
        .toContain("shop/cart → payments/api :8443/TCP");
      await expect
        .poll(() => answer(page).innerText(), patience)
        .toContain(
          'ClusterNetworkPolicy pci-guardrail rule 4 "no-other-tenants" denies it when it enters payments/api',
        );
      await expect
        .poll(() => stepTexts(page, 0), patience)
        .toContainEqual(
          expect.stringMatching(/NetworkPolicy NetworkPolicy shop\/egress-basics rule 2 allows it/),
        );
      await expect
        .poll(() => stepTexts(page, 1), patience)
        .toEqual([
          expect.stringContaining("No rule matches."),
          expect.stringMatching(/Admin .*"no-other-tenants" denies it/),
          expect.stringMatching(
            /Not reached; NetworkPolicy payments\/allow-cart rule 1 would have allowed it/,
          ),
        ]);
      await expect
        .poll(() => page.locator(".nearest").innerText(), patience)
        .toContain("matches except for the port: it matches 443/TCP");
      await page.locator(".yaml-line.marked").first().waitFor();
      await expect
        .poll(() => page.locator(".yaml-line.marked").first().innerText(), patience)
        .toContain("no-other-tenants");
      await expect
        .poll(() => page.locator(".rule-yaml .place").innerText(), patience)
        .toMatch(/cluster-network-policy\.yaml:\d+/);
      await picture("explain-light");
    });
  });

  it("shows the YAML of any rule that it names", onlyInFull, async () => {
    await visit(at(denied), {}, async ({ page }) => {
      await page.getByRole("button", { name: "NetworkPolicy payments/allow-cart rule 1" }).click();
      await page.getByRole("heading", { name: "NetworkPolicy payments/allow-cart rule 1" }).waitFor();
      await page.locator(".yaml-line.marked", { hasText: "8443" }).waitFor();
    });
  });

  it(
    "asks again when another endpoint is chosen from the suggestions, and going back asks the old question",
    onlyInFull,
    async () => {
      await visit(at(denied), {}, async ({ page }) => {
        await answer(page).waitFor();
        const to = page.getByRole("combobox", { name: "To" });
        await to.fill("cored");
        await page
          .getByRole("option", { name: /kube-system\/coredns/ })
          .first()
          .waitFor();
        await to.press("ArrowDown");
        await to.press("Enter");
        await page.locator(".answer", { hasText: "kube-system/coredns" }).waitFor();
        await expect.poll(() => page.url(), patience).toContain("to=kube-system/coredns&port=8443/TCP");
        const port = page.getByRole("combobox", { name: "Port" });
        await port.fill("53/UDP");
        await port.press("Enter");
        await page.locator(".answer .allowed").waitFor();
        await page.goBack();
        await page.goBack();
        await page.locator(".answer", { hasText: "payments/api :8443/TCP" }).waitFor();
        await expect
          .poll(() => page.getByRole("combobox", { name: "To" }).inputValue(), patience)
          .toBe("payments/api");
      });
    },
  );

  it("swaps the ends, and offers what was asked before", onlyInFull, async () => {
    await visit(at(denied), {}, async ({ page }) => {
      await answer(page).waitFor();
      await page.getByRole("button", { name: "Swap the endpoints" }).click();
      await page.locator(".answer", { hasText: "payments/api → shop/cart" }).waitFor();
      await page.getByRole("link", { name: /^denied\s*shop\/cart → payments\/api :8443\/TCP$/ }).click();
      await page.locator(".answer", { hasText: "shop/cart → payments/api" }).waitFor();
    });
  });

  it("without a port lists all of them, and links to the evaluation of each", async () => {
    await visit(at("#/explain?from=shop/cart&to=payments/api"), {}, async ({ page }) => {
      await page.getByRole("row").nth(3).waitFor();
      await expect.poll(() => answer(page).innerText(), patience).toMatch(/partly allowed/i);
      await page.getByRole("link", { name: "TCP 8443" }).click();
      await page.locator(".stairs").first().waitFor();
      await expect.poll(() => page.url(), patience).toContain("port=8443/TCP");
    });
  });

  it.each([
    ["an endpoint that does not exist", "shop/crat", "there is no pod or workload shop/crat"],
    ["text that is not an endpoint", "10.0.0.300", "10.0.0.300 is not a valid IP address"],
  ])("says what is wrong with a question about %s", async (_, to, message) => {
    await visit(at(`#/explain?from=shop/cart&to=${to}&port=80/TCP`), {}, async ({ page }) => {
      const alert = page.getByRole("alert");
      await alert.waitFor();
      await expect.poll(() => alert.innerText(), patience).toContain(message);
    });
  });

  it.each([
    ["light", "laptop"],
    ["dark", "laptop"],
    ["light", "phone"],
    ["dark", "phone"],
    ["light", "small phone"],
  ] as const)("passes axe: %s on a %s", async (theme, screen) => {
    await visit(at(denied), { theme, screen }, async ({ page, picture }) => {
      await page.locator(".yaml-line.marked").first().waitFor();
      expect(await barriers(page)).toEqual([]);
      // Nothing is cut off: the page is no wider than the screen. (On a phone, innerWidth grows with the page.)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screens[screen].width);
      await picture(`explain-${screen.replace(" ", "-")}-${theme}`);
    });
  });

  it("can be chosen to be dark where the machine is light, and stays so", onlyInFull, async () => {
    await visit(at(denied), { theme: "light" }, async ({ page }) => {
      const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
      const button = page.getByRole("button", { name: /^Theme/ });
      await button.click();
      await button.click();
      await expect.poll(() => theme(), patience).toBe("dark");
      await page.reload();
      await answer(page).waitFor();
      await expect.poll(() => theme(), patience).toBe("dark");
    });
  });

  it("answers nothing while something has errors, and says what", async () => {
    await visit(at(denied), {}, async ({ page }) => {
      await answer(page).waitFor();
      const policy =
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: lab}\n";
      await drop(page, "bad.yaml", `${policy}spec:\n  podSelector: {}\n  ingress: 7\n`);
      const shown = await page.locator(".withheld").innerText();
      expect(shown).toContain("1 error: nothing is evaluated");
      expect(shown).toContain("bad.yaml:6 TW1201 expected a list, found the number 7");
      expect(await page.locator(".verdict").count()).toBe(0);
    });
  });

  it(
    "is about files that are dropped on it, and about the server's again when asked",
    onlyInFull,
    async () => {
      await visit(at(denied), {}, async ({ page }) => {
        await answer(page).waitFor();
        await drop(page, "two.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: lab}\n");
        await page.locator(".state-line", { hasText: "two.yaml" }).waitFor();
        await page.getByRole("alert").waitFor();
        await page.getByRole("button", { name: "Back to the server’s" }).click();
        await page.locator(".answer .denied").waitFor();
      });
    },
  );
});

/** As if the user dropped it on the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text!], name!, { type: "text/yaml" }));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.locator(".file-drop").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}
