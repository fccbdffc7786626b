import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FreshClone } from "../docs/fresh-clone.js";
import { clonePages, documentedCommands } from "../documented-commands.js";
import { type ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";
import { startReadersCluster } from "./readers-cluster.js";

/* README.md and the tutorial, in a fresh clone: every command in order, as printed, with the real npm, npx and kubectl. */

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const root = fileURLToPath(new URL("../../", import.meta.url));

vi.setConfig({ testTimeout });

/** Commands that run until they are stopped. */
const isService = (line: string) => line === "npm start" || line === "npx tierwall serve";

describe.skipIf(reason)(`in a fresh clone${title}`, () => {
  let plane: ControlPlane;
  let clone: FreshClone;

  beforeAll(async () => {
    plane = await startReadersCluster();
    clone = new FreshClone({ KUBECONFIG: plane.kubeconfig() });
    // What is the reader's own: manifests, and a policy to try.
    cpSync(join(root, "examples/mixed-six-apis"), join(clone.folder, "manifests"), { recursive: true });
    clone.write(
      "new-policy.yaml",
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny-all, namespace: shop}\n" +
        "spec: {podSelector: {}, policyTypes: [Ingress]}\n",
    );
  }, startTimeout);
  afterAll(async () => {
    clone?.remove();
    await plane?.stop();
  });

  // In one test: later commands need what earlier ones did.
  it("README.md: every command works, from top to bottom", async () => {
    const lines = documentedCommands().flatMap((one) =>
      one.page === "README.md" && one.needs === "clone" ? [one.line] : [],
    );
    expect(lines).toEqual(expect.arrayContaining(["npm run build", "npm start", "npx tierwall serve"]));
    for (const line of lines) {
      if (isService(line)) await serves(line);
      else {
        const { status, stdout, stderr } = clone.run(line);
        // Findings end with 1; 2 and more are errors.
        expect([line, status, stderr]).toEqual([line, expect.toBeOneOf(statusOf(line)), expect.any(String)]);
        expect([line, stdout]).toEqual([line, expect.stringMatching(expected(line))]);
      }
    }
  });

  it("the tutorial: every command works, and prints what the page shows", () => {
    for (const page of clonePages.slice(1)) {
      const text = readFileSync(join(root, page), "utf8");
      const parts = text.matchAll(
        /^ {4}(\S.*)$|<!-- file: (\S+) -->\n```\w+\n([^]*?)```|^```console\n\$ (.*)\n([^]*?)^```$/gm,
      );
      for (const [, line, file, content, command, output] of parts) {
        if (file !== undefined) save(`tutorial/${file}`, content!);
        else if (line !== undefined) expect([line, clone.run(line).status]).toEqual([line, 0]);
        else expect(clone.run(command!).stdout).toEqual(expect.stringMatching(shown(output!)));
      }
    }
  });

  function save(file: string, text: string): void {
    mkdirSync(dirname(join(clone.folder, file)), { recursive: true });
    writeFileSync(join(clone.folder, file), text);
  }

  /** The page that a command serves can be read, and answers a question. */
  async function serves(line: string): Promise<void> {
    const service = clone.start(line);
    try {
      const address = () => /http:\/\/[\w.:]+/.exec(service.output())?.[0];
      await expect.poll(() => address() ?? service.hasEnded(), patience).not.toBe(false);
      expect([line, address(), service.output()]).toEqual([
        line,
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        expect.any(String),
      ]);
      const page = await fetch(`${address()}/`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<html")]);
      const question = "from=shop/cart&to=payments/api&port=8443";
      const answer = await fetch(`${address()}/api/v1/explain?${question}`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ kind: "Explanation" }),
      ]);
    } finally {
      await service.stop();
    }
  }
});

/** Questions about the example have these answers. */
function expected(line: string): RegExp {
  if (line.includes("./manifests -R shop/cart")) return /DENIED {3}shop\/cart → payments\/api:8443\/TCP/;
  if (line === "npx tierwall explain shop/cart payments/api:8443") return /ALLOWED {3}shop\/cart/;
  if (line.startsWith("npx tierwall preview")) return /newly denied/;
  if (line.startsWith("npx tierwall test")) return /0 failed/;
  return line === "npm run build" ? /build/ : /./;
}

const statusOf = (line: string) => (/ lint | validate /.test(line) ? [0, 1] : [0]);

/** What a page shows, in which `…` is any number of lines. */
function shown(output: string): RegExp {
  const parts = output.split(/^…\n/m).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`);
}
