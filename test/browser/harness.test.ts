import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barriers } from "./accessible.js";
import { noChromium, skipNote } from "./chromium.js";
import { useBrowser } from "./visit.js";

/* The tests of pages depend on what the harness detects: here are pages that do what no page of Tierwall may do. */

const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self' http://localhost:1; img-src 'self' data:";

const pages: Readonly<Record<string, string>> = {
  "/": '<!doctype html><html lang="en"><title>fine</title><link rel="icon" href="data:,"><main><h1>fine</h1></main></html>',
  "/inline":
    '<!doctype html><title>inline</title><link rel="icon" href="data:,"><script>document.title = "ran"</script>',
  "/unnamed": '<!doctype html><title>unnamed</title><link rel="icon" href="data:,"><button></button>',
};

const scripts: Readonly<Record<string, string>> = {
  "/console": 'console.error("oh no")',
  "/throws": 'throw new Error("out of the blue")',
  "/rejects": 'Promise.reject(new Error("never caught"))',
  "/elsewhere": 'fetch("http://localhost:1/").catch(() => undefined)',
};

describe.skipIf(noChromium)(`a visit${skipNote}`, () => {
  const server = createServer(({ url = "" }, response) => {
    const script = scripts[url.replace(".js", "")];
    if (script !== undefined && url.endsWith(".js"))
      return response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    const page =
      pages[url] ?? `<!doctype html><link rel="icon" href="data:,"><script src="${url}.js"></script>`;
    return response
      .writeHead(200, { "content-type": "text/html", "content-security-policy": policy })
      .end(page);
  });
  let origin: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const visit = useBrowser();
  const settled = (path: string) =>
    visit(`${origin}${path}`, {}, async ({ page }) => {
      await page.waitForLoadState("networkidle");
    });

  it("of a page that does nothing wrong succeeds", async () => {
    await expect(settled("/")).resolves.toBeUndefined();
  });

  it.each([
    ["writes an error to the console", "/console", "console error: oh no"],
    ["throws", "/throws", "out of the blue"],
    ["leaves a rejection alone", "/rejects", "never caught"],
    ["has an inline script", "/inline", "CSP: script-src"],
    ["asks another server", "/elsewhere", "request to another origin: http://localhost:1/"],
  ])("of a page that %s fails", async (_, path, complaint) => {
    await expect(settled(path)).rejects.toThrow(complaint);
  });

  it("fails as the test in it does", async () => {
    const failing = visit(origin, {}, async () => {
      throw new Error("not what I expected");
    });
    await expect(failing).rejects.toThrow("not what I expected");
  });

  it.each(["light", "dark"] as const)("uses the %s theme on request", async (theme) => {
    await visit(origin, { theme }, async ({ page }) => {
      const dark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
      expect(dark).toBe(theme === "dark");
    });
  });

  it("reports accessibility violations", async () => {
    await visit(origin, {}, async ({ page }) => expect(await barriers(page)).toEqual([]));
    await visit(`${origin}/unnamed`, {}, async ({ page }) =>
      expect((await barriers(page)).join("\n")).toContain("button-name"),
    );
  });
});
