import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileFeed, type RunningPage, startPage } from "@tierwall/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { exampleCluster } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/* What the server does that only a browser can check. */

describe.skipIf(noChromium)(`the server${skipNote}`, () => {
  const visit = useBrowser();
  let folder: string;
  let page: RunningPage;
  let guarded: RunningPage;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tierwall-served-"));
    cpSync(exampleCluster, folder, { recursive: true });
    page = await serve({});
    guarded = await serve({ token: "a-token-that-is-hard-to-guess" });
  });
  afterAll(async () => {
    await page.close();
    await guarded.close();
    rmSync(folder, { recursive: true });
  });

  async function serve(options: { readonly token?: string }): Promise<RunningPage> {
    const opened = FileFeed.open({ paths: [folder], recursive: true, title: "Example cluster" });
    if (!opened.ok) throw new Error("the example cannot be read");
    const started = await startPage({ feed: opened.feed, port: 0, ...options });
    if (!started.ok) throw new Error(started.message);
    return started.page;
  }

  it("lets in only clients that have the token, for as long as the browser runs", async () => {
    const question = `${guarded.url}#/explain?from=shop/cart&to=payments/api&port=8443`;
    await visit(question, {}, async ({ page: tab, complaints, picture }) => {
      expect(await barriers(tab)).toEqual([]);
      await picture("login");
      await tab.getByLabel("Token").fill("a guess");
      await tab.getByRole("button", { name: "Open" }).click();
      await tab.getByText("That is not the token of this server.").waitFor();
      await tab.getByLabel("Token").fill(guarded.token!);
      await tab.keyboard.press("Enter");
      await tab.getByText("Example cluster").first().waitFor();
      // The question in the address is still asked.
      await expect.poll(() => tab.url(), patience).toBe(question);
      await tab.reload();
      await tab.getByText("Example cluster").first().waitFor();
      // A browser calls every page that is refused an error.
      complaints.forgive(/status of 401/);
    });
  });

  it("asks for the token in the dark too, and on a phone", onlyInFull, async () => {
    await visit(
      guarded.url,
      { theme: "dark", screen: "phone" },
      async ({ page: tab, complaints, picture }) => {
        expect(await barriers(tab)).toEqual([]);
        await picture("login-dark-phone");
        complaints.forgive(/status of 401/);
      },
    );
  });

  it("is not read by another site", onlyInFull, async () => {
    const [stranger, own] = [guarded.url, page.url];
    await visit(stranger, {}, async ({ page: tab, complaints }) => {
      const read = await tab.evaluate(async (address) => {
        try {
          return await (await fetch(address)).text();
        } catch {
          return "nothing";
        }
      }, `${own}api/v1/state`);
      expect(read).toBe("nothing");
      complaints.forgive(
        /status of 401|another origin|Content Security Policy|CSP: connect-src|request failed/,
      );
    });
  });

  it("has the page show what a file says now", async () => {
    await visit(
      `${page.url}#/explain?from=shop/cart&to=payments/api&port=8443`,
      {},
      async ({ page: tab }) => {
        await tab.getByText("denied", { exact: false }).first().waitFor();
        const again = tab.waitForResponse((response) => response.url().endsWith("/api/v1/state"));
        writeFileSync(join(folder, "policies/cluster-network-policy.yaml"), "# all of it is gone\n");
        await again;
        await tab.getByText("allowed", { exact: false }).first().waitFor();
      },
    );
  });
});
