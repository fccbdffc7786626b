import {
  any,
  boolean,
  type Constraint,
  type Fields,
  type Violation,
  list,
  object,
  oneOf,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { policyObject } from "../object.js";
import { forbidden } from "./forbidden.js";
import { icmps } from "./icmp.js";
import { portDenyRules, portRules } from "./l7.js";
import {
  cidrList,
  cidrSetList,
  endpointsList,
  entityList,
  fqdnList,
  groupList,
  nodesList,
  serviceList,
} from "./peers.js";
import { ciliumSelector } from "./selector.js";

const ingressPeers = {
  fromEndpoints: endpointsList,
  fromCIDR: cidrList,
  fromCIDRSet: cidrSetList,
  fromEntities: entityList,
  fromGroups: groupList,
  fromNodes: nodesList,
  fromRequires: any("Not supported: use `fromEndpoints`, or a deny item."),
};

const egressPeers = {
  toEndpoints: endpointsList,
  toCIDR: cidrList,
  toCIDRSet: cidrSetList,
  toEntities: entityList,
  toServices: serviceList,
  toGroups: groupList,
  toNodes: nodesList,
  toRequires: any("Not supported: use `toEndpoints`, or a deny item."),
};

const allowParts = {
  toPorts: portRules,
  icmps: icmps,
  authentication: object("authentication", "Whether the endpoints must authenticate to each other.", {
    mode: required(
      oneOf("`required` allows only authenticated connections; `test-always-fail` allows none.", [
        "disabled",
        "required",
        "test-always-fail",
      ]),
    ),
  }),
};

const denyParts = { toPorts: portDenyRules, icmps: icmps };

const matching =
  "It matches traffic by any of its peers and any of its ports. Without peers and ports, it matches nothing.";

const ingressItem = object(
  "an ingress item",
  `Allows incoming traffic. ${matching}`,
  { ...ingressPeers, ...allowParts },
  [...itemConstraints(ingressPeers, "fromRequires"), { kind: "custom", check: checkNoDns }],
);

const ingressDenyItem = object(
  "an ingressDeny item",
  `Denies incoming traffic, even if other rules allow it, and also from the pod's own node. ${matching}`,
  { ...ingressPeers, ...denyParts },
  itemConstraints(ingressPeers, "fromRequires"),
);

const egressItem = object(
  "an egress item",
  `Allows outgoing traffic. ${matching}`,
  { ...egressPeers, toFQDNs: fqdnList, ...allowParts },
  itemConstraints(egressPeers, "toRequires"),
);

const egressDenyItem = object(
  "an egressDeny item",
  `Denies outgoing traffic, even if other rules allow it. ${matching}`,
  {
    ...egressPeers,
    toFQDNs: any("Not allowed here: domain names can only allow traffic."),
    ...denyParts,
  },
  [
    ...itemConstraints(egressPeers, "toRequires"),
    forbidden("toFQDNs", "TW1404", "`toFQDNs` can only allow traffic; it is not allowed in `egressDeny`"),
  ],
);

export const sections = ["ingress", "ingressDeny", "egress", "egressDeny"] as const;

const rule = (constraints: readonly Constraint[]) =>
  object(
    "a Cilium rule",
    "The pods that the rule applies to, what it allows and denies, and whether it denies all other traffic.",
    {
      endpointSelector: ciliumSelector(
        "The pods that this rule applies to; `{}` is every pod in the scope of the policy.",
      ),
      nodeSelector: ciliumSelector(
        "The nodes that this rule applies to; in cluster-wide policies only. It has no effect on pods.",
      ),
      ingress: list("Allowed incoming connections.", ingressItem),
      ingressDeny: list("Denied incoming connections, even if other rules allow them.", ingressDenyItem),
      egress: list("Allowed outgoing connections.", egressItem),
      egressDeny: list("Denied outgoing connections, even if other rules allow them.", egressDenyItem),
      enableDefaultDeny: object(
        "enableDefaultDeny",
        "Whether the rule isolates its pods, in each direction that it has a section for.",
        {
          ingress: boolean("If false, incoming traffic is denied only by deny sections. Default: true."),
          egress: boolean("If false, outgoing traffic is denied only by deny sections. Default: true."),
        },
      ),
      description: string("A description of the rule; ignored."),
      labels: any("Labels of the rule itself; ignored."),
      log: any("What Cilium writes to its log for this rule; ignored."),
    },
    [
      { kind: "exactly-one", of: ["endpointSelector", "nodeSelector"], code: "TW1409" },
      { kind: "at-least-one", of: sections, code: "TW1411" },
      { kind: "custom", check: checkSections },
      ...constraints,
    ],
  );

export const ciliumNetworkPolicy = policyObject(
  "CiliumNetworkPolicy",
  "Allowed and denied connections of the pods of one namespace.",
  "Namespaced",
  ruleFields(rule([{ kind: "custom", check: checkNoNodes }])),
  specConstraints(),
);

export const ciliumClusterwideNetworkPolicy = policyObject(
  "CiliumClusterwideNetworkPolicy",
  "Allowed and denied connections of pods in the whole cluster.",
  "Cluster",
  ruleFields(rule([])),
  specConstraints(),
);

export type CiliumPolicy = Static<typeof ciliumNetworkPolicy>;
export type CiliumRule = NonNullable<CiliumPolicy["spec"]>;
/** An item of any section: all fields are optional, and those of the other direction are never set. */
export type CiliumItem = Static<typeof ingressItem> & Static<typeof egressItem>;

function ruleFields<R extends ReturnType<typeof rule>>(schema: R) {
  return {
    spec: schema,
    specs: list("More rules. Each is independent, but Cilium rejects all of them if one is invalid.", schema),
  };
}

function specConstraints(): readonly Constraint[] {
  return [
    { kind: "at-least-one", of: ["spec", "specs"], code: "TW1418" },
    { kind: "custom", check: checkSpecs },
  ];
}

function checkSpecs(policy: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (Object.hasOwn(policy, "spec") || !isEmptyList(policy.specs)) return [];
  return [
    {
      code: "TW1418",
      path: ["specs"],
      message: "`specs` is empty and there is no `spec`, so the policy has no rules",
    },
  ];
}

// S7.9
function checkSections(value: Readonly<Record<string, unknown>>): readonly Violation[] {
  const given = sections.filter((section) => Object.hasOwn(value, section));
  if (given.length === 0 || !given.every((section) => isEmptyList(value[section]))) return [];
  const names = given.map((section) => `\`${section}\``).join(", ");
  return [
    {
      code: "TW1411",
      path: [given[0]!],
      message: `the rule has no effect: empty sections are ignored, and there is only ${names}`,
    },
  ];
}

function checkNoNodes(value: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!Object.hasOwn(value, "nodeSelector") || Object.hasOwn(value, "endpointSelector")) return [];
  const message =
    "`nodeSelector` is not allowed in a namespaced policy; use a CiliumClusterwideNetworkPolicy";
  return [{ code: "TW1410", path: ["nodeSelector"], at: "key", message }];
}

function itemConstraints(peers: Fields, unsupported: string): readonly Constraint[] {
  const kinds = [...Object.keys(peers).filter((kind) => kind !== unsupported), "toFQDNs"];
  return [
    { kind: "custom", check: (item) => checkKinds(item, kinds) },
    { kind: "custom", check: checkPorts },
    forbidden(unsupported, "TW1414", `\`${unsupported}\` is not supported`),
  ];
}

// S7.3: an empty list next to another kind is not an error; it matches nothing.
function checkKinds(item: Readonly<Record<string, unknown>>, kinds: readonly string[]): readonly Violation[] {
  const [first, second] = kinds.filter((kind) => isFilledList(item[kind]));
  if (first === undefined || second === undefined) return [];
  const message = `\`${first}\` and \`${second}\` cannot be combined in one item; write one item for each`;
  return [{ code: "TW1412", path: [second], at: "key", message }];
}

// S7.6
function checkPorts({ icmps, toPorts }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!isFilledList(icmps) || !isFilledList(toPorts)) return [];
  const message = "`icmps` and `toPorts` cannot be combined in one item; write one item for each";
  return [{ code: "TW1413", path: ["icmps"], at: "key", message }];
}

function checkNoDns({ toPorts }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!Array.isArray(toPorts)) return [];
  return (toPorts as ({ rules?: { dns?: unknown } } | undefined)[]).flatMap((entry, i): Violation[] =>
    entry?.rules?.dns === undefined
      ? []
      : [
          {
            code: "TW1416",
            path: ["toPorts", i, "rules", "dns"],
            at: "key",
            message: "`dns` rules are for egress only",
          },
        ],
  );
}

const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
