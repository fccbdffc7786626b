import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileFeed } from "./file-feed.js";

const other = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
const shop = other("shop");

describe("files that are watched", () => {
  let folder: string;
  let feed: FileFeed;
  let changes: number;
  const reported: (readonly string[])[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "tierwall-feed-"));
    reported.splice(0);
    changes = 0;
    write("cluster.yaml", shop);
    const opened = FileFeed.open({
      paths: [folder],
      onUnreadable: (diagnostics) => void reported.push(diagnostics.map(({ message }) => message)),
    });
    if (!opened.ok) throw new Error("the folder is there");
    feed = opened.feed;
    await feed.start(() => void changes++);
  });
  afterEach(async () => {
    await feed.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  const texts = () => feed.shown().sources.map(({ text }) => text);
  const settled = async (isSo: () => boolean) => {
    await expect.poll(isSo, { timeout: 300_000 }).toBe(true);
  };

  it("are there from the beginning", () => {
    expect(texts()).toEqual([shop]);
    expect(feed.shown()).toMatchObject({ title: folder, provenance: "file" });
  });

  it("are read unpacked, however long", async () => {
    const long = `# ${"long ".repeat(4 * 1024 * 1024)}\n${shop}`;
    write("packed.yaml.gz", gzipSync(long));
    // Of what is so long, only the objects are handed out.
    const isShop = (text: string | undefined) => text?.includes('"metadata":{"name":"shop"}') === true;
    await settled(() => isShop(texts()[1]));
    write("packed.yaml.gz", gzipSync(shop));
    write("plain.yaml", long);
    await settled(() => texts()[1] === shop && isShop(texts()[2]));
  });

  it("that are written again with the same text are no change", async () => {
    write("cluster.yaml", shop);
    write("other.yaml", "a: 1\n");
    await settled(() => texts().length === 2);
    const before = changes;
    write("cluster.yaml", shop);
    write("notes.txt", "no manifest");
    write("last.yaml", "b: 1\n");
    await settled(() => texts().length === 3);
    expect(changes).toBe(before + 1);
  });

  it("that cannot be read are reported once, with the state, and once more when they can", async () => {
    write("packed.yaml.gz", gzipSync(other("a")));
    await settled(() => texts().length === 2);
    truncateSync(join(folder, "packed.yaml.gz"), 5);
    await settled(() => reported.length === 1);
    expect(reported[0]![0]).toMatch(/^`.*packed\.yaml\.gz` cannot be read: /);
    // Nothing is evaluated without it.
    expect(feed.shown().unread).toMatchObject([{ code: "TW1004", message: reported[0]![0] }]);
    write("cluster.yaml", `${shop}# edited\n`);
    write("packed.yaml.gz", gzipSync(other("b")));
    await settled(() => reported.length === 2);
    expect(reported[1]).toEqual([]);
    expect(feed.shown().unread).toEqual([]);
    await settled(() => texts()[0] === `${shop}# edited\n` && texts()[1] === other("b"));
  });

  it("may all be gone for a while", async () => {
    rmSync(folder, { recursive: true });
    await settled(() => reported.length === 1);
    expect(feed.shown().unread).toHaveLength(1);
  });
});
