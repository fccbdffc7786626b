export type { AgentOptions, SourceOptions } from "./agent-options.js";
export { cleanUp } from "./command/clean-up.js";
export { runAgent } from "./command/run-agent.js";
export { type TrialOptions, tryRules } from "./command/try-rules.js";
export { NodeCompiler } from "./compile/node-compiler.js";
export {
  type Applied,
  type Drift,
  type FrameOf,
  KernelTable,
  type KernelTableOptions,
} from "./kernel/kernel-table.js";
export type { Outcome } from "./kernel/outcome.js";
export { frameFor } from "./loop/enforcement.js";
export { withRanges } from "./loop/range-trust.js";
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
export { type Annotations, rulesetText } from "./ruleset/text.js";
export { askAgent } from "./see/ask-agent.js";
export type { AuditLine } from "./see/audit-line.js";
export type { SuppressedLine } from "./see/audit.js";
export { type ControlHandlers, serveControl } from "./see/control.js";
export type { Count } from "./kernel/counters.js";
export type { SavedCounts } from "./see/counts.js";
export { type HitsReport, hitsReport, hitsText, neverHit, type RuleHits } from "./see/hits.js";
export type { AgentMetrics } from "./see/metrics.js";
export { isLogged, modesOf } from "./see/modes.js";
export { Observer, type ObserverOptions } from "./see/observer.js";
export { readStateFile } from "./see/state-file.js";
export { type AgentStatus, type SourceStatus, statusText } from "./see/status.js";
export type { DnsEvent, OnDnsEvent, Refusal, Stray } from "./dns/event.js";
export { defaultLifetimes, type Lifetimes } from "./dns/learned-names.js";
export { type Inside, InsideAddresses } from "./dns/inside-addresses.js";
export { NameService, type NameServiceOptions } from "./dns/name-service.js";
export { ClusterReach, type Reach, type Upstream } from "./dns/reach.js";
export { type DnsPart, dnsPart, type SocketAddress } from "./dns/redirect.js";
export { changesText, type SetChange, type TimedElement } from "./ruleset/set-change.js";
export { type LeftElement, leftElements } from "./dns/timed-elements.js";
export { FileSource, type FileSourceOptions } from "./source/file-source.js";
export { annotationsOf, ruleLine } from "./ruleset/annotations.js";
export { differenceText } from "./ruleset/difference-text.js";
