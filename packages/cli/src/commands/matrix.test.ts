import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const page = readFileSync(new URL("../../../../docs/how-to/matrix.md", import.meta.url), "utf8");
const cluster = /^```yaml\n([^]*?)^```$/m.exec(page)![1]!;
const folder = folderOf({ "shop.yaml": cluster });
const matrix = (...args: readonly string[]) => tierwall(["matrix", "-f", ".", ...args], { cwd: folder });

describe("matrix", () => {
  it("draws the picture of docs/how-to/matrix.md", () => {
    const root = fileURLToPath(new URL("../../../..", import.meta.url));
    const args = ["matrix", "-f", "examples/mixed-six-apis", "-R", "-o", "svg"];
    expect(tierwall(args, { cwd: root }).stdout).toBe(readFileSync(`${root}/docs/how-to/matrix.svg`, "utf8"));
  });

  it("answers on stdout, and says nothing else there", () => {
    const { status, stdout, stderr } = matrix("-o", "json");
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Matrix",
      by: "workload",
    });
  });

  it.each([
    ["csv", /^from_kind,/],
    ["md", /^\*\*/],
    ["dot", /^digraph tierwall \{/],
    ["svg", /^<svg /],
    ["html", /^<!doctype html>/],
  ])("-o %s", (format, beginning) => {
    const { status, stdout } = matrix("-o", format);
    expect(status).toBe(0);
    expect(stdout).toMatch(beginning);
  });

  it.each([
    [["--from", "shp"], "error TW1502  there is no namespace `shp`; did you mean `shop`?"],
    [["--to", "shop/wbe"], "there is no pod or workload `shop/wbe`"],
    [["--port", "70000"], "`70000` is out of range"],
    [["--port", "http"], "`http` may be another number for each pod"],
    [["-l", "a b"], "`a b` is not a label selector, such as app=web,tier!=db"],
    [["-n", "nowhere"], "there is no namespace `nowhere`"],
    [["--by", "team"], "Allowed choices are pod, workload, namespace"],
    [["--undecided", "maybe"], "Allowed choices are show, allow, deny"],
    [["-o", "xml"], "Allowed choices are text, json, csv, md, dot, svg, html"],
    [["-f", "missing.yaml"], "missing.yaml"],
  ])("%j is refused, with a word on what to do", (args, message) => {
    const { status, stdout, stderr } = matrix(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("of nothing is empty", () => {
    const empty = folderOf({ "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n" });
    const { status, stdout } = tierwall(["matrix", "-f", "."], { cwd: empty });
    expect([status, stdout]).toEqual([0, "0 of 0 pairs can connect, among 0 workloads\n"]);
  });
});
