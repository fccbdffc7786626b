import { join } from "node:path";
import { readCluster } from "@tierwall/core/state";
import { afterAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";
import { readWhile } from "./cluster-of-line.js";

// Processes, one for each question, take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

afterAll(removeFolders);

const pods = ["shop/cart", "shop/web", "payments/api"].map((name) => {
  const [namespace, pod] = name.split("/");
  return `{apiVersion: v1, kind: Pod, metadata: {namespace: ${namespace}, name: ${pod}}}\n`;
});
const cluster = pods.join("---\n");

/** What `tierwall` offers behind these words, the last of which is not finished; and nothing else is said. */
function offered(cwd: string, ...words: string[]): readonly string[] {
  const { status, stdout, stderr } = tierwall(["__complete", "--", ...words], { cwd });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0]!);
}

describe("names come from", () => {
  it("the files that the line names", () => {
    const cwd = folderOf({ "a.yaml": pods[0]!, "b/c/d.yaml": pods[2]! });
    expect(offered(cwd, "explain", "-f", "a.yaml", "--from", "")).toEqual(["shop/"]);
    expect(offered(cwd, "explain", "-f", ".", "-R", "--from", "")).toEqual(["payments/", "shop/"]);
    expect(offered(cwd, "explain", "-fa.yaml", "--filename=b/c", "--from", "shop/c")).toEqual(["shop/cart"]);
  });

  it("the files that tierwall.yaml names, wherever that is", () => {
    const cwd = folderOf({
      ".git/HEAD": "",
      "tierwall.yaml": "filename: cluster\n",
      "cluster/a.yaml": cluster,
      "deep/x": "",
    });
    expect(offered(cwd, "explain", "--from", "pay")).toEqual(["payments/"]);
    expect(offered(`${cwd}/deep`, "explain", "--from", "pay")).toEqual(["payments/"]);
    expect(offered(cwd, "explain", "--no-config", "--from", "pay")).toEqual([]);
    expect(offered(cwd, "explain", "--config", "nowhere.yaml", "--from", "pay")).toEqual([]);
  });
});

describe("errors are not reported while the user types", () => {
  it.each([
    ["no files are named", {}, []],
    ["a file is not there", {}, ["-f", "nowhere.yaml"]],
    ["standard input is not available", {}, ["-f", "-"]],
    ["tierwall.yaml is broken", { "tierwall.yaml": "nonsense: {" }, []],
    ["a manifest is no YAML", { "a.yaml": "{" }, ["-f", "a.yaml"]],
    ["an option is none", {}, ["--nonsense"]],
  ])("%s", (_what, files, words) => {
    expect(offered(folderOf(files), "explain", ...words, "--from", "")).toEqual([]);
  });

  it("names before a mistake are still offered", () => {
    const cwd = folderOf({ "a.yaml": `${cluster}---\n{`, "b.yaml": "kind: [" });
    expect(offered(cwd, "explain", "-f", ".", "--from", "shop/")).toEqual(["shop/cart", "shop/web"]);
  });
});

describe("a file that takes too long", () => {
  const manyPods = Array.from(
    { length: 5000 },
    (_, i) => `{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: p${i}}}`,
  );
  const files = {
    "many.yaml": manyPods.join("\n---\n"),
    "many.json": JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: manyPods.map((_, i) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: "x", name: `p${i}` },
      })),
    }),
  };
  const folder = folderOf(files);
  const namesIn = (file: string, steps: number) => {
    let left = steps;
    return [...readCluster([readWhile(() => left-- > 0, join(folder, file))]).pods.keys()];
  };

  it.each(Object.keys(files))("is offered as far as it was read: %s", (file) => {
    expect(namesIn(file, 0)).toEqual([]);
    const some = namesIn(file, 2);
    expect(some.length).toBeGreaterThan(500);
    expect(some.length).toBeLessThan(4500);
    expect(some).toEqual(some.map((_, i) => `x/p${i}`));
    expect(namesIn(file, Infinity)).toHaveLength(5000);
  });
});
