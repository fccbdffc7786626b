import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Diagnostic, diagnosticText, noStyle } from "@tierwall/core";
import { afterAll, describe, expect, it } from "vitest";
import { readDnsRecords } from "../packages/cli/src/dns.js";
import { readPaths } from "../packages/cli/src/files.js";
import { tierwall } from "../packages/cli/src/testing/run-command.js";

/* The pages of docs/diagnostics whose code only the command line reports; core's pages.test.ts executes the others. */

const folder = mkdtempSync(join(tmpdir(), "tierwall-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

const page = (code: string) =>
  readFileSync(new URL(`../docs/diagnostics/${code}.md`, import.meta.url), "utf8").split("\n## Corrected\n");
const block = (text: string | undefined, language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)\n\`\`\`$`, "ms").exec(text ?? "")?.[1];

function textOf(diagnostics: readonly Diagnostic[]): string {
  const shown = diagnostics.map((d) => diagnosticText(d, () => undefined, noStyle)).join("\n\n");
  return shown.replaceAll(`${folder}/`, "");
}

describe("TW1004: a path that cannot be read", () => {
  const [example] = page("TW1004");
  const path = /<!-- run: validate -f (\S+) -->/.exec(example!)![1]!;

  it("a path that does not exist yields it, with the output that the page shows", () => {
    expect(textOf(readPaths([join(folder, path)], false).diagnostics)).toBe(block(example, "text"));
  });

  it("a path that exists does not", () => {
    const file = join(folder, "policies.yaml");
    writeFileSync(file, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    const { diagnostics, sources } = readPaths([file], false);
    expect(diagnostics).toEqual([]);
    expect(sources).toHaveLength(1);
  });
});

describe("TW1309: an invalid IP address", () => {
  const [example, corrected] = page("TW1309");
  const records = (yaml: string) => {
    const file = join(folder, /<!-- dns: (\S+) -->/.exec(example!)![1]!);
    writeFileSync(file, `${yaml}\n`);
    return readDnsRecords(file);
  };

  it("the records of the example yield it, with the output that the page shows", () => {
    expect(textOf(records(block(example, "yaml")!).diagnostics)).toBe(block(example, "text"));
  });

  it("its correction mends it", () => {
    const read = records(block(corrected, "yaml")!);
    expect(read.diagnostics).toEqual([]);
    expect(read.records.map(({ name, addresses }) => [name, addresses.length])).toEqual([
      ["api.example.com", 1],
    ]);
  });
});

describe.each(["TW1008", "TW2023"])("%s: observed traffic", (code) => {
  const [example, corrected] = page(code);
  const pod = (name: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop}, status: {podIP: 10.0.0.${name.length}}}`;
  const replay = (flows: string) => {
    writeFileSync(join(folder, "flows.csv"), `${flows}\n`);
    writeFileSync(
      join(folder, "cluster.yaml"),
      `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n${pod("web")}\n---\n${pod("cart")}\n`,
    );
    return tierwall(["replay", "-f", "cluster.yaml", "--flows", "flows.csv"], { cwd: folder });
  };

  it("the records of the example yield it, with the output that the page shows", () => {
    expect(replay(block(example, "csv")!).stderr.trim()).toBe(block(example, "text"));
  });

  it("their correction mends it", () => {
    const { status, stderr } = replay(block(corrected, "csv")!);
    expect([status, stderr]).toEqual([0, ""]);
  });
});
