import fc from "fast-check";
import {
  broadly,
  anyCidr,
  domainNames,
  fields,
  namespaceSelector,
  nodeSelector,
  often,
  anyOf,
  podSelector,
  anyPortName,
  anyPortNumber,
  portRange,
  type Selector,
  transport,
  type Transport,
  type Unnamed,
} from "./arbitrary-vocabulary.js";

/*
 * ClusterNetworkPolicy in both its spellings, AdminNetworkPolicy and BaselineAdminNetworkPolicy as released express the same
 * rules in different forms. A model has the rules once, and `spell` writes them in any of these forms (S3.1, S4.1).
 */

export type AdminAction = "Allow" | "Deny" | "Pass";

export interface AdminModel {
  readonly tier: "admin" | "baseline";
  readonly priority: number;
  readonly subject: AdminPeer;
  readonly ingress?: readonly AdminRule[];
  readonly egress?: readonly AdminRule[];
}

export interface AdminRule {
  readonly action: AdminAction;
  readonly peers: readonly AdminPeer[];
  /** Missing: every port of every protocol. */
  readonly ports?: readonly AdminPort[];
}

export type AdminPeer =
  | { readonly namespaces: Selector }
  | { readonly pods: { readonly namespaceSelector: Selector; readonly podSelector: Selector } }
  | { readonly nodes: Selector }
  | { readonly networks: readonly string[] }
  | { readonly domainNames: readonly string[] };

export type AdminPort =
  | { readonly protocol: Transport; readonly first: number; readonly last: number }
  | { readonly name: string };

export type AdminSpelling = "released" | "seed" | "cluster";

export interface AdminChoices {
  readonly actions?: readonly AdminAction[];
  readonly tier?: "admin" | "baseline";
}

const podPeer = often<AdminPeer>(
  [2, fields({ namespaces: namespaceSelector })],
  [2, fields({ pods: fields({ namespaceSelector, podSelector }) })],
);

const subject = often<AdminPeer>(
  [2, fields({ namespaces: broadly(namespaceSelector) })],
  [1, fields({ pods: fields({ namespaceSelector: broadly(namespaceSelector), podSelector }) })],
);

const networks = fc.uniqueArray(anyCidr, { minLength: 1, maxLength: 2 });
const egressPeer = often<AdminPeer>(
  [5, podPeer],
  [2, fields({ nodes: nodeSelector })],
  [3, fields({ networks })],
  [
    1,
    fields({
      domainNames: fc.uniqueArray(anyOf(...domainNames, "*.example.com", "*.Other.org."), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  ],
);

const port = often<AdminPort>(
  [3, fc.tuple(transport, anyPortNumber).map(([protocol, p]) => ({ protocol, first: p, last: p }))],
  [
    2,
    fc
      .tuple(transport, portRange)
      .map(([protocol, [first, last]]) => ({ protocol, first: first!, last: last! })),
  ],
  [2, fields({ name: anyPortName })],
);

function ruleWith(peer: fc.Arbitrary<AdminPeer>, actions: readonly AdminAction[]): fc.Arbitrary<AdminRule> {
  return fields(
    { action: anyOf(...actions), peers: fc.array(peer, { minLength: 1, maxLength: 3 }) },
    { ports: fc.array(port, { minLength: 1, maxLength: 3 }) },
  ).map(madeValid);
}

/** S8.2: domain names only allow. S3.7: named ports are combined with pods only. */
function madeValid({ action, peers, ports }: AdminRule): AdminRule {
  const allowed = peers.map((peer) =>
    "domainNames" in peer && action !== "Allow" ? { networks: ["0.0.0.0/0", "::/0"] } : peer,
  );
  const onlyPods = allowed.every((peer) => "namespaces" in peer || "pods" in peer);
  const numbered = ports?.map((port) =>
    "name" in port && !onlyPods ? ({ protocol: "TCP", first: 80, last: 80 } as const) : port,
  );
  return { action, peers: allowed, ...(numbered === undefined ? {} : { ports: numbered }) };
}

export function anyAdminModel({
  actions = ["Allow", "Deny", "Pass"],
  tier,
}: AdminChoices = {}): fc.Arbitrary<AdminModel> {
  return fields(
    {
      tier: tier === undefined ? anyOf("admin" as const, "baseline" as const) : fc.constant(tier),
      priority: anyOf(0, 1, 2, 500, 999, 1000),
      subject,
    },
    {
      ingress: fc.array(ruleWith(podPeer, actions), { maxLength: 3 }),
      egress: fc.array(ruleWith(egressPeer, actions), { maxLength: 3 }),
    },
  );
}

/** A rule of one direction, to be added after others. */
export const anyAdminRule = {
  ingress: ruleWith(podPeer, ["Allow", "Deny", "Pass"]),
  egress: ruleWith(egressPeer, ["Allow", "Deny", "Pass"]),
};

/** Every pod of the cluster; and everything, which only egress rules can express. */
export const everyPeer: Readonly<Record<"ingress" | "egress", readonly AdminPeer[]>> = {
  ingress: [{ namespaces: {} }],
  egress: [{ namespaces: {} }, { nodes: {} }, { networks: ["0.0.0.0/0", "::/0"] }],
};

/** The model as a manifest. A baseline in the released API has no Pass, no priority and no domain names. */
export function spell(model: AdminModel, spelling: AdminSpelling): Unnamed<unknown> {
  const { tier, priority, subject, ingress, egress } = model;
  const rules = (field: "from" | "to", list: readonly AdminRule[]) =>
    list.map((rule) => spellRule(rule, field, spelling));
  const lists = {
    ...(ingress === undefined ? {} : { ingress: rules("from", ingress) }),
    ...(egress === undefined ? {} : { egress: rules("to", egress) }),
  };
  if (spelling === "cluster") {
    const spelledTier = tier === "admin" ? "Admin" : "Baseline";
    return clusterPolicy({ tier: spelledTier, priority, subject: withoutAny(subject), ...lists });
  }
  if (spelling === "seed") return clusterPolicy({ tier, priority, subject, ...lists });
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: tier === "admin" ? "AdminNetworkPolicy" : "BaselineAdminNetworkPolicy",
    spec: tier === "admin" ? { priority, subject, ...lists } : { subject, ...lists },
  };
}

/** The part of a model that a BaselineAdminNetworkPolicy can express: S4.1. */
export function asBaseline(model: AdminModel): AdminModel {
  const rules = (list: readonly AdminRule[] | undefined) =>
    list?.map(({ action, peers, ...rest }) => ({
      ...rest,
      action: action === "Pass" ? ("Allow" as const) : action,
      peers: peers.map((peer) => ("domainNames" in peer ? { nodes: {} } : peer)),
    }));
  const [ingress, egress] = [rules(model.ingress), rules(model.egress)];
  return {
    ...model,
    tier: "baseline",
    priority: 1000,
    ...(ingress === undefined ? {} : { ingress }),
    ...(egress === undefined ? {} : { egress }),
  };
}

const clusterPolicy = (spec: object): Unnamed<unknown> => ({
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  kind: "ClusterNetworkPolicy",
  spec,
});

function spellRule(
  { action, peers, ports }: AdminRule,
  field: "from" | "to",
  spelling: AdminSpelling,
): object {
  const portsField = spelling === "cluster" ? "protocols" : "ports";
  return {
    action: action === "Allow" && spelling === "cluster" ? "Accept" : action,
    [field]: spelling === "cluster" ? peers.map(withoutAny) : peers,
    ...(ports === undefined ? {} : { [portsField]: ports.map((port) => spellPort(port, spelling)) }),
  };
}

/** S3.8: as released, `pods` may leave out an empty `namespaceSelector`. */
function withoutAny(peer: AdminPeer): object {
  if (!("pods" in peer) || Object.keys(peer.pods.namespaceSelector).length > 0) return peer;
  return { pods: { podSelector: peer.pods.podSelector } };
}

function spellPort(port: AdminPort, spelling: AdminSpelling): object {
  if ("name" in port)
    return spelling === "cluster" ? { destinationNamedPort: port.name } : { namedPort: port.name };
  const { protocol, first, last } = port;
  if (spelling === "cluster")
    return {
      [protocol.toLowerCase()]: {
        destinationPort: first === last ? { number: first } : { range: { start: first, end: last } },
      },
    };
  // TCP is the default, and is left out: both spellings must know that.
  const given = protocol === "TCP" ? {} : { protocol };
  // S3.8: a range of one port is for the released API only.
  return first === last && (spelling === "seed" || first === 80)
    ? { portNumber: { ...given, port: first } }
    : { portRange: { ...given, start: first, end: last } };
}
