import type { Locator, Page } from "playwright-core";

/** A guarantee of the list, by its name. */
export const card = (page: Page, name: string): Locator => page.getByRole("article", { name, exact: true });

/** Its result, once it is known. */
export const badge = (page: Page, name: string, result: string): Locator =>
  card(page, name).locator(`[data-result="${result}"]`);
