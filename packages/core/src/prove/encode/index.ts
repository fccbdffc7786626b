export {
  byDirection,
  Connection,
  type EndKind,
  endKinds,
  families,
  type LabelScope,
  labelScopes,
  type OwnerAct,
  ownerActs,
  protocols,
} from "./connection.js";
export { ruleContent, subjectContent } from "./content.js";
export { EncodedWalk, type Steps } from "./encoded-walk.js";
export { Encoding, type Models } from "./encoding.js";
export { Formula } from "./formula.js";
export { type End, endOf, ends, LabelPair, otherEnd } from "./label-pair.js";
export { Matching } from "./match.js";
export type { OrderedValue } from "./ordered-value.js";
export { isSideDependent, type OwnerRule, OwnerRules, type WriteRules } from "./owner-rules.js";
