import type { LabelMatch } from "../labels/requirement.js";
import { isSatisfiable } from "../labels/satisfiable.js";
import type { PodSelection } from "./model.js";

/** Whether some pod could be selected by both, in some cluster. */
export function subjectsCanMeet(a: PodSelection, b: PodSelection): boolean {
  return (
    fulfillable(a.namespaces, b.namespaces) &&
    fulfillable(a.pods, b.pods) &&
    fulfillable(a.account, b.account)
  );
}

const fulfillable = (a: LabelMatch = [], b: LabelMatch = []): boolean => isSatisfiable([...a, ...b]);
