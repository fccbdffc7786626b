/*
 * `@tierwall/core/manifest`: texts as documents with places, the schemas of their kinds, and how mistakes are reported.
 */

export {
  type Document,
  isObject,
  type Json,
  type JsonObject,
  type ParsedDocument,
} from "../manifest/document.js";
export type { ManifestObject } from "../manifest/object.js";
export { parseManifest } from "../manifest/parse.js";
export { readObjects } from "../manifest/read.js";
export { writeYaml } from "../manifest/yaml/write-yaml.js";
export { locateProblem } from "../schema/locate-problem.js";
export {
  type Alternative,
  boolean,
  type Constraint,
  type Fields,
  type Format,
  list,
  object,
  type ObjectSchema,
  oneOf,
  type Schema,
  string,
} from "../schema/schema.js";
export { validate } from "../schema/validate.js";
export { parseLabelExpression } from "../dialects/cilium/identity-labels.js";
export { apiVersionsOf, type PolicyKind } from "../dialects/dialect.js";
export { policyKinds as dialects } from "../dialects/registry.js";
export { foreignGroups, type ForeignKind, foreignKinds } from "../foreign/kinds.js";
export { type ForeignObject, formatForeign } from "../foreign/object.js";
export { diagnostic } from "../diagnostics/diagnostic.js";
export { clusterFile, formatPath, type Path } from "../diagnostics/place.js";
export { didYouMean } from "../diagnostics/suggest.js";
export { diagnostics } from "../diagnostics/table.js";
export { affectsAnswers } from "../diagnostics/answer-codes.js";
