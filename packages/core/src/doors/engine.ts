/*
 * `@tierwall/core/engine`: how verdicts are found; one by the evaluator, all of them by the engine.
 */

export { domainMatches } from "../evaluate/domain.js";
export { evaluate } from "../evaluate/evaluate.js";
export { explore, type Unknowns } from "../evaluate/facts.js";
export { isSubject, peerMatches } from "../evaluate/match.js";
export type { Decider } from "../evaluate/walk.js";
export {
  type ChangedBlock,
  type Changes,
  compile,
  type Engine,
  isRelative,
  listDifference,
  type Member,
  namedNamespaces,
  namespaceFits,
  peerKey,
  realPorts,
  serviceKey,
  serviceTargets,
  type SettledPeer,
  settlePeer,
  type Update,
  type Use,
  type Vocabulary,
  vocabularyOf,
} from "../engine/index.js";
export { AddressAtoms } from "../sets/address-atoms.js";
export { lastAtMost } from "../sets/sorted.js";
