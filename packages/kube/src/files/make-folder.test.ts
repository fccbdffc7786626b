import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";

const scratch = mkdtempSync(join(tmpdir(), "tierwall-folder-"));
afterAll(() => rmSync(scratch, { recursive: true }));

it("makes a folder with all above it, and leaves one that is there alone", () => {
  const folder = join(scratch, "a", "b", "c");
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it.runIf(existsSync("/proc/self"))("fails where there can be none, instead of trying for ever", () => {
  expect(() => makeFolder("/proc/tierwall/state")).toThrow(/ENOENT|EACCES/);
});
