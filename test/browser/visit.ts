import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, vi } from "vitest";
import { startChromium, startTimeout } from "./chromium.js";
import { Complaints } from "./complaints.js";

/** The theme and the screen of a visit. */
export interface Look {
  readonly theme?: "light" | "dark";
  readonly screen?: keyof typeof screens;
  readonly reducedMotion?: boolean;
}

export const screens = {
  laptop: { width: 1280, height: 720 },
  wide: { width: 1600, height: 1000 },
  phone: { width: 390, height: 844 },
  "small phone": { width: 320, height: 568 },
} as const;

export interface Visit {
  readonly page: Page;
  readonly complaints: Complaints;
  /** Writes a picture into .cache/browser, to see what the test saw. */
  readonly picture: (name: string) => Promise<void>;
}

export type Visitor = (
  address: string,
  look: Look,
  meanwhile: (visit: Visit) => Promise<void>,
) => Promise<void>;

/** Milliseconds: on a busy machine every key and every line takes a while. */
const [stepTimeout, testTimeout] = [300_000, 1_200_000];
/** For what is drawn a moment after what was waited for. */
export const patience = { timeout: stepTimeout, interval: 50 };

const pictures = fileURLToPath(new URL("../../.cache/browser", import.meta.url));

/**
 * A browser for the tests of this file. Each visit has a profile of its own, with nothing stored; it fails when the page
 * did what no page may (complaints.ts), and leaves a picture behind when it fails for any reason.
 */
export function useBrowser(): Visitor {
  vi.setConfig({ testTimeout });
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  }, startTimeout);
  afterAll(async () => {
    await browser?.close();
  });
  return (address, look, meanwhile) => visit(browser, address, look, meanwhile);
}

export async function visit(
  browser: Browser,
  address: string,
  { theme = "light", screen = "laptop", reducedMotion = true }: Look,
  meanwhile: (visit: Visit) => Promise<void>,
): Promise<void> {
  const isPhone = screen.endsWith("phone");
  const context = await browser.newContext({
    viewport: screens[screen],
    colorScheme: theme,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
    hasTouch: isPhone,
    isMobile: isPhone,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  try {
    const complaints = await Complaints.of(context, new URL(address).origin);
    // Less than a test may take, so that it is the step that fails, and not the test.
    context.setDefaultTimeout(stepTimeout);
    const page = await context.newPage();
    const picture = async (name: string) => {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    };
    try {
      await page.goto(address);
      await meanwhile({ page, complaints, picture });
      complaints.throwIfAny();
    } catch (cause) {
      await picture(`failed-${process.pid}-${failures++}`).catch(() => undefined);
      complaints.throwIfAny();
      throw cause;
    }
  } finally {
    await context.close();
  }
}

let failures = 0;
