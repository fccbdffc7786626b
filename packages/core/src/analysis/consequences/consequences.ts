import { type ChangedBlock, type Engine, realPorts } from "../../engine/index.js";
import { Reader } from "../endpoints/reader.js";
import { type ChangedConnections, ConnectionTally } from "./changed-connections.js";
import { ChangedSides } from "./changed-side.js";
import { LostWorkloads, type WorkloadsWithout } from "./lost-workloads.js";

/**
 * What an engine's update did to connections, in numbers. A preview reports them to users who have no time to compare two
 * states. The cost is proportional to what the update touched.
 */
export interface Consequences {
  /** Allowed before, denied now. */
  readonly denied: ChangedConnections | undefined;
  /** Denied before, allowed now. */
  readonly allowed: ChangedConnections | undefined;
  /** Allowed before; the verdict now depends on missing information. */
  readonly unsure: ChangedConnections | undefined;
  readonly lost: readonly WorkloadsWithout[];
}

/** `pairs` are those that the latest update of the engine reported. */
export function consequencesOf(
  engine: Engine,
  pairs: Iterable<ChangedBlock>,
  reader: Reader = new Reader(),
): Consequences {
  const { ports, cluster } = engine;
  const real = realPorts(ports);
  const sides = new ChangedSides(cluster, reader);
  const tally = () => new ConnectionTally(sides, ports, reader);
  const [denied, allowed, unsure] = [tally(), tally(), tally()];
  const lost = new LostWorkloads(cluster, sides, ports, reader);
  for (const one of pairs) {
    const { before, after } = one;
    const was = ports.intersect(real, before.allowed);
    const is = ports.intersect(real, after.allowed);
    const now = ports.subtract(ports.subtract(was, is), after.undecided);
    denied.add(one, now);
    lost.add(one);
    allowed.add(one, ports.subtract(ports.subtract(is, was), before.undecided));
    unsure.add(one, ports.intersect(was, after.undecided));
  }
  return { denied: denied.found(), allowed: allowed.found(), unsure: unsure.found(), lost: lost.found() };
}
