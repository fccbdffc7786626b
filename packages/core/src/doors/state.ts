/*
 * `@tierwall/core/state`: manifests or live objects as a state, a cluster and its policies lowered to tiers; edits and snapshots of it.
 */

export { getOrInsert, grouped } from "../collections/maps.js";
export { keptClusterObject } from "../state/snapshot/kept-cluster-object.js";
export { type Admission, admissionOf } from "../state/admission.js";
export { caveatsOfAll, mergedCaveats } from "../state/caveat.js";
export { deletePolicy, type EditedPolicies, editPolicies } from "../state/edit/edited-policies.js";
export { type EditedState, readEdited } from "../state/edit/edited-state.js";
export { parseRemoval, type Removal } from "../state/edit/removal.js";
export { changedEntries, editedMap } from "../state/live/edited-map.js";
export { keyOf, type LiveOptions, LiveState, type Moment } from "../state/live/live-state.js";
export { readCluster } from "../state/read-cluster.js";
export { servedObject, servedText } from "../state/snapshot/served-text.js";
export { snapshotObject, type Unseen } from "../state/snapshot/snapshot-kind.js";
export { snapshotOf } from "../state/snapshot/snapshot.js";
export {
  duplicate,
  ownPolicies,
  type PolicyDefinition,
  readState,
  readStates,
  type State,
  type StateOptions,
} from "../state/state.js";
export { connectivityTestKind } from "../state/test-kind.js";
export { readOptions, writtenOptions } from "../state/written-options.js";
