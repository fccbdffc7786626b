import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { useBrowser } from "./visit.js";

const editor = (page: Page) => page.getByRole("textbox", { name: "The policy, as YAML" });
const difference = (page: Page) => page.getByRole("region", { name: "What it changes" });
const figures = async (page: Page) =>
  (await difference(page).getByRole("list", { name: "Connections that change" }).innerText()).replace(/\s+/g, " ");

describe.skipIf(noChromium)(`the playground${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();

  it.each(["light", "dark"] as const)("shows what a template would change, in a %s room", async (theme) => {
    await visit(at("#/playground"), { theme }, async ({ page, picture }) => {
      await difference(page).getByText("newly denied").first().waitFor();
      await picture(`playground-${theme}`);
      expect(await barriers(page)).toEqual([]);
    });
  });
});
