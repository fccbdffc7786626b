import { join } from "node:path";
import { isConfig } from "@tierwall/kube";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders } from "../../testing/run-command.js";
import { findConfig } from "./find-config.js";

afterAll(removeFolders);

const manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: tierwall}\n";

describe("tierwall.yaml is found", () => {
  const nowhere = "/nonexistent/home";
  it.each([
    ["in the folder itself", { "a/tierwall.yaml": "", "a/.git/HEAD": "" }, "a", "tierwall.yaml"],
    [
      "above it, in its repository",
      { "tierwall.yaml": "", ".git/HEAD": "", "a/b/x": "" },
      "a/b",
      "../../tierwall.yaml",
    ],
    [
      "above it, where .git is a file",
      { "tierwall.yaml": "", ".git": "gitdir: x", "a/x": "" },
      "a",
      "../tierwall.yaml",
    ],
    [
      "the nearest",
      { "tierwall.yaml": "", ".git/HEAD": "", "a/tierwall.yaml": "", "a/b/x": "" },
      "a/b",
      "../tierwall.yaml",
    ],
    ["not above the repository", { "tierwall.yaml": "", "a/.git/HEAD": "", "a/b/x": "" }, "a/b", undefined],
    [
      "not above a folder that is in no repository and no home",
      { "tierwall.yaml": "", "a/x": "" },
      "a",
      undefined,
    ],
    [
      "not where a manifest has its name",
      { "a/tierwall.yaml": manifest, "tierwall.yaml": "", ".git/HEAD": "" },
      "a",
      "../tierwall.yaml",
    ],
    ["not where a folder has its name", { "tierwall.yaml/x": "" }, ".", undefined],
    ["even if it is broken, so that this is said", { "tierwall.yaml": "{" }, ".", "tierwall.yaml"],
    ["not under another name", { "tierwall.yml": "" }, ".", undefined],
  ] as const)("%s", (_what, files, folder, expected) => {
    expect(findConfig(join(folderOf(files), folder), nowhere)).toBe(expected);
  });

  it("above it, in the home of the user, and not above that", () => {
    const top = folderOf({ "home/tierwall.yaml": "", "home/a/b/x": "" });
    expect(findConfig(join(top, "home/a/b"), join(top, "home"))).toBe("../../tierwall.yaml");
    expect(findConfig(join(top, "home/a/b"), join(top, "home/a"))).toBeUndefined();
  });
});

describe("a file called tierwall.yaml", () => {
  it.each([
    ["holds defaults", "recursive: true\n", true],
    ["holds none yet", "# none\n", true],
    ["is a manifest", manifest, false],
    ["is a manifest in one line", '{"apiVersion": "v1", "kind": "Pod"}', false],
    ["is a manifest in its second document", `{}\n---\n${manifest}`, false],
  ])("%s", (_what, text, expected) => {
    expect(isConfig(join(folderOf({ "tierwall.yaml": text }), "tierwall.yaml"))).toBe(expected);
  });
});
