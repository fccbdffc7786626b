import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatCidr, parseCidr } from "@tierwall/core/model";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RangeMemory } from "./range-trust.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tierwall-ranges-"));
  file = join(folder, "state", "pod-ranges.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ranges = ["10.0.0.0/24", "fd00::/64"];
const kept = ranges.map((text) => parseCidr(text)!);
const troubles: string[] = [];
const memory = (node = "n1", path = file) => new RangeMemory(path, node, (text) => troubles.push(text));
const known = (one: RangeMemory) => one.ranges.map(formatCidr);

describe("ranges of a node's pods", () => {
  it("are known to the next agent of the node, and to none of another", () => {
    expect(known(memory())).toEqual([]);
    memory().keep(kept, false);
    expect(known(memory())).toEqual(ranges);
    expect(known(memory("n2"))).toEqual([]);
    memory().keep([], false);
    expect(known(memory())).toEqual([]);
  });

  it.each(["", "{", "[]", '{"version":2}', '{"version":1,"node":"n1","podRanges":[7,"here"]}'])(
    "are not known where the file says `%s`",
    (text) => {
      memory().keep(kept, false);
      writeFileSync(file, text);
      expect(known(memory())).toEqual([]);
    },
  );

  it("that cannot be written are reported", () => {
    memory("n1", "/proc/nowhere/pod-ranges.json").keep(kept, false);
    expect(troubles).toEqual([expect.stringContaining("cannot write")]);
  });
});
