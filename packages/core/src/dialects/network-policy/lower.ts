import type { Path } from "../../diagnostics/place.js";
import { namespaceNamed, toMatch } from "../../labels/requirement.js";
import { parseCidr } from "../../net/cidr.js";
import { type Lowered, type PlacedRule, ranks } from "../../policy/assemble.js";
import {
  type Direction,
  directions,
  type Peer,
  type PodSelection,
  podsPeer,
  type Rule,
} from "../../policy/model.js";
import type { Static } from "../../schema/schema.js";
import {
  failClosed,
  isolating,
  type LowerContext,
  notEnforced,
  originOf,
  unreadableParts,
} from "../dialect.js";
import { lowerPolicyPorts } from "../policy-port.js";
import type { networkPolicySchema } from "./schema.js";

type Spec = Static<typeof networkPolicySchema>["spec"];
type WrittenRule = NonNullable<Spec["ingress"]>[number] & NonNullable<Spec["egress"]>[number];
type RulePeer = NonNullable<WrittenRule["from"]>[number];

/** Section 2: rules allow, and the subject is isolated in each direction that the policy applies to. */
export function lowerNetworkPolicy(
  policy: Static<typeof networkPolicySchema>,
  context: LowerContext,
): Lowered {
  // An object of a cluster may lack any field, whatever the types say; a missing spec is an empty one.
  const spec: Spec = policy.spec ?? {};
  const namespace = context.policy.namespace ?? "default";
  if (context.unreadable(["spec", "podSelector"]))
    return notEnforced(context, ["spec", "podSelector"], "its pod selector");
  if (spec.podSelector === undefined)
    context.warn({
      code: "TW2018",
      path: ["spec"],
      at: "key",
      message: "`podSelector` is missing; the policy applies to every pod of its namespace",
      hint: "Write `podSelector: {}` to make this explicit.",
    });
  const subject: PodSelection = {
    namespaces: namespaceNamed(namespace),
    pods: toMatch(spec.podSelector ?? {}),
  };
  const isolated = directionsOf(spec, context);
  return {
    rules: isolated.flatMap((direction) => lowerRules(spec, direction, subject, namespace, context)),
    isolation: isolated.map((direction) => isolating(context, "network-policy", direction, subject)),
  };
}

// S2.1; an unknown policy type may apply to either direction (S3.6).
function directionsOf(spec: Spec, context: LowerContext): readonly Direction[] {
  if (context.unreadable(["spec", "policyTypes"])) return directions;
  const types = spec.policyTypes ?? [];
  if (types.length > 0)
    return directions.filter((one) => types.includes(one === "ingress" ? "Ingress" : "Egress"));
  const hasEgress = (spec.egress ?? []).length > 0 || context.unreadable(["spec", "egress"]);
  return hasEgress ? directions : ["ingress"];
}

function lowerRules(
  spec: Spec,
  direction: Direction,
  subject: PodSelection,
  namespace: string,
  context: LowerContext,
): PlacedRule[] {
  return ((spec[direction] ?? []) as readonly WrittenRule[]).map((written, i) => {
    const path: Path = ["spec", direction, i];
    const draft = { subject, action: "Allow", origin: originOf(context, direction, path) } as const;
    const unreadable = written === undefined ? ["a part of it"] : unreadableParts(context, path, []);
    const rule =
      unreadable.length > 0
        ? failClosed({ ...draft, peers: [], ports: [] }, true, unreadable)
        : { ...draft, ...lowerMatch(written, namespace) };
    return { tier: "network-policy", rank: ranks.networkPolicy.allow, precedence: 0, rule };
  });
}

// S2.2: a missing or empty list is everything.
function lowerMatch({ from, to, ports = [] }: WrittenRule, namespace: string): Pick<Rule, "peers" | "ports"> {
  const peers = from ?? to ?? [];
  return {
    peers: peers.length === 0 ? [{ kind: "everything" }] : peers.map((peer) => lowerPeer(peer, namespace)),
    ports: lowerPolicyPorts(ports),
  };
}

function lowerPeer({ ipBlock, podSelector, namespaceSelector }: RulePeer, namespace: string): Peer {
  if (ipBlock !== undefined)
    return {
      kind: "networks",
      cidrs: [parseCidr(ipBlock.cidr)!],
      except: (ipBlock.except ?? []).map((text) => parseCidr(text)!),
      reach: "every-address",
    };
  const namespaces = namespaceSelector === undefined ? namespaceNamed(namespace) : toMatch(namespaceSelector);
  return podsPeer(namespaces, toMatch(podSelector ?? {}));
}
