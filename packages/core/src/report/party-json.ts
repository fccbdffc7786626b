import type { MatrixEnd } from "../analysis/matrix/matrix.js";
import { formatParty, type Party } from "../analysis/endpoints/party.js";
import { formatRange } from "../net/region.js";
import type { JsonFields } from "./explanation/explanation-json.js";

/** `{kind, namespace, name, workload}`, as far as it has them; `workload` is the kind of workload. */
export function partyJson(party: Party): JsonFields {
  return { ...party };
}

/** The same, and `{kind: "external", range}`. */
export function matrixEndJson(end: MatrixEnd): JsonFields {
  return end.kind === "external" ? { kind: "external", range: matrixEndText(end) } : partyJson(end);
}

/** `shop/cart`, `namespace shop`, `node worker-1`, `10.0.0.0/8`. */
export function matrixEndText(end: MatrixEnd): string {
  if (end.kind !== "external") return formatParty(end);
  const { family, first, last } = end.range;
  return formatRange(family, first, last);
}
