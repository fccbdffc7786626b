export { NodeCompiler } from "./compile/node-compiler.js";
export { annotationsOf, ruleLine } from "./ruleset/annotations.js";
export { differenceText } from "./ruleset/difference-text.js";
export { type Additions, frame } from "./ruleset/frame.js";
export { annotatedModes } from "./ruleset/policy-modes.js";
export type {
  BookEntry,
  ModesOf,
  NameSet,
  NodeOptions,
  NodeProgram,
  PolicyModes,
} from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
export { type Annotations, rulesetText } from "./ruleset/text.js";
