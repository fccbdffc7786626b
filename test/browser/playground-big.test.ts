import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { noChromium, skipNote } from "./chromium.js";
import { useServer } from "./served-page.js";
import { patience, useBrowser } from "./visit.js";

/* What is live on the example must stay usable where an edit touches thousands of connections. */

/** Milliseconds; on a busy machine 4,900 policies take a while. */
const longPatience = 1_200_000;

const difference = (page: Page) => page.getByRole("region", { name: "What it changes" });
const editor = (page: Page) => page.getByRole("textbox", { name: "The policy, as YAML" });

describe.skipIf(noChromium)(`the playground with 2,400 pods${skipNote}`, () => {
  const at = useServer("big");
  const visit = useBrowser();

  it("shows how much changes, and then the rules that decide", { timeout: longPatience }, async () => {
    await visit(at("#/playground?template=isolate-namespace"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(longPatience);
      await difference(page).getByRole("list", { name: "Connections that change" }).waitFor();
      await difference(page).getByText("Working out who is responsible").waitFor({ state: "detached" });
      await picture("playground-big");
      await expect.poll(() => difference(page).innerText(), patience).toContain("adding NetworkPolicy");
    });
  });

  it("asks before it works out what takes long", { timeout: longPatience }, async () => {
    await visit(at("#/playground?template=empty"), {}, async ({ page, picture }) => {
      page.setDefaultTimeout(longPatience);
      await editor(page).focus();
      await page.keyboard.insertText(denyAll);
      await difference(page).getByRole("button", { name: "Find the rules" }).waitFor();
      await difference(page)
        .getByText(/for example, by ClusterNetworkPolicy deny-all/)
        .first()
        .waitFor();
      await picture("playground-big-large");
    });
  });
});

const denyAll = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: deny-all}
spec: {tier: Admin, priority: 0, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}
`;
