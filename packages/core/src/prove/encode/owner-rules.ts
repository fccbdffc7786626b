import type { JsonObject } from "../../manifest/document.js";
import type { Direction, Peer, PortMatch } from "../../policy/model.js";
import { type Literal, not } from "../sat/index.js";
import type { Connection } from "./connection.js";
import { pairContent } from "./content.js";
import { endOf } from "./label-pair.js";
import type { Matching } from "./match.js";

/** A rule of a CiliumNetworkPolicy that the owner of a namespace adds for all pods in it. */
export interface OwnerRule {
  readonly direction: Direction;
  readonly action: "Allow" | "Deny";
  readonly peer: Peer;
  readonly port: PortMatch | "every";
}

/** Writes rules as policies; the namespace is that of the pod at which a direction is decided. */
export type WriteRules = (
  rules: readonly OwnerRule[],
  namespaceOf: (direction: Direction) => string,
) => readonly JsonObject[];

/*
 * What owners can do to one connection of two sets of policies, besides what they do to both alike (S11.6):
 *
 *   Allow   exactly the peer and port of an L7 rule, which removes its condition (S7.7). It depends on how the peer is written
 *           whether it does, so that one policy of an owner can remove the condition on one side only.
 *   Deny    a CiliumCIDRGroup, which can have other addresses on the other side.
 *
 * Each is one literal for both sides.
 */
export class OwnerRules {
  private readonly known = new Map<string, { readonly rule: OwnerRule; readonly literal: Literal }>();

  constructor(
    private readonly connection: Connection,
    /** Given, because only a comparison of two sets needs it. */
    readonly write: WriteRules,
    /** Those that are not the same on both sides. */
    private readonly groups: readonly Extract<Peer, { kind: "cidr-group" }>[] = [],
  ) {}

  get all(): readonly { readonly rule: OwnerRule; readonly literal: Literal }[] {
    return [...this.known.values()];
  }

  /** An owner plainly allows exactly this peer and this port. */
  allows(direction: Direction, peer: Peer, port: PortMatch | "every", matching: Matching): Literal {
    return this.literalOf({ direction, action: "Allow", peer, port }, (literal) => {
      const { formula, owners } = this.connection;
      // Its policy is one that allows the connection, unless the peer is another one on the other side.
      formula.require(not(literal), owners[direction].allow);
      if (isSideDependent(peer)) return;
      formula.require(not(literal), matching.peerMatches(peer, endOf(direction)));
      if (port !== "every") formula.require(not(literal), matching.portMatches(port));
    });
  }

  /** An owner denies it because of what `matching` knows about a group. */
  denies(direction: Direction, matching: Matching): Literal {
    const { formula } = this.connection;
    return formula.or(
      this.groups.map((peer) =>
        formula.and([
          this.literalOf({ direction, action: "Deny", peer, port: "every" }),
          matching.peerMatches(peer, endOf(direction)),
        ]),
      ),
    );
  }

  private literalOf(rule: OwnerRule, constrain: (literal: Literal) => void = () => undefined): Literal {
    const key = `${rule.direction} ${rule.action} ${pairContent(rule.peer, rule.port)}`;
    const found = this.known.get(key);
    if (found !== undefined) return found.literal;
    const literal = this.connection.formula.variable();
    this.known.set(key, { rule, literal });
    constrain(literal);
    return literal;
  }
}

/** Whether a peer can be something else on the other side, although it is written alike. */
export const isSideDependent = ({ kind }: Peer): boolean => kind === "cidr-group";
