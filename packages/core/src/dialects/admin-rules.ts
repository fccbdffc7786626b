import type { Path } from "../diagnostics/place.js";
import { isObject } from "../manifest/document.js";
import { type Lowered, type PlacedRule, ranks } from "../policy/assemble.js";
import type { Action, Direction, PodSelection, PortMatch, TierName } from "../policy/model.js";
import {
  type Constraint,
  type Fields,
  type Violation,
  list,
  object,
  type ObjectSchema,
  required,
  string,
  type StringSchema,
} from "../schema/schema.js";
import { lowerPeer, lowerSubject, type AdminPeer } from "./admin-peers.js";
import { failClosed, type LowerContext, notEnforced, originOf } from "./dialect.js";

/* Rules of the policy.networking.k8s.io APIs (sections 3 and 4): in order, with action, peers and ports. */

const name = string("A name for this rule in reports, at most 100 characters.", { maxLength: 100 });

/** `ingress` and `egress` of a spec. `limit` is the number of rules per direction and of peers per rule. */
export const ruleLists = <
  A extends StringSchema,
  P extends Fields,
  I extends ObjectSchema,
  E extends ObjectSchema,
>(parts: {
  readonly action: A;
  readonly ports: P;
  readonly ingressPeer: I;
  readonly egressPeer: E;
  readonly limit: number;
  readonly egressConstraints: readonly Constraint[];
}) => {
  const peers = { minItems: 1, maxItems: parts.limit };
  return {
    ingress: list(
      "Rules for incoming connections of the subject: the first that matches decides. An empty list has no effect.",
      object(
        "an ingress rule",
        "What to do with traffic from any of these peers to any of these ports of the subject.",
        {
          name,
          action: required(parts.action),
          from: required(list("Where the traffic comes from: any of these.", parts.ingressPeer, peers)),
          ...parts.ports,
        },
      ),
      { maxItems: parts.limit },
    ),
    egress: list(
      "Rules for outgoing connections of the subject: the first that matches decides. An empty list has no effect.",
      object(
        "an egress rule",
        "What to do with traffic of the subject to any of these peers on any of these ports.",
        {
          name,
          action: required(parts.action),
          to: required(list("Where the traffic goes: any of these.", parts.egressPeer, peers)),
          ...parts.ports,
        },
        parts.egressConstraints,
      ),
      { maxItems: parts.limit },
    ),
  };
};

/** S3.7: `others` are the peers that are not pods. */
export function namedPortsNeedPods(
  portsField: PortsField,
  nameField: string,
  others: readonly string[],
): Constraint {
  const check = (rule: Readonly<Record<string, unknown>>): readonly Violation[] => {
    const unnamed = others.find((kind) => objectsOf(rule.to).some(([, peer]) => kind in peer));
    if (unnamed === undefined) return [];
    return objectsOf(rule[portsField])
      .filter(([, port]) => port[nameField] !== undefined)
      .map(([i, port]) => ({
        code: "TW1403",
        path: [portsField, i, nameField],
        at: "key",
        message: `port \`${String(port[nameField])}\` is a name, but \`${unnamed}\` have no named ports`,
        hint: "Use port numbers here, or write a separate rule for pods.",
        readable: true,
      }));
  };
  const named = `has(self.${portsField}) && self.${portsField}.exists(p, has(p.${nameField}))`;
  const cel = {
    rule: `!(${named}) || self.to.all(p, ${others.map((kind) => `!has(p.${kind})`).join(" && ")})`,
    message: `\`${nameField}\` cannot be combined with ${others.map((kind) => `\`${kind}\``).join(" or ")}, which have no named ports`,
  };
  return { kind: "custom", check, cel };
}

/** S8.2 */
export function domainNamesOnlyAllow(allow: "Allow" | "Accept"): Constraint {
  const check = ({ action, to }: Readonly<Record<string, unknown>>): readonly Violation[] => {
    if (action !== "Deny" && action !== "Pass") return [];
    return objectsOf(to)
      .filter(([, peer]) => "domainNames" in peer)
      .map(([i]) => ({
        code: "TW1404",
        path: ["to", i, "domainNames"],
        at: "key",
        message: `\`domainNames\` is allowed only in rules with action \`${allow}\`; this rule has \`${action}\``,
        hint: `\`${allow}\` the names that you need, then \`Deny\` the rest with \`networks\`.`,
      }));
  };
  const cel = {
    rule: `self.action == '${allow}' || self.to.all(p, !has(p.domainNames))`,
    message: `\`domainNames\` is allowed only in rules with action \`${allow}\``,
  };
  return { kind: "custom", check, cel };
}

function objectsOf(value: unknown): readonly (readonly [number, Readonly<Record<string, unknown>>])[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).flatMap((item, i) => (isObject(item) ? [[i, item] as const] : []));
}

export type PortsField = "ports" | "protocols";

/** A spec as written in a manifest; from a cluster any part may be missing. */
export interface WrittenSpec<P> {
  readonly subject: AdminPeer;
  readonly ingress?: readonly WrittenRule<P>[];
  readonly egress?: readonly WrittenRule<P>[];
}

interface WrittenRule<P> {
  readonly name?: string;
  readonly action: Action | "Accept";
  readonly from?: readonly AdminPeer[];
  readonly to?: readonly AdminPeer[];
  readonly ports?: readonly P[];
  readonly protocols?: readonly P[];
}

/** What differs between the APIs and spellings. */
export interface AdminDialect<P> {
  readonly tier: TierName;
  /** S1.12 */
  readonly precedence: number;
  readonly portsField: PortsField;
  readonly lowerPort: (port: P) => PortMatch | undefined;
}

/** S3.9: rules in their order, and no isolation. */
export function lowerAdminSpec<P>(
  spec: WrittenSpec<P>,
  dialect: AdminDialect<P>,
  context: LowerContext,
): Lowered {
  const path: Path = ["spec", "subject"];
  const subject = understood(spec.subject, path, lowerSubject, context);
  if (subject === undefined) return notEnforced(context, path, "its subject");
  const lowerAll = (direction: Direction) =>
    rulesOf(spec, direction, context).map((rule, i) =>
      lowerRule(rule, direction, i, subject, dialect, context),
    );
  return { rules: [...lowerAll("ingress"), ...lowerAll("egress")], isolation: [] };
}

/** A direction that is not a list of rules counts as one rule that is not understood. */
function rulesOf<P>(
  spec: WrittenSpec<P>,
  direction: Direction,
  context: LowerContext,
): readonly (WrittenRule<P> | undefined)[] {
  return spec[direction] ?? (context.unreadable(["spec", direction]) ? [undefined] : []);
}

function lowerRule<P>(
  rule: WrittenRule<P> | undefined,
  direction: Direction,
  index: number,
  subject: PodSelection,
  dialect: AdminDialect<P>,
  context: LowerContext,
): PlacedRule {
  const path: Path = ["spec", direction, index];
  const peersField = direction === "ingress" ? "from" : "to";
  const peers = (rule?.[peersField] ?? []).map((peer, i) =>
    understood(peer, [...path, peersField, i], lowerPeer, context),
  );
  const ports = rule?.[dialect.portsField]?.map((port, i) =>
    understood(port, [...path, dialect.portsField, i], dialect.lowerPort, context),
  );
  const unreadable = [...notUnderstood(peersField, peers), ...notUnderstood(dialect.portsField, ports ?? [])];
  // A field that is unknown, missing or not a list: it may restrict the rule.
  if (unreadable.length === 0 && context.unreadable(path)) unreadable.push("a part of it");
  const action = context.unreadable([...path, "action"]) ? undefined : rule?.action;
  const placed = failClosed(
    {
      subject,
      action: action === undefined ? "Deny" : action === "Accept" ? "Allow" : action,
      peers: peers.filter((peer) => peer !== undefined),
      // S1.7
      ports: ports?.filter((port) => port !== undefined) ?? "every",
      origin: { ...originOf(context, direction, path, rule?.name), precedence: dialect.precedence },
    },
    action !== undefined,
    unreadable,
  );
  return { tier: dialect.tier, rank: ranks.only, precedence: dialect.precedence, rule: placed };
}

/** S3.6: undefined for a part in which something is unknown. */
function understood<W, T>(
  written: W | undefined,
  path: Path,
  lower: (written: W) => T | undefined,
  context: LowerContext,
): T | undefined {
  return written === undefined || context.unreadable(path) ? undefined : lower(written);
}

function notUnderstood(field: string, parts: readonly unknown[]): string[] {
  return parts.flatMap((part, i) => (part === undefined ? [`\`${field}[${i}]\``] : []));
}
