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
export { endOf } from "./encoded-walk.js";
export { Encoding } from "./encoding.js";
export { type End, ends, LabelPair, otherEnd } from "./label-pair.js";
export type { OrderedValue } from "./ordered-value.js";
