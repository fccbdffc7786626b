import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders } from "../../packages/cli/testing/run-command.js";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/* Manifests that are dropped on the page are looked at there and then. The server hears nothing of it. */

const cluster = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: blog, labels: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: blog, labels: {app: db}}
`;
const policy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db-is-closed, namespace: blog}
spec: {podSelector: {matchLabels: {app: db}}, policyTypes: [Ingress]}
`;

type Side = "Look at these instead" | "Add them";

/** As from the desktop: the browser gets a drag with files. */
async function drop(page: Page, files: readonly string[], side: Side): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const drag = (type: "dragEnter" | "dragOver" | "drop", x: number, y: number) =>
    session.send("Input.dispatchDragEvent", { type, x, y, data });
  const heading = page.getByRole("heading", { name: side });
  await drag("dragEnter", 400, 300);
  // Browsers repeat the event for as long as something is held over the page.
  const isOver = async () => {
    await drag("dragOver", 400, 300);
    return heading.isVisible();
  };
  await expect.poll(isOver, patience).toBe(true);
  const target = (await heading.boundingBox())!;
  const [x, y] = [target.x + target.width / 2, target.y + target.height / 2];
  await drag("dragOver", x, y);
  await drag("drop", x, y);
}

describe.skipIf(noChromium)(`files that are dropped on the page${skipNote}`, () => {
  const at = useServer();
  const visit = useBrowser();
  afterAll(removeFolders);

  it("replace the current state, or are added to it", async () => {
    const folder = folderOf({ "blog.yaml": cluster, "policy.yaml": policy });
    await visit(at("#/playground?template=isolate-namespace"), {}, async ({ page }) => {
      const asked: string[] = [];
      const header = page.getByRole("banner");
      await header.getByText("16 pods").waitFor();
      page.on("request", (request) => asked.push(request.url()));
      await drop(page, [`${folder}/blog.yaml`], "Look at these instead");
      await header.getByText("2 pods").waitFor();
      await header.getByText("0 policies").waitFor();
      await drop(page, [`${folder}/policy.yaml`], "Add them");
      await header.getByText("1 policy").waitFor();
      await header.getByText("2 pods").waitFor();
      expect(asked.filter((url) => url.includes("/api/"))).toEqual([]);
    });
  });
});
