export { NodeCompiler } from "./compile/node-compiler.js";
export { type Additions, frame } from "./ruleset/frame.js";
export type {
  BookEntry,
  ModesOf,
  NameSet,
  NodeOptions,
  NodeProgram,
  PolicyModes,
} from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
export { type Comments, rulesetText } from "./ruleset/text.js";
