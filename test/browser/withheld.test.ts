import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningPage } from "@tierwall/server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { barriers } from "./accessible.js";
import { noChromium, startTimeout } from "./chromium.js";
import { servePage } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/*
 * A verdict that ignores a policy which cannot be read is wrong. While one file is broken, no view shows any verdict, and each says what
 * is wrong; the page follows the files in both directions.
 */

const pod = (name: string, labels: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop, labels: {${labels}}}\n---\n`;
const allow = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec:
  podSelector: {matchLabels: {app: api}}
  ingress: [{from: [{podSelector: {matchLabels: {app: cart}}}]}]
`;
const deny = allow.replace(/ {2}ingress: .*\n/, "");
const broken = allow.replace("[{from", "[{from: {");
const secret =
  "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {password: hunter2}\n";

const views = ["explain", "matrix", "policies", "map", "guarantees", "playground"] as const;
const question = "explain?from=shop/cart&to=shop/api&port=80";

describe.skipIf(noChromium)("one broken file", () => {
  const visit = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), "tierwall-broken-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  let served: RunningPage;
  beforeAll(async () => {
    write("pods.yaml", pod("cart", "app: cart") + pod("api", "app: api"));
    write("secret.yaml", secret);
    write("policy.yaml", allow);
    served = await servePage(folder, "Shop");
  }, startTimeout);
  beforeEach(() => write("policy.yaml", allow));
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true });
  });
  const at = (page: string) => `${served.url}#/${page}`;

  const noVerdicts = async (page: Page) => {
    const shown = await page.locator("main").innerText();
    expect(shown).toContain("nothing is evaluated");
    expect(shown).toContain("policy.yaml:6");
    expect(shown).not.toMatch(/[✓✗]|allowed|denied|undecided/i);
    expect(await page.locator("main canvas, main svg, .verdict, .recent").count()).toBe(0);
  };

  it.each(views)("%s shows no verdict, and what is wrong", async (view) => {
    write("policy.yaml", broken);
    await visit(at(view), {}, async ({ page, picture }) => {
      await page.locator(".withheld").waitFor();
      await noVerdicts(page);
      expect(await barriers(page)).toEqual([]);
      await picture(`withheld-${view}`);
    });
  });

  it.each(views)(
    "%s withholds verdicts when the file breaks, and shows them again when it is fixed",
    async (view) => {
      await visit(at(view === "explain" ? question : view), {}, async ({ page }) => {
        await page.locator("main").waitFor();
        await page.waitForFunction(() => (document.querySelector("main")?.innerText.length ?? 0) > 40);
        expect(await page.locator(".withheld").count()).toBe(0);
        write("policy.yaml", broken);
        await page.locator(".withheld").waitFor();
        await noVerdicts(page);
        write("policy.yaml", allow);
        await page.locator(".withheld").waitFor({ state: "detached" });
      });
    },
  );

  it("agrees with the API, before and after", async () => {
    await visit(at(question), {}, async ({ page }) => {
      await page.locator(".answer .allowed").waitFor();
      write("policy.yaml", broken);
      await page.locator(".withheld").waitFor();
      expect((await fetch(`${served.url}api/v1/explain?from=shop/cart&to=shop/api&port=80`)).status).toBe(
        409,
      );
      write("policy.yaml", deny);
      await page.locator(".answer .denied").waitFor();
    });
  });

  it("a file that can no longer be read is an error, too", async () => {
    await visit(at(question), {}, async ({ page, picture }) => {
      await page.locator(".answer .allowed").waitFor();
      write("policy.yaml", Buffer.from(allow, "utf16le").toString("latin1"));
      await page.locator(".withheld", { hasText: "is not text" }).waitFor();
      await picture("withheld-unread");
      expect((await fetch(`${served.url}api/v1/explain?from=shop/cart&to=shop/api&port=80`)).status).toBe(
        409,
      );
      write("policy.yaml", allow);
      await page.locator(".answer .allowed").waitFor();
    });
  });

  it("the server hands out no Secret", async () => {
    const state = await (await fetch(`${served.url}api/v1/state`)).text();
    expect(state).toContain("secret.yaml");
    expect(state).not.toContain("hunter2");
    expect(state).not.toContain("stringData");
  });
});

describe.skipIf(noChromium)("recent questions", () => {
  const visit = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), "tierwall-recent-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  let served: RunningPage;
  beforeAll(async () => {
    write("pods.yaml", pod("cart", "app: cart") + pod("api", "app: api") + pod("web", "app: web"));
    write("policy.yaml", allow);
    served = await servePage(folder, "Shop");
  }, startTimeout);
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true });
  });
  const ask = (from: string) => `explain?from=shop/${from}&to=shop/api&port=80`;
  const recent = async (page: Page) =>
    Object.fromEntries(
      await page
        .locator(".recent li")
        .evaluateAll((items) =>
          items.map((item) => [
            item.textContent?.replace(/^./u, "").trim() ?? "",
            item.querySelector("[role=img]")?.getAttribute("aria-label") ?? "",
          ]),
        ),
    ) as Record<string, string>;
  const stored = async (page: Page) =>
    JSON.parse((await page.evaluate(() => localStorage.getItem("tierwall.recent"))) ?? "[]") as {
      from: string;
      verdict: string;
    }[];

  it("are kept with their own verdict, however quickly one follows the other", async () => {
    await visit(`${served.url}#/${ask("cart")}`, {}, async ({ page }) => {
      await page.locator(".answer .allowed").waitFor();
      // Every pairing that is ever stored is looked at, not only the last.
      await page.evaluate(() => {
        const { value } = Object.getOwnPropertyDescriptor(Storage.prototype, "setItem") as {
          readonly value: (key: string, value: string) => void;
        };
        const seen: string[] = [];
        Object.assign(window, { seen });
        Storage.prototype.setItem = function (key: string, text: string) {
          seen.push(text);
          value.call(this, key, text);
        };
      });
      for (let i = 0; i < 5; i++)
        for (const from of ["web", "cart"])
          await page.evaluate((hash) => void (location.hash = hash), `#/${ask(from)}`);
      await page.evaluate((hash) => void (location.hash = hash), `#/${ask("web")}`);
      await page.locator(".answer .denied").waitFor();
      await expect.poll(() => recent(page), patience).toEqual({ "shop/cart → shop/api :80": "allowed" });
      const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
      const pairs = seen.flatMap((text) => JSON.parse(text) as { from: string; verdict: string }[]);
      expect(pairs.length).toBeGreaterThan(0);
      for (const { from, verdict } of pairs)
        expect(`${from} ${verdict}`).toBe(from === "shop/cart" ? "shop/cart Allow" : "shop/web Deny");
    });
  });

  it("have no verdict where the policies are others by now", async () => {
    await visit(`${served.url}#/${ask("cart")}`, {}, async ({ page, picture }) => {
      await page.locator(".answer .allowed").waitFor();
      await page.evaluate((hash) => void (location.hash = hash), `#/${ask("web")}`);
      await page.locator(".answer .denied").waitFor();
      expect(await recent(page)).toEqual({ "shop/cart → shop/api :80": "allowed" });
      write("policy.yaml", deny);
      await expect
        .poll(() => recent(page), patience)
        .toEqual({ "shop/cart → shop/api :80": "not asked of the present state" });
      await picture("recent-of-another-state");
      expect((await stored(page)).length).toBe(2);
      write("policy.yaml", allow);
    });
  });
});
