import {
  any,
  boolean,
  type Constraint,
  type Fields,
  type Violation,
  list,
  object,
  oneOf,
  optional,
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
  fromEndpoints: optional(endpointsList),
  fromCIDR: optional(cidrList),
  fromCIDRSet: optional(cidrSetList),
  fromEntities: optional(entityList),
  fromGroups: optional(groupList),
  fromNodes: optional(nodesList),
  fromRequires: optional(any("Not supported: use `fromEndpoints`, or a deny item.")),
};

const egressPeers = {
  toEndpoints: optional(endpointsList),
  toCIDR: optional(cidrList),
  toCIDRSet: optional(cidrSetList),
  toEntities: optional(entityList),
  toServices: optional(serviceList),
  toGroups: optional(groupList),
  toNodes: optional(nodesList),
  toRequires: optional(any("Not supported: use `toEndpoints`, or a deny item.")),
};

const allowParts = {
  toPorts: optional(portRules),
  icmps: optional(icmps),
  authentication: optional(
    object("authentication", "Whether both ends must prove who they are.", {
      mode: required(
        oneOf("`required` lets only authenticated connections through; `test-always-fail` none.", [
          "disabled",
          "required",
          "test-always-fail",
        ]),
      ),
    }),
  ),
};

const denyParts = { toPorts: optional(portDenyRules), icmps: optional(icmps) };

const matching =
  "It matches traffic by any of its peers and any of its ports; with neither it matches nothing.";

const ingressItem = object(
  "an ingress item",
  `Allows traffic that comes in. ${matching}`,
  { ...ingressPeers, ...allowParts },
  [...itemConstraints(ingressPeers, "fromRequires"), { kind: "custom", check: checkNoDns }],
);

const ingressDenyItem = object(
  "an ingressDeny item",
  `Denies traffic that comes in, whatever allows it, and from the pod's own node too. ${matching}`,
  { ...ingressPeers, ...denyParts },
  itemConstraints(ingressPeers, "fromRequires"),
);

const egressItem = object(
  "an egress item",
  `Allows traffic that goes out. ${matching}`,
  { ...egressPeers, toFQDNs: optional(fqdnList), ...allowParts },
  itemConstraints(egressPeers, "toRequires"),
);

const egressDenyItem = object(
  "an egressDeny item",
  `Denies traffic that goes out, whatever allows it. ${matching}`,
  {
    ...egressPeers,
    toFQDNs: optional(any("Not allowed here: domain names can only allow.")),
    ...denyParts,
  },
  [
    ...itemConstraints(egressPeers, "toRequires"),
    forbidden("toFQDNs", "TW1404", "`toFQDNs` can only allow; it cannot stand in `egressDeny`"),
  ],
);

export const sections = ["ingress", "ingressDeny", "egress", "egressDeny"] as const;

const rule = (constraints: readonly Constraint[]) =>
  object(
    "a Cilium rule",
    "Which pods, what they may do, and whether everything else is denied to them.",
    {
      endpointSelector: optional(
        ciliumSelector("The pods this rule is for; `{}` is all of them in its scope."),
      ),
      nodeSelector: optional(
        ciliumSelector(
          "The nodes this rule is for; in cluster-wide policies only, and without effect on pods.",
        ),
      ),
      ingress: optional(list("What may come in.", ingressItem)),
      ingressDeny: optional(list("What may not come in, whatever allows it.", ingressDenyItem)),
      egress: optional(list("What may go out.", egressItem)),
      egressDeny: optional(list("What may not go out, whatever allows it.", egressDenyItem)),
      enableDefaultDeny: optional(
        object(
          "enableDefaultDeny",
          "Whether the rule denies its pods what nothing allows, in each direction that it has a section for.",
          {
            ingress: optional(
              boolean("False leaves what comes in alone, unless a section denies it; true unless given."),
            ),
            egress: optional(
              boolean("False leaves what goes out alone, unless a section denies it; true unless given."),
            ),
          },
        ),
      ),
      description: optional(string("What the rule is for, in words; not read.")),
      labels: optional(any("Labels of the rule itself; not read.")),
      log: optional(any("What Cilium writes to its log for this rule; not read.")),
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
  "What the pods of one namespace may and may not talk to.",
  "Namespaced",
  ruleFields(rule([{ kind: "custom", check: checkNoNodes }])),
  specConstraints(),
);

export const ciliumClusterwideNetworkPolicy = policyObject(
  "CiliumClusterwideNetworkPolicy",
  "What pods anywhere in the cluster may and may not talk to.",
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
    spec: optional(schema),
    specs: optional(
      list("More rules; each stands on its own, and one invalid rule rejects them all.", schema),
    ),
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
      message: "`specs` is empty and there is no `spec`, so the policy says nothing",
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
      message: `the rule says nothing: an empty section has no effect, and there is only ${names}`,
    },
  ];
}

function checkNoNodes(value: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!Object.hasOwn(value, "nodeSelector") || Object.hasOwn(value, "endpointSelector")) return [];
  const message = "`nodeSelector` cannot stand in a namespaced policy; use a CiliumClusterwideNetworkPolicy";
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

// S7.3: an empty list beside another kind is no error; it matches nothing.
function checkKinds(item: Readonly<Record<string, unknown>>, kinds: readonly string[]): readonly Violation[] {
  const [first, second] = kinds.filter((kind) => isFilledList(item[kind]));
  if (first === undefined || second === undefined) return [];
  const message = `\`${first}\` and \`${second}\` cannot stand in one item; write an item for each`;
  return [{ code: "TW1412", path: [second], at: "key", message }];
}

// S7.6
function checkPorts({ icmps, toPorts }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!isFilledList(icmps) || !isFilledList(toPorts)) return [];
  const message = "`icmps` and `toPorts` cannot stand in one item; write an item for each";
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
