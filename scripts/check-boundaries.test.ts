import { describe, expect, test } from "vitest";
import { checkBoundaries } from "./check-boundaries.mjs";

const declared = { core: ["yaml"], cli: ["@tierwall/core", "commander"], agent: ["@tierwall/kube"] };
const doors = ["@tierwall/core", "@tierwall/core/model", "@tierwall/kube/service"];

/** What the checker says of one import, written in a file of packages/, without the place. */
function complaint(file: string, statement: string): string | undefined {
  const [problem] = checkBoundaries({ [`packages/${file}`]: statement }, declared, doors);
  return problem?.replace(`packages/${file}:1: `, "");
}

describe("allowed", () => {
  test.each([
    ["core/src/net/cidr.ts", 'import { parse } from "./address.js";'],
    ["core/src/net/cidr.ts", 'import type { Place } from "../diagnostics/place.js";'],
    ["core/src/manifest/read.ts", 'import { parseDocument } from "yaml";'],
    ["core/src/dialects/cilium/lower.ts", 'import { tier } from "../../policy/model.js";'],
    ["core/src/dialects/cilium/lower.ts", 'import { lowerPort } from "../port.js";'],
    ["core/src/dialects/registry.ts", 'import { cilium } from "./cilium/schema.js";'],
    ["core/src/index.ts", 'export { evaluate } from "./evaluate/evaluate.js";'],
    ["core/src/analysis/ask.ts", 'import { compile } from "../engine/index.js";'],
    ["core/src/library/cluster.ts", 'import { readState } from "../state/state.js";'],
    ["core/src/doors/model.ts", 'export type { Flow } from "../evaluate/flow.js";'],
    ["core/src/doors/engine.ts", 'export { compile } from "../engine/index.js";'],
    ["core/src/net/cidr.test.ts", 'import { readFileSync } from "node:fs";'],
    ["core/src/net/cidr.test.ts", 'import { world } from "../../testing/world.js";'],
    ["core/testing/world.ts", 'import { compile } from "../src/engine/index.js";'],
    ["core/src/net/cidr.test.ts", 'import { evaluate } from "../evaluate/evaluate.js";'],
    ["cli/src/main.ts", 'import { explain } from "@tierwall/core"; import { Command } from "commander";'],
    ["cli/src/main.ts", 'import type { Flow } from "@tierwall/core/model";'],
    ["agent/src/observe/metrics.ts", 'import { ServiceMetrics } from "@tierwall/kube/service";'],
    ["kube/src/files/watched-files.ts", 'import { Delivery } from "../timing/delivery.js";'],
    ["cli/src/main.ts", 'import { readFileSync } from "node:fs";'],
    ["cli/src/main.ts", '// import "../../core/src/index.js"\nconst text = `import "left-pad"`;'],
  ])("%s: %s", (file, statement) => {
    expect(complaint(file, statement)).toBeUndefined();
  });
});

describe("refused", () => {
  test.each([
    ["core/src/net/cidr.ts", 'import "node:fs";', "core depends on nothing outside"],
    ["core/src/net/cidr.ts", 'import "commander";', "core depends on nothing outside"],
    ["core/src/schema/read.ts", 'import "yaml";', "only core's manifest/ may"],
    ["core/src/net/cidr.ts", 'import "../labels/selector.js";', "net knows only: collections diagnostics"],
    ["core/src/diagnostics/frame.ts", 'import "../net/cidr.js";', "diagnostics knows only: collections"],
    ["core/src/cluster/pod.ts", 'import "../policy/model.js";', "cluster knows only"],
    ["core/src/policy/model.ts", 'import "../cluster/pod.js";', "policy knows only"],
    ["core/src/evaluate/walk.ts", 'import "../dialects/registry.js";', "evaluate knows only"],
    ["core/src/evaluate/walk.ts", 'const x = await import("../report/text.js");', "evaluate knows only"],
    ["core/src/evaluate/walk.ts", 'export { x } from "../report/text.js";', "evaluate knows only"],
    ["core/src/dialects/cilium/lower.ts", 'import "../kep/lower.js";', "only dialects/registry.ts knows"],
    ["core/src/dialects/port.ts", 'import "./cilium/lower.js";', "only dialects/registry.ts knows"],
    ["core/src/report/text.ts", 'import "../index.js";', "it is for other packages"],
    ["core/src/report/text.ts", 'import "../doors/model.js";', "it is for other packages"],
    ["core/src/report/text.ts", 'import "../library/cluster.js";', "report knows only"],
    ["core/src/doors/model.ts", 'export { x } from "../../testing/world.js";', "only tests use it"],
    ["core/src/net/cidr.ts", 'import "../../testing/world.js";', "only tests use it"],
    ["agent/src/loop/loop.ts", 'import "../../testing/book.js";', "only tests use it"],
    ["kube/src/files/watched-files.ts", 'import "../cluster/connection.js";', "files knows only: timing"],
    ["kube/src/cluster/reflector.ts", 'import "../files/big-file.js";', "cluster knows only: timing"],
    [
      "core/src/doors/engine.ts",
      'export { x } from "../engine/engine.js";',
      "other folders use engine/index.ts",
    ],
    ["core/src/analysis/ask.ts", 'import "../engine/compile/view.js";', "other folders use engine/index.ts"],
    ["core/src/engine/engine.ts", 'import "./index.js";', "index.ts is for those outside"],
    ["core/src/net/cidr.ts", 'import "./cidr.test.js";', "it is a test"],
    ["core/src/index.ts", 'export * from "./net/cidr.js";', "name each export"],
    ["core/src/gadgets/bits.ts", "export const x = 1;", "belongs in a folder of core"],
    ["core/src/loose.ts", "export const x = 1;", "belongs in a folder of core"],
    ["core/src/net/utils.ts", "export const x = 1;", "name it after what is inside"],
    ["cli/src/types/flow.ts", "export const x = 1;", "name it after what is inside"],
    ["cli/src/main.ts", 'import "../../core/src/index.js";', "another package goes by its name"],
    ["cli/src/main.ts", 'import "@tierwall/core/dist/index.js";', "use what `@tierwall/core` exports"],
    ["cli/src/main.ts", 'import "@tierwall/core/sets";', "use what `@tierwall/core` exports"],
    ["cli/src/main.test.ts", 'import "@tierwall/core/dist/index.js";', "use what `@tierwall/core` exports"],
    ["cli/src/main.test.ts", 'import "../../core/src/index.js";', "another package goes by its name"],
    ["cli/src/main.ts", 'import "left-pad";', "package.json does not declare it"],
  ])("%s: %s", (file, statement, expected) => {
    expect(complaint(file, statement)).toContain(expected);
  });
});

test("an import cycle is named once, with the files on it", () => {
  const problems = checkBoundaries(
    {
      "packages/core/src/net/a.ts": 'import "./b.js";',
      "packages/core/src/net/b.ts": 'import "./c.js";',
      "packages/core/src/net/c.ts": 'import type { B } from "./b.js";',
    },
    declared,
    doors,
  );
  expect(problems).toEqual([
    "import cycle: packages/core/src/net/b.ts -> packages/core/src/net/c.ts -> packages/core/src/net/b.ts",
  ]);
});

test("a complaint says where the import stands", () => {
  const sources = { "packages/core/src/net/cidr.ts": '\n\nimport "node:fs";\n' };
  const problems = checkBoundaries(sources, declared, doors);
  expect(problems).toEqual([
    "packages/core/src/net/cidr.ts:3: must not import `node:fs`: core depends on nothing outside",
  ]);
});
