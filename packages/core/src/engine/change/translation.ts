import type { AnswerId, Answers } from "../compile/answers.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/** The answers of one engine as the numbers by which another knows them. */
export class Translation {
  private readonly known = new Map<AnswerId, AnswerId>();
  /** The answers that were compared last: most pairs have the same answers as the previous pair. */
  private lastFrom: AnswerId = -1;
  private lastTo: AnswerId = -1;
  private readonly real: PortSetId;

  constructor(
    private readonly from: Answers,
    private readonly to: Answers,
  ) {
    this.real = realPorts(to.ports);
  }

  of(answer: AnswerId): AnswerId {
    const known = this.known.get(answer);
    if (known !== undefined) return known;
    const imported = (id: PortSetId) => this.to.ports.import(this.from.ports.bordersOf(id));
    const made = this.to.of(imported(this.from.allowed(answer)), imported(this.from.undecided(answer)));
    this.known.set(answer, made);
    return made;
  }

  /** Whether they say the same about every port that there is. */
  isSame(from: AnswerId, to: AnswerId): boolean {
    if (from === this.lastFrom && to === this.lastTo) return true;
    if (!this.areEqual(this.of(from), to)) return false;
    this.lastFrom = from;
    this.lastTo = to;
    return true;
  }

  private areEqual(a: AnswerId, b: AnswerId): boolean {
    if (a === b) return true;
    const { ports } = this.to;
    const differ = (x: PortSetId, y: PortSetId) =>
      ports.intersect(this.real, ports.union(ports.subtract(x, y), ports.subtract(y, x))) !== noPorts;
    return (
      !differ(this.to.allowed(a), this.to.allowed(b)) && !differ(this.to.undecided(a), this.to.undecided(b))
    );
  }
}

/** All ports except port 0. Rules can distinguish port 0 from others, but no connection uses it. */
export function realPorts(ports: PortSets): PortSetId {
  const transports = (["TCP", "UDP", "SCTP"] as const).map((protocol) => ports.range(protocol, 1, 65535));
  return transports.reduce((a, b) => ports.union(a, b), ports.range("ICMP", 0, 0));
}
