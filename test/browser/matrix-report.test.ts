import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { hostileTexts } from "../../packages/core/testing/hostile-texts.js";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { exampleCluster } from "./served-page.js";
import { useBrowser } from "./visit.js";

afterAll(removeFolders);

/** What `tierwall matrix -o html` writes about a folder, as a file to be opened. */
function reportOn(folder: string): string {
  const file = join(folderOf({}), "matrix.html");
  const { status } = tierwall(["matrix", "-f", folder, "-R", "-o", "html"], { stdout: file });
  expect(status).toBe(0);
  return file;
}

const rows = (page: Page) => page.getByRole("row").filter({ hasNot: page.getByRole("columnheader") });
const details = (page: Page) => page.getByRole("region", { name: "Connection", exact: true });

describe("the page that `matrix -o html` writes", () => {
  const html = readFileSync(reportOn(exampleCluster), "utf8");

  it("is one file that may load nothing", () => {
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`,
    );
    const markup = html.replaceAll(/<(script|style)\b[^]*?<\/\1>/g, "");
    expect(markup).not.toMatch(/<link|<img|src=|href=/);
  });

  it("has no more scripts than its own and its data", () => {
    expect(html.match(/<\/script/gi)).toHaveLength(2);
  });
});

describe.skipIf(noChromium)(`the page that \`matrix -o html\` writes, opened${skipNote}`, () => {
  const visit = useBrowser();
  const address = pathToFileURL(reportOn(exampleCluster)).href;

  it.each(["light", "dark"] as const)("is drawn, and passes axe, in %s", async (theme) => {
    await visit(address, { theme }, async ({ page, picture }) => {
      await page.getByRole("application", { name: /^Matrix of/ }).waitFor();
      await rows(page).first().waitFor();
      expect(await barriers(page)).toEqual([]);
      await picture(`matrix-report-${theme}`);
    });
  });

  it("is searched by name and port, and shows who decides", async () => {
    await visit(address, {}, async ({ page, picture }) => {
      await page.getByRole("searchbox", { name: "Search connections" }).fill("shop/cart payments/api 443");
      await page.getByText(/^1 of [\d,]+ connections$/).waitFor();
      await rows(page).first().click();
      await details(page).getByRole("heading", { name: "shop/cart to payments/api" }).waitFor();
      await details(page)
        .getByText(/ClusterNetworkPolicy pci-guardrail rule \d+ "checkout"/)
        .first()
        .waitFor();
      await details(page).getByText("tierwall explain -f … --from shop/").waitFor();
      await picture("matrix-report-details");
    });
  });

  it("is sorted by each column, both ways", async () => {
    await visit(address, {}, async ({ page }) => {
      const first = () => rows(page).first().getByRole("cell").nth(1).innerText();
      const heading = page.getByRole("columnheader", { name: /^to/ });
      await heading.getByRole("button").click();
      const least = await first();
      expect(await heading.getAttribute("aria-sort")).toBe("ascending");
      await heading.getByRole("button").click();
      expect(await heading.getAttribute("aria-sort")).toBe("descending");
      expect((await first()) > least).toBe(true);
    });
  });

  it("lists what a cell of the picture represents", async () => {
    await visit(address, {}, async ({ page }) => {
      await page.getByRole("application", { name: /^Matrix of/ }).focus();
      await page.keyboard.press("ArrowDown");
      await page.getByText("ingress-nginx/controller → ingress-nginx/controller: ").waitFor();
      await page.keyboard.press("Enter");
      await details(page)
        .getByRole("heading", { name: "ingress-nginx/controller to ingress-nginx/controller" })
        .waitFor();
      await page.getByText(/^1 of [\d,]+ connections$/).waitFor();
      await page.getByRole("button", { name: "this cell only" }).click();
      await page.getByText(/^1 of [\d,]+ connections$/).waitFor({ state: "detached" });
    });
  });

  it("opens at what its address says", async () => {
    await visit(`${address}#q=shop/cart+payments/api`, {}, async ({ page }) => {
      await page.getByText(/^1 of [\d,]+ connections$/).waitFor();
    });
    await visit(`${address}#cell=0,0`, {}, async ({ page }) => {
      await page.getByRole("button", { name: "this cell only" }).waitFor();
      await details(page).getByRole("heading").first().waitFor();
    });
  });

  it("runs nothing from manifests", async () => {
    const breakout = "</script><script>document.title = 'broken out'</script>";
    const names = [breakout, "<!--<script>", ...hostileTexts].filter(({ length }) => length <= 100);
    // A policy has at most 25 rules in a direction.
    const rules = (field: "from" | "to", some: readonly string[]) =>
      some.map((name, i) => ({
        name,
        action: "Deny",
        [field]: [{ pods: { podSelector: {} } }],
        protocols: [{ tcp: { destinationPort: { number: i + 1 } } }],
      }));
    const [egress, ingress] = [rules("to", names.slice(0, 25)), rules("from", names.slice(25))];
    const objects = [
      { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "cart" } },
      { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" } },
      {
        apiVersion: "policy.networking.k8s.io/v1alpha2",
        kind: "ClusterNetworkPolicy",
        metadata: { name: "guard" },
        spec: { tier: "Admin", priority: 1, subject: { namespaces: {} }, ingress, egress },
      },
    ];
    const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
    const evil = reportOn(folderOf({ "cluster.yaml": text }));
    await visit(pathToFileURL(evil).href, {}, async ({ page }) => {
      await rows(page).filter({ hasText: "any but" }).first().click();
      await details(page).getByText(breakout).waitFor();
      expect(await page.title()).toBe("Who can reach whom");
    });
  });
});
