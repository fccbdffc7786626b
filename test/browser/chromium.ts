import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/* The browser that people have, not one that a package brings along: Debian's, which security updates reach. */

const path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);

/** Why tests that want a browser are skipped here. */
export const noChromium: string | undefined =
  path === undefined ? "chromium was not found; Debian's package is `chromium`" : undefined;

/** For the title of what is skipped, so that it is not overlooked. */
export const skipNote = noChromium === undefined ? "" : ` (skipped: ${noChromium})`;

/** Milliseconds; on a busy machine it takes a while. */
export const startTimeout = 120_000;

export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path!,
    timeout: startTimeout,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
