export type { BookEntry, NameSet, NodeOptions, NodeProgram } from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
export { FileSource, type FileSourceOptions } from "./source/file-source.js";
