import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Diagnostic, diagnosticText, noStyle, parseRemoval, readEdited } from "@tierwall/core";
import { afterAll, describe, expect, it } from "vitest";
import { readDnsRecords } from "../packages/cli/src/dns.js";
import { readPaths } from "../packages/cli/src/files.js";

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

describe("TW1507: an object to delete that cannot be found", () => {
  const [example, corrected] = page("TW1507");
  const deleting = (text: string) => {
    const removal = parseRemoval(/--delete (\S+)$/.exec(text)![1]!);
    if (!removal.ok) return [removal.diagnostic];
    const source = { file: "example.yaml", text: block(example, "yaml")! };
    return readEdited([source], { apply: [], remove: [removal.value] }).diagnostics;
  };

  it("deleting what is not there yields it, with the output that the page shows", () => {
    expect(textOf(deleting(/<!-- run: (.*) -->/.exec(example!)![1]!))).toBe(block(example, "text"));
  });

  it("its correction mends it", () => {
    expect(deleting(/`npx tierwall (.*)`/.exec(corrected!)![1]!)).toEqual([]);
  });
});
