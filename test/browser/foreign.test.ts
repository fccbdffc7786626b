import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningPage } from "@tierwall/server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barriers } from "./accessible.js";
import { noChromium, skipNote, startTimeout } from "./chromium.js";
import { servePage } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/*
 * Policies of other APIs are not evaluated, and every view says so: a connection that they may decide is undecided and never shown as
 * allowed (S9.3); what applies to the whole answer is a caveat (S9.5).
 */

const example = fileURLToPath(new URL("../../examples/foreign-policies", import.meta.url));
const filters =
  /7 of 12 connections between pods depend on Calico GlobalNetworkPolicy guard-ledger, AWS ClusterNetworkPolicy no-metadata-service/;
const mesh = "Istio AuthorizationPolicy payments/only-shop may also deny";

const caveats = (page: Page) => page.getByRole("list", { name: "Caveats" });
const headline = (page: Page) => page.locator(".answer h2");
const editor = (page: Page) => page.getByRole("textbox", { name: "The policy, as YAML" });
const difference = (page: Page) => page.getByRole("region", { name: "What it changes" });
/** The editor completes what is typed, and the page forbids the styles that `fill` leaves behind: the text is pasted. */
async function write(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await editor(page).press("Control+a");
  await editor(page).press("Control+v");
}
const explain = (from: string, to: string) => `#/explain?from=${from}&to=${to}`;

describe.skipIf(noChromium)(`policies of other APIs${skipNote}`, () => {
  const visit = useBrowser();
  let served: RunningPage;
  beforeAll(async () => {
    served = await servePage(example, "Foreign policies");
  }, startTimeout);
  afterAll(async () => {
    await served?.close();
  });
  const at = (address: string) => `${served.url}${address}`;

  it.each([
    ["matrix", "matrix", "laptop"],
    ["map", "map", "laptop"],
    ["map-phone", "map", "phone"],
    ["map-list", "map?view=list", "laptop"],
    ["policies", "policies", "laptop"],
    ["policies-phone", "policies", "phone"],
    ["playground", "playground", "laptop"],
  ] as const)("S9.5: are caveats of the whole answer: %s", async (name, view, screen) => {
    await visit(at(`#/${view}`), { screen }, async ({ page, picture }) => {
      await caveats(page).getByText(filters).waitFor();
      await caveats(page).getByText(mesh).waitFor();
      // Some lines of text: the view has the rest of the screen.
      if (screen === "laptop") expect((await caveats(page).boundingBox())!.height).toBeLessThan(150);
      expect(await barriers(page)).toEqual([]);
      await picture(`foreign-${name}`);
    });
  });

  it.each([
    ["on one port", "&port=5432"],
    ["on every port", ""],
  ])("S9.3: leave a connection undecided in Explain, %s", async (name, port) => {
    await visit(at(explain("payments/api", "payments/ledger") + port), {}, async ({ page, picture }) => {
      await headline(page).getByText("undecided").waitFor();
      await page
        .getByText(/whether Calico GlobalNetworkPolicy guard-ledger allows or denies it/)
        .first()
        .waitFor();
      expect(await headline(page).innerText()).not.toMatch(/✓|ALLOWED/i);
      await picture(`foreign-explain-${name.replaceAll(" ", "-")}`);
    });
  });

  it("S9.5: add a caveat to a verdict of Explain if a proxy enforces them", async () => {
    await visit(at(explain("payments/ledger", "payments/api") + "&port=8443"), {}, async ({ page }) => {
      await headline(page).getByText("allowed").waitFor();
      await caveats(page).getByText(mesh).waitFor();
    });
  });

  it.each([
    ["verdict", ""],
    ["deciding tier", "&colour=tier"],
  ])("S9.3: leave cells of the matrix undecided, coloured by %s", async (name, colour) => {
    await visit(at(`#/matrix?by=workload${colour}`), {}, async ({ page, picture }) => {
      await caveats(page).waitFor();
      const canvas = page.locator(".matrix-canvas");
      await canvas.focus();
      const cell = page.getByRole("region", { name: "Cell" });
      await canvas.press("ArrowRight");
      for (let i = 0; i < 8; i++) {
        if ((await cell.innerText()).startsWith("payments/api → payments/ledger")) break;
        await canvas.press(i === 0 ? "ArrowRight" : "ArrowLeft");
      }
      await cell.getByText("guard-ledger").first().waitFor();
      await picture(`foreign-matrix-cell-${name.replace(" ", "-")}`);
      expect(await cell.innerText()).toMatch(/payments\/api → payments\/ledger\s+undecided/);
    });
  });

  it("S9.3: are named at an undecided connection of the map, and allow nothing", async () => {
    await visit(at("#/map?view=list"), {}, async ({ page, picture }) => {
      await page.getByText("12 of them are undecided").waitFor();
      await page.getByRole("button", { name: "rules for payments/api to payments/ledger" }).click();
      const panel = page.getByRole("region", { name: "Connection" });
      await panel.getByText("GlobalNetworkPolicy guard-ledger").waitFor();
      await picture("foreign-map-edge");
      const shown = await panel.innerText();
      expect(shown).toContain("Undecided; may be decided by");
      expect(shown).not.toMatch(/Allowed by|✓|2 pairs/);
    });
  });

  it("S9.3: are a tier of the map, with what they may decide", async () => {
    await visit(at("#/map?view=list"), {}, async ({ page, picture }) => {
      await page.getByRole("combobox", { name: "Decided by" }).selectOption("foreign");
      await page.waitForURL(/tier=foreign/);
      await page.getByRole("heading", { name: "12 connections" }).waitFor();
      await picture("foreign-map-tier");
      const rows = (await page.getByRole("row").allInnerTexts()).slice(1);
      expect(rows.filter((row) => !row.includes("undecided"))).toEqual([]);
      // Denied in the other direction, whatever foreign objects do.
      expect(rows.filter((row) => row.startsWith("payments/api\tshop/web"))).toEqual([]);
      await page.getByRole("button", { name: "rules for shop/cart to payments/api" }).click();
      const panel = page.getByRole("region", { name: "Connection" });
      await panel.getByText("ClusterNetworkPolicy no-metadata-service").waitFor();
      expect(await panel.innerText()).not.toContain("Default");
    });
  });

  it("S9.3: are not counted among what may reach a workload", async () => {
    await visit(at("#/map?focus=Pod%20payments%2Fledger"), {}, async ({ page, picture }) => {
      await page.getByRole("heading", { name: "1 may reach it, 4 undecided" }).waitFor();
      await picture("foreign-map-focus");
    });
  });

  it("S9.3: are neither ✓ nor ✗ in Policies", async () => {
    await visit(at("#/policies"), {}, async ({ page }) => {
      const rules = page.getByRole("treeitem").filter({ hasText: "Undecided" });
      await expect.poll(() => rules.count(), patience).toBe(2);
      for (const text of await rules.allInnerTexts()) expect(text).not.toMatch(/[✓✗]/);
      // The action and the rule next to it do not overlap.
      for (const row of await rules.all()) {
        const [action, rest] = [row.locator(".action"), row.locator(".row-rest")];
        const [left, right] = [(await action.boundingBox())!, (await rest.boundingBox())!];
        expect(left.x + left.width).toBeLessThanOrEqual(right.x);
        expect(await action.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
      }
    });
  });

  it("S9.3: leave undecided in the Playground what a new policy allows", async () => {
    await visit(at("#/playground"), {}, async ({ page, picture }) => {
      await caveats(page).waitFor();
      await write(page, allowLedger);
      await difference(page).getByText("NetworkPolicy payments/open-ledger").first().waitFor();
      await difference(page).getByText("0 newly allowed").waitFor();
      await caveats(page).getByText(filters).waitFor();
      await picture("foreign-playground-allow");
    });
  });

  it("S9.3: are not evaluated in the Playground either", async () => {
    await visit(at("#/playground"), {}, async ({ page, picture }) => {
      await caveats(page).waitFor();
      await write(page, calico);
      await page.getByText("GlobalNetworkPolicy deny-all is not a policy that Tierwall evaluates").waitFor();
      await picture("foreign-playground-calico");
    });
  });
});

const allowLedger = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open-ledger, namespace: payments}
spec:
  podSelector: {matchLabels: {app: ledger}}
  ingress: [{}]
`;
const calico = `apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: {name: deny-all}
spec: {selector: all()}
`;

const pod = (name: string, address: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}\nstatus: {phase: Running, podIP: ${address}}\n---\n`;
const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n";
const cluster = namespace + pod("web", "10.244.1.10") + pod("api", "10.244.1.20");
const ipBlock = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: api-from-pods, namespace: shop}
spec:
  podSelector: {matchLabels: {app: api}}
  ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16}}]}]
`;
const meshOnly = `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: nothing, namespace: shop}
spec: {}
`;

describe.skipIf(noChromium)(`caveats of small clusters${skipNote}`, () => {
  const visit = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), "tierwall-caveats-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const serving = async (name: string, text: string, meanwhile: (url: string) => Promise<void>) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, text);
    const served = await servePage(file, "Caveats");
    try {
      await meanwhile(served.url);
    } finally {
      await served.close();
    }
  };

  it("S9.8: Explain names an implementation that decides differently", async () => {
    await serving("ip-block", cluster + ipBlock, async (url) => {
      await visit(`${url}${explain("shop/web", "shop/api")}&port=80`, {}, async ({ page, picture }) => {
        await headline(page).getByText("allowed").waitFor();
        await caveats(page)
          .getByText(/Cilium 1\.20 or Cilium 1\.18 answers Deny instead: .*ipBlock/)
          .waitFor();
        expect(await barriers(page)).toEqual([]);
        await picture("foreign-explain-implementation");
      });
      await visit(`${url}${explain("shop/web", "shop/api")}`, {}, async ({ page, picture }) => {
        await headline(page).waitFor();
        await caveats(page)
          .getByText(/Cilium 1\.20 or Cilium 1\.18 answers Deny instead/)
          .waitFor();
        await picture("foreign-explain-implementation-every-port");
      });
    });
  });

  it("S9.5: Policies has a caveat where a mesh has the only policy", async () => {
    await serving("mesh", cluster + meshOnly, async (url) => {
      await visit(`${url}#/policies`, {}, async ({ page, picture }) => {
        await page.getByText("No policies").waitFor();
        await caveats(page).getByText("AuthorizationPolicy shop/nothing").waitFor();
        await picture("foreign-policies-mesh-only");
      });
    });
  });
});
