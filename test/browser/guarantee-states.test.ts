import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningPage } from "@tierwall/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barriers } from "./accessible.js";
import { noChromium, skipNote, startTimeout } from "./chromium.js";
import { badge, card } from "./guarantee-cards.js";
import { servePage, useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/* What the Guarantees view shows where there is nothing to prove, too much of it, or something wrong with it. */

const guarantee = (name: string, spec: string) =>
  `apiVersion: tierwall.dev/v1\nkind: Guarantee\nmetadata: {name: ${name}}\nspec: ${spec}\n---\n`;
const every = "{namespaces: {}}";
const none =
  "{namespaces: {matchExpressions: [{key: a, operator: Exists}, {key: a, operator: DoesNotExist}]}}";

/** A folder with files, as `tierwall serve` shows it. */
function useFolder(files: Readonly<Record<string, string>>): {
  readonly at: (address: string) => string;
  readonly write: (name: string, text: string) => void;
} {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-guarantees-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  let served: RunningPage | undefined;
  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) write(name, text);
    if (noChromium === undefined) served = await servePage(folder, "Shop");
  }, startTimeout);
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true });
  });
  return { at: (address) => `${served!.url}${address}`, write };
}

describe.skipIf(noChromium)(`without guarantees${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it.each(["light", "dark"] as const)(
    "the page says what one is, and offers templates, %s",
    async (theme) => {
      await visit(at("#/guarantees"), { theme }, async ({ page, picture }) => {
        await page.getByText("No guarantees yet").waitFor();
        await picture(`guarantees-empty-${theme}`);
        expect(await barriers(page)).toEqual([]);
        await page.getByRole("link", { name: "DNS is always reachable" }).click();
        await page.getByRole("region", { name: "Whether it holds" }).locator("[data-result]").waitFor();
      });
    },
  );
});

describe.skipIf(noChromium)(`guarantees with something wrong${skipNote}`, () => {
  const { at, write } = useFolder({
    "policies.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
    "typo.yaml": guarantee("typo", `{from: ${every}, to: {namespace: {}}, verdict: Deny}`),
    "others.yaml":
      guarantee("vacuous", `{from: ${none}, to: ${every}, verdict: Deny}`) +
      guarantee(
        "assumes-too-much",
        `{from: ${every}, to: ${every}, verdict: Deny, assuming: [{every: namespace, has: {matchLabels: {a: b}}}]}`,
      ),
  });
  const visit = useBrowser();

  it("are each shown with what is wrong, and where", async () => {
    await visit(at("#/guarantees"), {}, async ({ page, picture }) => {
      await badge(page, "vacuous", "Vacuous").waitFor();
      await badge(page, "assumes-too-much", "NotAsked").waitFor();
      await card(page, "assumes-too-much").getByText("TW1508").waitFor();
      const errors = page.getByRole("region", { name: "Guarantees with errors" });
      await errors.getByText("typo.yaml:4").waitFor();
      expect(await errors.locator("pre").innerText()).toMatch(/to: \{namespace: \{\}\}[\s\S]*\n +\^{9}$/);
      await picture("guarantees-errors");
      expect(await barriers(page)).toEqual([]);
    });
  });

  it("follow the files: what is fixed is proven", async () => {
    await visit(at("#/guarantees"), {}, async ({ page }) => {
      const errors = page.getByRole("region", { name: "Guarantees with errors" });
      await errors.waitFor();
      write("typo.yaml", guarantee("typo", `{from: ${every}, to: ${every}, verdict: Allow, ports: [ICMP]}`));
      await errors.waitFor({ state: "detached" });
      await badge(page, "typo", "Refuted").waitFor();
    });
  });
});

describe.skipIf(noChromium)(`more guarantees than fit${skipNote}`, () => {
  const names = Array.from({ length: 60 }, (_, i) => `guarantee-${i}`);
  const { at } = useFolder({
    "many.yaml": names
      .map((name) => guarantee(name, `{from: ${every}, to: ${every}, verdict: Allow, ports: [ICMP]}`))
      .join(""),
  });
  const visit = useBrowser();

  it("are proven fifty at a time", async () => {
    await visit(at("#/guarantees"), {}, async ({ page, picture }) => {
      await badge(page, "guarantee-49", "Refuted").waitFor();
      expect(await page.getByRole("article").count()).toBe(50);
      await picture("guarantees-many");
      await page.getByRole("button", { name: "Prove the next 10" }).click();
      await badge(page, "guarantee-59", "Refuted").waitFor();
      await expect.poll(() => page.getByRole("article").count(), patience).toBe(60);
    });
  });
});
