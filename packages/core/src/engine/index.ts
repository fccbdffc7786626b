export {
  type Change,
  type ChangedBlock,
  type ChangedSide,
  groupsOf,
  type NearnessInBoth,
  type Pair,
} from "./change/changed-block.js";
export { type ChangedPart, ChangedParts, type PartSide } from "./change/changed-parts.js";
export { compileBoth } from "./change/compile-both.js";
export type { DecidedChange, DecidedDirection } from "./change/decided-changes.js";
export { diffEngines, type Difference } from "./change/diff.js";
export type { EndInBoth, EndsInBoth, JointClass, JointGroup } from "./change/ends-in-both.js";
export { realPorts } from "./change/translation.js";
export type { Changes, Update } from "./change/update.js";
export { type EndClass, type Ends, type Member, sizeOf } from "./classes/ends.js";
export { difference as listDifference } from "./classes/list-difference.js";
export { endpointOf, endpointsOf, nearnessOf, nodeOf } from "./classes/members.js";
export { matchKey, namedNamespaces, namespaceFits } from "./classes/selection.js";
export { isRelative, peerKey, type SettledPeer, settleLabels, settlePeer } from "./classes/settled-peer.js";
export { canTalk } from "./classes/talking.js";
export {
  serviceKey,
  serviceTargets,
  type ServiceTargets,
  type Vocabulary,
  vocabularyOf,
} from "./classes/vocabulary.js";
export { Answers } from "./compile/answers.js";
export { columnOf, type Layer, type Nearness, type Other } from "./compile/layer.js";
export { OutcomeRows } from "./compile/outcome-rows.js";
export { type CellStates, isSure } from "./walk/cell-states.js";
export { isSettled } from "./walk/outcomes.js";
export { type LaneSink, startLane, walkRules, walkTier } from "./usage/lane-walk.js";
export type { Row } from "./compile/tier-rows.js";
export type { TierTable } from "./compile/tier-table.js";
export type { View } from "./compile/view.js";
export { compile, Engine } from "./engine.js";
export type { Block } from "./pairs/blocks.js";
export type { EndGroup } from "./pairs/end-groups.js";
export type { ExternalBlock } from "./pairs/external-pairs.js";
export { addressKinds } from "./pairs/outside-cuts.js";
export { type AddressRange, OutsideAnswers } from "./pairs/outside-runs.js";
export type { Reached, ReachedAddresses, ReachedEnds } from "./pairs/reach.js";
export { type Denials, denialsFrom, noDenials } from "./usage/denials.js";
export type { DeciderEffect, DeciderEffects } from "./usage/decider-effects.js";
export {
  type Lane,
  type LaneItem,
  type LaneReader,
  type LaneTier,
  readLanes,
  showLanes,
} from "./usage/lanes.js";
export type { EndpointEffects } from "./usage/endpoint-effects.js";
export { type RuleNeed, RuleNeeds } from "./usage/rule-need.js";
export type { Use } from "./usage/rule-use.js";
export { flowAt, type WitnessCell, witnessIn } from "./usage/witness-cell.js";
export { type PortsByCell, TakenPorts } from "./usage/taken-ports.js";
export { ColumnWalk } from "./walk/column-walk.js";
export { type DecidedPorts, Deciders } from "./walk/deciders.js";
export { type DirectionExplanation, type FlowExplanation, noWalk } from "./walk/explanation.js";
export type { IsolatedPods } from "./walk/isolated.js";
export { isolatingOf } from "./walk/isolating.js";
export { SharedExplanations } from "./walk/shared-explanations.js";
