import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { InputBudget } from "./bounded-input.js";
import { readPaths, shown } from "./manifest-files.js";

const folder = mkdtempSync(join(tmpdir(), "tierwall-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const read = (paths: readonly string[], maxInput?: number, recursive = false) => {
  const { sources, diagnostics } = readPaths(paths, recursive, { maxInput });
  return {
    sources: sources.length,
    said: diagnostics.map(({ code, message }) => `${code} ${message.replaceAll(`${folder}/`, "")}`),
  };
};

describe("input that is too large", () => {
  it("a packed file counts as what it unpacks to, and nothing more is unpacked", () => {
    // Two thousand times smaller than what is in it.
    const bomb = file("bomb.json.gz", gzipSync(Buffer.alloc(64 * 1024 ** 2, " ")));
    const before = process.memoryUsage().arrayBuffers;
    expect(read([bomb], 1024 ** 2)).toEqual({
      sources: 0,
      said: ["TW1010 `bomb.json.gz` makes the input larger than 1 MiB, unpacked; nothing of it was read"],
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 ** 2);
  });

  it("a file within the limit is read, packed or not", () => {
    const [plain, packed] = [file("a.yaml", namespace), file("b.yaml.gz", gzipSync(namespace))];
    expect(read([plain, packed], 2 * namespace.length)).toEqual({ sources: 2, said: [] });
  });

  it("all files count together", () => {
    const [one, two] = [file("one.yaml", namespace), file("two.yaml", namespace)];
    expect(read([one, two], 2 * namespace.length - 1).said).toEqual([
      expect.stringContaining("TW1010 `two.yaml` makes the input larger than 107 bytes"),
    ]);
  });

  it("an endless device is not text", () =>
    expect(read(["/dev/zero"]).said).toEqual(["TW1011 `/dev/zero` is not text: it holds NUL bytes"]));

  it("a budget says how much is left", () => {
    const budget = new InputBudget(10);
    budget.take(4, "a");
    expect(budget.room).toBe(6);
  });
});

describe("input that is not text", () => {
  it.each([
    ["UTF-16, little-endian", Buffer.from(`\uFEFF${namespace}`, "utf16le"), "it is encoded in UTF-16"],
    ["UTF-16, big-endian", Buffer.from(`\uFEFF${namespace}`, "utf16le").swap16(), "it is encoded in UTF-16"],
    ["UTF-16 without a mark", Buffer.from(namespace, "utf16le"), "it holds NUL bytes"],
    ["Latin-1", Buffer.from("# \u00e9t\u00e9\nkind: X\n", "latin1"), "it is not encoded in UTF-8"],
    ["an archive that is not packed by gzip", Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), "it holds NUL bytes"],
  ])("%s", (_what, content, why) =>
    expect(read([file("odd.yaml", content)]).said).toEqual([`TW1011 \`odd.yaml\` is not text: ${why}`]),
  );

  it("a byte order mark of UTF-8 is none of it", () =>
    expect(read([file("mark.yaml", `\uFEFF${namespace}`)])).toEqual({ sources: 1, said: [] }));

  it("packed text is looked at, too", () =>
    expect(read([file("odd.yaml.gz", gzipSync(Buffer.from(namespace, "utf16le")))]).said).toEqual([
      "TW1011 `odd.yaml.gz` is not text: it holds NUL bytes",
    ]));

  it("what is not packed, though it is called so", () =>
    expect(read([file("plain.json.gz", namespace)]).said).toEqual([
      "TW1004 `plain.json.gz` cannot be read: incorrect header check",
    ]));
});

describe("a folder", () => {
  it("may hold a pipe, which is not waited for", () => {
    const inside = join(folder, "pipes");
    mkdirSync(inside);
    execFileSync("mkfifo", [join(inside, "a.yaml")]);
    expect(read([inside]).said).toEqual(["TW1004 `pipes/a.yaml` cannot be read: it is not a file"]);
  });

  it("may hold links in a circle", () => {
    const inside = join(folder, "circle");
    mkdirSync(inside);
    symlinkSync("b.yaml", join(inside, "a.yaml"));
    symlinkSync("a.yaml", join(inside, "b.yaml"));
    symlinkSync("..", join(inside, "up"));
    file("circle/c.yaml", namespace);
    const { sources, said } = read([inside], undefined, true);
    expect(sources).toBe(1);
    expect(said).toEqual([expect.stringContaining("ELOOP"), expect.stringContaining("ELOOP")]);
  });

  it("may hold files whose names are no names: reports stay one line each, and CI systems do not obey them", () => {
    const inside = join(folder, "names");
    mkdirSync(inside);
    file("names/x\n\u001b[32m.yaml", namespace);
    const { sources } = readPaths([inside], false);
    expect(sources[0]!.file).toContain("names/x\\n\\u001b[32m.yaml");
    expect(shown("::error::x.yaml")).toBe("./::error::x.yaml");
  });
});
