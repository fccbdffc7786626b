import type { Path } from "../../diagnostics/place.js";
import { type LabelSelector, namespaceNamed, toMatch } from "../../labels/requirement.js";
import { parseCidr } from "../../net/cidr.js";
import { type Lowered, type PlacedRule, ranks } from "../../policy/assemble.js";
import type { Direction, Peer, PodSelection } from "../../policy/model.js";
import type { Static } from "../../schema/schema.js";
import { failClosed, type LowerContext, notEnforced, originOf } from "../dialect.js";
import { lowerPolicyPorts } from "../policy-port.js";
import type { networkPolicy } from "./schema.js";

type Spec = Static<typeof networkPolicy>["spec"];
type RulePeer = NonNullable<NonNullable<NonNullable<Spec["ingress"]>[number]["from"]>[number]>;

/** Section 2: rules allow, and the subject is isolated in each direction the policy speaks of. */
export function lowerNetworkPolicy(policy: Static<typeof networkPolicy>, context: LowerContext): Lowered {
  // What a cluster holds may lack anything, whatever the types say; without a spec it is an empty one.
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
      hint: "Write `podSelector: {}` to say so.",
    });
  const subject: PodSelection = {
    namespaces: namespaceNamed(namespace),
    pods: toMatch(spec.podSelector ?? {}),
  };
  const directions = directionsOf(spec, context);
  return {
    rules: directions.flatMap((direction) => lowerRules(spec, direction, subject, namespace, context)),
    isolation: directions.map((direction) => ({
      tier: "network-policy",
      direction,
      subject,
      origin: { kind: "policy", policy: context.policy },
    })),
  };
}

// S2.1; a type of policy that is not known may be about either direction (S3.6).
function directionsOf(spec: Spec, context: LowerContext): readonly Direction[] {
  if (context.unreadable(["spec", "policyTypes"])) return ["ingress", "egress"];
  const types = spec.policyTypes ?? [];
  if (types.length > 0)
    return (["ingress", "egress"] as const).filter((d) =>
      types.includes(d === "ingress" ? "Ingress" : "Egress"),
    );
  const hasEgress = (spec.egress ?? []).length > 0 || context.unreadable(["spec", "egress"]);
  return hasEgress ? ["ingress", "egress"] : ["ingress"];
}

function lowerRules(
  spec: Spec,
  direction: Direction,
  subject: PodSelection,
  namespace: string,
  context: LowerContext,
): PlacedRule[] {
  return (spec[direction] ?? []).map((written, i) => {
    const path: Path = ["spec", direction, i];
    const unreadable = written === undefined || context.unreadable(path) ? ["a part of it"] : [];
    const peers =
      unreadable.length > 0 ? [] : "from" in written ? written.from : "to" in written ? written.to : [];
    const rule = failClosed(
      {
        subject,
        action: "Allow",
        // S2.2: a missing or empty list is everything.
        peers: unreadable.length > 0 ? [] : lowerPeers(peers ?? [], namespace),
        ports: unreadable.length > 0 ? [] : lowerPolicyPorts(written.ports ?? []),
        origin: originOf(context, direction, path),
      },
      true,
      unreadable,
    );
    return { tier: "network-policy", rank: ranks.networkPolicy.allow, precedence: 0, rule };
  });
}

function lowerPeers(peers: readonly RulePeer[], namespace: string): readonly Peer[] {
  return peers.length === 0 ? [{ kind: "everything" }] : peers.map((peer) => lowerPeer(peer, namespace));
}

function lowerPeer({ ipBlock, podSelector, namespaceSelector }: RulePeer, namespace: string): Peer {
  if (ipBlock !== undefined)
    return {
      kind: "networks",
      cidrs: [parseCidr(ipBlock.cidr)!],
      except: (ipBlock.except ?? []).map((text) => parseCidr(text)!),
      reach: "every-address",
    };
  const match = (selector: LabelSelector | undefined) => toMatch(selector ?? {});
  return {
    kind: "pods",
    namespaces: {
      kind: "selector",
      match: namespaceSelector === undefined ? namespaceNamed(namespace) : match(namespaceSelector),
    },
    pods: { kind: "selector", match: match(podSelector) },
  };
}
