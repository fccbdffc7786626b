export type { BookEntry, NameSet, NodeOptions, NodeProgram } from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
