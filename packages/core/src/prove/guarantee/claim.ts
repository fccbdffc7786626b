import type { Place } from "../../diagnostics/place.js";
import { type LabelMatch, type Labels, namespaceNameLabel } from "../../labels/requirement.js";
import type { Cidr } from "../../net/cidr.js";
import type { Peer, PortMatch } from "../../policy/model.js";
import { type Encoding, type End, ends, otherEnd } from "../encode/index.js";
import { type Literal, not, TRUE } from "../sat/index.js";

/** What a Guarantee claims, in the words of the model. */
export interface Claim {
  readonly from: readonly ClaimedEnd[];
  readonly to: readonly ClaimedEnd[];
  readonly ports: readonly PortMatch[] | "every";
  readonly exceptPorts: readonly PortMatch[];
  readonly verdict: "Allow" | "Deny";
  readonly whatever: Whatever;
  readonly assumptions: readonly Assumption[];
}

/** Relative sets compare with the other end. */
export type ClaimedEnd = Peer | { readonly kind: "host-network-pods" };

/** What namespace owners may do to their policies: S11.2. */
export const ownerModes = ["anything", "more", "as-written"] as const;
export type OwnerMode = (typeof ownerModes)[number];

export interface Whatever {
  readonly networkPolicies: OwnerMode;
  /** Without it: as NetworkPolicies where the input has policies of Cilium, and else nothing is written. */
  readonly ciliumNetworkPolicies?: OwnerMode;
}

/** What is assumed about every cluster: an implication about each endpoint (S11.4). */
export type Assumption = AssumptionBody & { readonly text: string; readonly place: Place };

export type AssumptionBody =
  | {
      readonly kind: "every";
      readonly scope: "namespace" | "pod" | "node";
      readonly with: LabelMatch;
      readonly has: LabelMatch;
    }
  | { readonly kind: "only"; readonly namespaces: readonly string[]; readonly with: LabelMatch }
  | { readonly kind: "as-deployed"; readonly namespaces: ReadonlyMap<string, Labels> }
  | { readonly kind: "addresses"; readonly pods: readonly Cidr[]; readonly nodes: readonly Cidr[] };

/** What a claim is about: connections from such an end to such an end on such a port. */
export function premiseOf({ from, to, ports, exceptPorts }: Claim, encoding: Encoding): Literal {
  const { matching, connection } = encoding;
  const { formula } = connection;
  const isEnd = (list: readonly ClaimedEnd[], end: End): Literal =>
    formula.or(
      list.map((claimed) =>
        claimed.kind === "host-network-pods"
          ? connection.is(end, "host-network pod")
          : matching.peerMatches(claimed, otherEnd(end)),
      ),
    );
  return formula.and([
    isEnd(from, "source"),
    isEnd(to, "destination"),
    matching.portsMatch(ports),
    not(matching.portsMatch(exceptPorts)),
  ]);
}

/** A connection that the claim is about, and that it does not hold for. */
export const violationOf = ({ verdict }: Claim, { allowed, allowedPlainly }: Encoding): Literal =>
  verdict === "Deny" ? allowed : not(allowedPlainly);

/** Call it when everything else of the claim is encoded: labels as deployed are those that something mentions. */
export function assumptionLiteral(assumption: Assumption, encoding: Encoding): Literal {
  const { connection, matching } = encoding;
  const { formula } = connection;
  return formula.and(
    ends.map((end) => {
      const isPod = connection.is(end, "pod");
      const namespaceIs = (name: string) => connection.label("namespace", namespaceNameLabel).is(end, name);
      switch (assumption.kind) {
        case "every": {
          const { scope } = assumption;
          const isMeant = scope === "node" ? connection.isHost(end) : isPod;
          const premise = matching.selects(scope, assumption.with, end);
          return formula.or([not(isMeant), not(premise), matching.selects(scope, assumption.has, end)]);
        }
        case "only": {
          const premise = matching.selects("namespace", assumption.with, end);
          return formula.or([not(isPod), not(premise), ...assumption.namespaces.map(namespaceIs)]);
        }
        case "as-deployed":
          return formula.and(
            [...assumption.namespaces].map(([name, labels]) =>
              formula.or([not(isPod), not(namespaceIs(name)), hasLabels(labels, end, encoding)]),
            ),
          );
        case "addresses":
          return addressesLiteral(assumption, end, encoding);
      }
    }),
  );
}

function hasLabels(labels: Labels, end: End, { connection }: Encoding): Literal {
  const keys = connection.labels.get("namespace") ?? new Map<string, never>();
  return connection.formula.and(
    [...keys].map(([key, pair]) => {
      if (key === namespaceNameLabel) return TRUE;
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? not(pair.present(end)) : pair.is(end, value);
    }),
  );
}

/** Pods and nodes have addresses in their ranges, and external endpoints have not. */
function addressesLiteral(
  { pods, nodes }: Extract<AssumptionBody, { kind: "addresses" }>,
  end: End,
  { connection }: Encoding,
): Literal {
  const { formula } = connection;
  const within = (cidrs: readonly Cidr[]) => formula.or(cidrs.map((cidr) => connection.isIn(end, cidr)));
  const isExternal = connection.is(end, "external");
  const inRange = (isMeant: Literal, cidrs: readonly Cidr[]) =>
    cidrs.length === 0
      ? TRUE
      : formula.and([
          formula.or([not(isMeant), within(cidrs)]),
          formula.or([not(isExternal), not(within(cidrs))]),
        ]);
  return formula.and([inRange(connection.is(end, "pod"), pods), inRange(connection.isHost(end), nodes)]);
}
