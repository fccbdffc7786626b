export { NodeCompiler } from "./compile/node-compiler.js";
export { callRulesForBridges } from "./kernel/bridges.js";
export type { Count } from "./kernel/counters.js";
export {
  type Applied,
  type Drift,
  type FrameOf,
  KernelTable,
  type KernelTableOptions,
} from "./kernel/kernel-table.js";
export type { TimedElement } from "./kernel/learned.js";
export type { Outcome } from "./kernel/outcome.js";
export { type Difference, difference, emptyTable, type Held } from "./ruleset/difference.js";
export { type Additions, frame } from "./ruleset/frame.js";
export { type Listing, parseListing } from "./ruleset/listing.js";
export type {
  BookEntry,
  ModesOf,
  NameSet,
  NodeOptions,
  NodeProgram,
  PolicyModes,
} from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
export { sameRuleset, tellApart } from "./ruleset/sameness.js";
export { type Comments, rulesetText } from "./ruleset/text.js";
