import { parseCidr } from "@tierwall/core/model";
import { readState } from "@tierwall/core/state";
import { expect, it } from "vitest";
import { nodeYaml, plainOptions } from "../../testing/node-world.js";
import { optionWarnings } from "../agent.js";

const { cluster } = readState([{ file: "node.yaml", text: nodeYaml("here", "192.168.0.1") }]);
const sound = { ...plainOptions, localRanges: [parseCidr("10.0.0.0/24")!] };

it("there are none for a node with ranges and a kernel that detects spoofed addresses", () => {
  expect(optionWarnings(sound, cluster)).toEqual([]);
});

it.each([
  [{ node: "elsewhere" }, "there is no node elsewhere"],
  [{ localRanges: [] }, "has no podCIDRs"],
  [{ forgedSources: "pass" }, "from a spoofed address"],
] as const)("%j: a warning", (options, text) => {
  expect(optionWarnings({ ...sound, ...options }, cluster)).toEqual([expect.stringContaining(text)]);
});

it("there are none about what the options ask for", () => {
  const asked = { unknownPods: "allow", forgedSources: "pass" } as const;
  expect(optionWarnings({ ...sound, ...asked }, cluster)).toEqual([]);
  expect(optionWarnings({ ...sound, ...asked, localRanges: [] }, cluster)).toEqual([]);
});
