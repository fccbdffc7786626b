import { countsOf, getOrInsert } from "../../collections/maps.js";
import type { EndsInBoth, JointClass } from "../../engine/index.js";
import { compareParties, type Grain, type Party, partyKey, partyOf } from "../endpoints/party.js";

/** How many ends of a class belong to a party. */
export interface PartyShare {
  readonly party: number;
  readonly size: number;
}

/** The parties of two states, numbered by name, with nodes last. */
export class PartiesInBoth {
  readonly list: readonly Party[];
  /** By party: how many pods or nodes it has. */
  readonly sizes: readonly number[];
  private readonly numbers = new Map<string, number>();
  private readonly shares = new Map<JointClass, readonly PartyShare[]>();

  constructor(
    readonly ends: EndsInBoth,
    readonly grain: Grain,
  ) {
    const found = new Map<string, { readonly party: Party; size: number }>();
    for (const joint of ends.classes)
      for (const party of this.partiesOf(joint))
        getOrInsert(found, partyKey(party), () => ({ party, size: 0 })).size++;
    const sorted = [...found.values()].toSorted((a, b) => compareParties(a.party, b.party));
    this.list = sorted.map(({ party }) => party);
    this.sizes = sorted.map(({ size }) => size);
    for (const [number, party] of this.list.entries()) this.numbers.set(partyKey(party), number);
  }

  numberOf(party: Party): number {
    return this.numbers.get(partyKey(party))!;
  }

  /** The parties that the ends of a class belong to. */
  of(joint: JointClass): readonly PartyShare[] {
    return getOrInsert(this.shares, joint, () => {
      const numbers = Array.from(this.partiesOf(joint), (party) => this.numberOf(party));
      return Array.from(countsOf(numbers), ([party, size]) => ({ party, size }));
    });
  }

  private *partiesOf(joint: JointClass): Iterable<Party> {
    for (const { after } of this.ends.membersOf(joint))
      if (after.kind !== "external") yield partyOf(after, this.grain);
  }
}
