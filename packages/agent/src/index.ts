export type { DnsEvent, OnDnsEvent, Refusal, Stray } from "./dns/event.js";
export { defaultLifetimes, type Lifetimes } from "./dns/learned-names.js";
export { NameService, type NameServiceOptions } from "./dns/name-service.js";
export { ClusterReach, type Reach, type Upstream } from "./dns/reach.js";
export { type DnsPart, dnsPart, type SocketAddress } from "./dns/redirect.js";
export { changesText, type SetChange, type TimedElement } from "./dns/set-change.js";
export { type LeftElement, leftElements } from "./dns/timed-elements.js";
export type { BookEntry, NameSet, NodeOptions, NodeProgram } from "./ruleset/program.js";
export type { Chain, NamedSet, Ruleset } from "./ruleset/ruleset.js";
