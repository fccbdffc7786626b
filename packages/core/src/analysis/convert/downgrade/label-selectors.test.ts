import { describe, expect, it } from "vitest";
import { formatMatch, type Labels } from "../../../labels/requirement.js";
import { selectorsFor } from "./pod-peers.js";

describe("selectors that hold some pods and no others", () => {
  it.each<[string, readonly Labels[], readonly Labels[], readonly string[] | undefined]>([
    ["all of them", [{ app: "a" }], [], ["everything"]],
    ["one key", [{ app: "a" }, { app: "b" }], [{ app: "c" }, {}], ["app in (a, b)"]],
    [
      "the key with the fewest values",
      [
        { n: "1", app: "a" },
        { n: "2", app: "a" },
      ],
      [{ n: "3" }],
      ["app=a"],
    ],
    [
      "a namespace by its name where nothing else distinguishes it",
      [{ "kubernetes.io/metadata.name": "x", team: "a" }],
      [{ "kubernetes.io/metadata.name": "y", team: "b" }],
      ["team=a"],
    ],
    [
      "several keys",
      [{ app: "a", env: "prod" }],
      [
        { app: "a", env: "dev" },
        { app: "b", env: "prod" },
      ],
      ["app=a, env=prod"],
    ],
    ["what others have more", [{ app: "a" }], [{ app: "a", canary: "yes" }], ["app=a, !canary"]],
    ["several selectors", [{ app: "a" }, { job: "x" }], [{}], ["app=a", "job=x"]],
    ["nothing distinguishes them", [{ app: "a" }], [{ app: "a" }], undefined],
  ])("%s", (_, wanted, others, expected) => {
    expect(selectorsFor(wanted, others)?.map(formatMatch)).toEqual(expected);
  });
});
