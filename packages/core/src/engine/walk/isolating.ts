import type { PodEndpoint } from "../../evaluate/flow.js";
import { isolatingIn } from "../../evaluate/walk.js";
import type { Isolation, Tier } from "../../policy/model.js";
import type { Row } from "../compile/tier-rows.js";

const known = new WeakMap<Row, readonly Isolation[]>();

/** Who isolates the subjects of a row, each policy once. */
export function isolatingOf(tier: Tier, row: Row): readonly Isolation[] {
  const found =
    known.get(row) ?? isolatingIn({ ...tier, isolation: row.isolation }, row.subject.sample as PodEndpoint);
  known.set(row, found);
  return found;
}
