import { getOrInsert } from "../../collections/maps.js";
import { formatPath, type Path } from "../../diagnostics/place.js";
import { type Lowered, type PlacedIsolation, type PlacedRule, ranks } from "../../policy/assemble.js";
import {
  type Action,
  type Condition,
  type Direction,
  directions,
  type Peer,
  type PodSelection,
  type PortMatch,
} from "../../policy/model.js";
import {
  failClosed,
  isolating,
  type LowerContext,
  originOf,
  placedRules,
  unreadableParts,
} from "../dialect.js";
import { type Identities, identitiesFor, lowerIdentitySubject } from "./identity-selector.js";
import { lowerIcmps } from "./icmp.js";
import { conditionOf } from "./l7.js";
import { lowerPeers, type WrittenPeers } from "./peers.js";
import { lowerPort } from "./ports.js";
import { type CiliumPolicy, type CiliumRule, type CiliumItem, sections } from "./schema.js";
import { warnAboutItem, warnAboutRule } from "./warnings.js";

type Section = (typeof sections)[number];

/** Section 7: `spec` and each of `specs` is an independent rule (S7.1). */
export function lowerCiliumPolicy({ spec, specs }: CiliumPolicy, context: LowerContext): Lowered {
  const lowered = [
    ...(spec !== undefined || context.unreadable(["spec"]) ? [lowerRule(spec, ["spec"], context)] : []),
    ...(specs ?? []).map((rule, i) => lowerRule(rule, ["specs", i], context)),
  ];
  return {
    rules: lowered.flatMap((part) => part.rules),
    isolation: lowered.flatMap((part) => part.isolation),
  };
}

function lowerRule(rule: CiliumRule | undefined, path: Path, context: LowerContext): Lowered {
  const nothing: Lowered = { rules: [], isolation: [] };
  const selector = rule?.endpointSelector;
  const unclear = ["endpointSelector", "nodeSelector"].some((field) => context.unreadable([...path, field]));
  if (rule === undefined || unclear || (selector === undefined && rule.nodeSelector === undefined)) {
    // S3.6: each of the other rules of the object is enforced if its subject is known.
    context.warn({
      code: "TW2016",
      path,
      at: "key",
      message: `the subject in \`${formatPath(path)}\` is not understood; this rule is not enforced`,
      hint: "The object uses a newer API than this version of Tierwall supports. Upgrade Tierwall.",
    });
    return nothing;
  }
  if (selector === undefined) {
    // S7.11
    const message = "a rule with `nodeSelector` applies to nodes; it has no effect on pods";
    context.warn({ code: "TW2014", path: [...path, "nodeSelector"], at: "key", message });
    return nothing;
  }
  const subject = lowerIdentitySubject(selector, context.policy.namespace, identitiesFor(context.options));
  warnAboutRule(rule, path, context);
  return {
    rules: sections.flatMap((section) => lowerSection(section, rule, path, subject, context)),
    isolation: lowerIsolation(rule, path, subject, context),
  };
}

// S7.2: a non-empty section isolates, unless the direction's default deny is off.
function lowerIsolation(
  rule: CiliumRule,
  path: Path,
  subject: PodSelection,
  context: LowerContext,
): PlacedIsolation[] {
  return directions
    .filter((direction) => rule.enableDefaultDeny?.[direction] !== false)
    .filter((direction) =>
      [direction, `${direction}Deny` as const].some((s) => itemsOf(s, rule, path, context).length > 0),
    )
    .map((direction) => isolating(context, "network-policy", direction, subject));
}

const itemsOf = (section: Section, rule: CiliumRule, path: Path, context: LowerContext) =>
  placedRules(rule[section] as readonly CiliumItem[] | undefined, [...path, section], context);

function lowerSection(
  section: Section,
  rule: CiliumRule,
  rulePath: Path,
  subject: PodSelection,
  context: LowerContext,
): PlacedRule[] {
  const direction: Direction = section.startsWith("ingress") ? "ingress" : "egress";
  const action: Action = section.endsWith("Deny") ? "Deny" : "Allow";
  return itemsOf(section, rule, rulePath, context).flatMap(({ rule: item, path }) => {
    const origin = originOf(context, direction, path);
    if (item === undefined || context.unreadable(path)) {
      const draft = { subject, action, peers: [], ports: [], origin };
      const parts = unreadableParts(context, path, Object.keys(item ?? {}));
      return [place(failClosed(draft, true, parts), action === "Deny" ? "deny" : "allow")];
    }
    warnAboutItem(item, path, context);
    const { peers, groups } = lowerItem(item, context.policy.namespace, identitiesFor(context.options));
    if (action === "Deny") {
      // S7.8: incoming traffic that is denied is also denied from the pod's own node.
      const binding = direction === "ingress" ? { bindsOwnNode: true as const } : {};
      return [place({ subject, action, peers, ports: merge(groups), origin, ...binding }, "deny")];
    }
    const draft = { subject, peers, origin };
    // S7.7
    switch (item.authentication?.mode ?? "disabled") {
      case "test-always-fail":
        return [place({ ...draft, action: "Deny", ports: merge(groups) }, "failingAuthentication")];
      case "required": {
        const condition: Condition = { kind: "authentication" };
        return [place({ ...draft, action, ports: merge(groups), condition }, "authentication")];
      }
      case "disabled":
        return groups.map(({ ports, condition }) =>
          condition === undefined
            ? place({ ...draft, action, ports }, "allow")
            : place({ ...draft, action, ports, condition }, "conditionalAllow"),
        );
    }
  });
}

function place(rule: PlacedRule["rule"], rank: keyof typeof ranks.networkPolicy): PlacedRule {
  return { tier: "network-policy", rank: ranks.networkPolicy[rank], precedence: 0, rule };
}

/** Ports under one condition: entries of one item may have different conditions. */
interface PortGroup {
  readonly ports: "every" | readonly PortMatch[];
  readonly condition?: Condition | undefined;
}

// S7.3
function lowerItem(
  item: CiliumItem,
  namespace: string | undefined,
  identities: Identities,
): { readonly peers: readonly Peer[]; readonly groups: readonly PortGroup[] } {
  const peers = lowerPeers(writtenPeersOf(item), namespace, identities);
  const groups = portGroupsOf(item);
  if (peers === undefined && groups === undefined) return { peers: [], groups: [{ ports: "every" }] };
  return { peers: peers ?? [{ kind: "everything" }], groups: groups ?? [{ ports: "every" }] };
}

function writtenPeersOf(item: CiliumItem): WrittenPeers {
  return {
    endpoints: item.fromEndpoints ?? item.toEndpoints,
    nodes: item.fromNodes ?? item.toNodes,
    cidrs: item.fromCIDR ?? item.toCIDR,
    cidrSet: item.fromCIDRSet ?? item.toCIDRSet,
    entities: item.fromEntities ?? item.toEntities,
    groups: item.fromGroups ?? item.toGroups,
    services: item.toServices,
    fqdns: item.toFQDNs,
  };
}

/** Undefined where the item has no ports at all; a group without ports matches nothing. */
function portGroupsOf({ toPorts = [], icmps = [] }: CiliumItem): readonly PortGroup[] | undefined {
  if (icmps.length > 0) return [{ ports: lowerIcmps(icmps) }];
  if (toPorts.length === 0) return undefined;
  const groups = new Map<string, { ports: PortMatch[]; condition: Condition | undefined }>();
  for (const entry of toPorts) {
    const condition = conditionOf(entry);
    const key = JSON.stringify(condition ?? null);
    getOrInsert(groups, key, () => ({ ports: [], condition })).ports.push(
      ...(entry.ports ?? []).flatMap(lowerPort),
    );
  }
  const filled = [...groups.values()].filter(({ ports }) => ports.length > 0);
  return filled.length === 0 ? [{ ports: [] }] : filled;
}

function merge(groups: readonly PortGroup[]): PortGroup["ports"] {
  if (groups.some(({ ports }) => ports === "every")) return "every";
  return groups.flatMap(({ ports }) => (ports === "every" ? [] : ports));
}
