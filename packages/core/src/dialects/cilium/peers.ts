import { didYouMean } from "../../diagnostics/suggest.js";
import { parseAddress } from "../../net/address.js";
import { type Cidr, parseCidr, singleAddress } from "../../net/cidr.js";
import type { Entity, Peer } from "../../policy/model.js";
import { cidr, exceptInside, objectName } from "../../schema/formats.js";
import { any, type Format, list, object, required, type Static, string } from "../../schema/schema.js";
import { fqdnSelector, lowerFqdn } from "./fqdn.js";
import { type Identities, lowerEndpoints, lowerNodes, lowerPlainSelector } from "./identity-selector.js";
import { ciliumSelector } from "./selector.js";

/** S7.5: what each entity is in a snapshot of a cluster. */
const entityPeers: Readonly<Record<string, Entity | "everything" | "nothing">> = {
  all: "everything",
  world: "world",
  cluster: "cluster",
  "cluster-mesh": "cluster",
  host: "host",
  "remote-node": "remote-node",
  "kube-apiserver": "kube-apiserver",
  none: "nothing",
  init: "nothing",
  health: "nothing",
  ingress: "nothing",
  unmanaged: "nothing",
};

const entityName: Format = {
  name: "cilium-entity",
  check: (text) => {
    if (Object.hasOwn(entityPeers, text)) return [];
    const known = Object.keys(entityPeers);
    const hint = `The entities are ${known.join(", ")}.`;
    return [
      { code: "TW1415", message: `\`${text}\` is not a Cilium entity${didYouMean(text, known)}`, hint },
    ];
  },
};

/** Cilium also accepts a single address as a block. */
const cidrOrAddress: Format = {
  name: "cidr-or-address",
  check: (text) => (parseBlock(text) !== undefined && !text.includes("/") ? [] : cidr.check(text)),
};

const cidrRule = object(
  "a Cilium CIDR rule",
  "Addresses outside the cluster: a range, or the ranges of CiliumCIDRGroups, with exceptions.",
  {
    cidr: string("The range, IPv4 or IPv6.", { format: cidr }),
    cidrGroupRef: string("The name of a CiliumCIDRGroup.", { format: objectName }),
    cidrGroupSelector: ciliumSelector("CiliumCIDRGroups by their labels."),
    except: list("Ranges that this item excludes.", string("A range inside `cidr`.", { format: cidr })),
  },
  [{ kind: "exactly-one", of: ["cidr", "cidrGroupRef", "cidrGroupSelector"] }, exceptInside(false)],
);

const service = object(
  "a Cilium service selector",
  "Endpoints of Services: of one by its name, or of several by their labels.",
  {
    k8sService: object("a service reference", "One Service.", {
      serviceName: required(string("Its name.", { format: objectName })),
      namespace: string("Its namespace. Default: any."),
    }),
    k8sServiceSelector: object("a service selector", "Services by their labels.", {
      selector: required(ciliumSelector("The labels of the Services; `{}` is every Service.")),
      namespace: string("Their namespace. Default: any."),
    }),
  },
  [{ kind: "at-least-one", of: ["k8sService", "k8sServiceSelector"] }],
);

const group = object("a Cilium group", "Addresses that a cloud provider resolves.", {
  aws: required(
    object("an AWS group", "Addresses of AWS instances. Only AWS can resolve them.", {
      labels: any("Tags of the instances."),
      region: string("The region of the instances."),
      securityGroupsIds: list("Security groups by their ids.", string("An id, such as `sg-0123`.")),
      securityGroupsNames: list("Security groups by their names.", string("A name.")),
    }),
  ),
});

export const endpointsList = list(
  "Pods by their labels, in the policy's own namespace unless it selects by a namespace label; `{}` is all of them. An " +
    "empty list matches nothing.",
  ciliumSelector("Pods by their labels."),
);
export const nodesList = list(
  "Nodes other than the pod's own, by their labels; `{}` is all of them. Cilium rejects it unless it runs with " +
    "`enable-node-selector-labels`. An empty list matches nothing.",
  ciliumSelector("Nodes by their labels."),
);
export const cidrList = list(
  "Addresses outside the cluster; pods and nodes never match. An empty list matches nothing.",
  string("A range or a single address, IPv4 or IPv6.", { format: cidrOrAddress }),
);
export const cidrSetList = list(
  "Addresses outside the cluster, with exceptions or through CIDR groups. An empty list matches nothing.",
  cidrRule,
);
export const entityList = list(
  "Well-known peers, such as `world` or `kube-apiserver`. An empty list matches nothing.",
  string("An entity.", { format: entityName }),
);
export const serviceList = list("Endpoints of Services; an empty list is ignored.", service);
export const groupList = list("Groups of a cloud provider; an empty list is ignored.", group);
export const fqdnList = list("Domain names outside the cluster; an empty list is ignored.", fqdnSelector);

/** The peers of an item, whichever its direction. */
export interface WrittenPeers {
  readonly endpoints?: Static<typeof endpointsList> | undefined;
  readonly nodes?: Static<typeof nodesList> | undefined;
  readonly cidrs?: Static<typeof cidrList> | undefined;
  readonly cidrSet?: Static<typeof cidrSetList> | undefined;
  readonly entities?: Static<typeof entityList> | undefined;
  readonly services?: Static<typeof serviceList> | undefined;
  readonly groups?: Static<typeof groupList> | undefined;
  readonly fqdns?: Static<typeof fqdnList> | undefined;
}

/** Undefined where the item names no peers at all; an empty list matches nothing. */
export function lowerPeers(
  written: WrittenPeers,
  namespace: string | undefined,
  identities: Identities,
): readonly Peer[] | undefined {
  const { endpoints, nodes, cidrs, cidrSet, entities, services = [], groups = [], fqdns = [] } = written;
  const strict = [endpoints, nodes, cidrs, cidrSet, entities];
  // S7.3: an empty list matches nothing, also next to another kind.
  if (strict.some((peers) => peers?.length === 0)) return [];
  if (strict.every((peers) => peers === undefined) && [...services, ...groups, ...fqdns].length === 0)
    return undefined;
  return [
    ...(endpoints ?? []).flatMap((selector) => lowerEndpoints(selector, namespace, identities)),
    ...(nodes ?? []).flatMap((selector) => lowerNodes(selector, identities)),
    ...(cidrs ?? []).map(lowerCidr),
    ...(cidrSet ?? []).map(lowerCidrRule),
    ...(entities ?? []).flatMap(lowerEntity),
    ...services.flatMap(lowerService),
    ...groups.map(lowerGroup),
    ...fqdns.map(
      (selector): Peer => ({ kind: "domains", patterns: [lowerFqdn(selector)], reach: "external" }),
    ),
  ];
}

// One peer each: a plain allow of the same block waives an L7 condition, wherever the block is (S7.7).
function lowerCidr(text: string): Peer {
  return { kind: "networks", cidrs: [parseBlock(text)!], except: [], reach: "external" };
}

// S7.5: `except` is local to its item, so each item is a separate peer.
function lowerCidrRule({
  cidr,
  cidrGroupRef,
  cidrGroupSelector,
  except = [],
}: Static<typeof cidrRule>): Peer {
  const exceptions = except.map((text) => parseCidr(text)!);
  if (cidr !== undefined)
    return { kind: "networks", cidrs: [parseCidr(cidr)!], except: exceptions, reach: "external" };
  if (cidrGroupRef !== undefined) return { kind: "cidr-group", name: cidrGroupRef, except: exceptions };
  return { kind: "cidr-group", labels: lowerPlainSelector(cidrGroupSelector ?? {}), except: exceptions };
}

function lowerEntity(name: string): readonly Peer[] {
  const peer = entityPeers[name] ?? "nothing";
  if (peer === "nothing") return [];
  return [peer === "everything" ? { kind: "everything" } : { kind: "entity", entity: peer }];
}

function lowerService({ k8sService, k8sServiceSelector }: Static<typeof service>): readonly Peer[] {
  const peers: Peer[] = [];
  const within = (namespace: string | undefined) => (namespace ? { namespace } : {});
  if (k8sService !== undefined) {
    const { serviceName: name, namespace } = k8sService;
    peers.push({ kind: "endpoints", services: { name, ...within(namespace) } });
  }
  if (k8sServiceSelector !== undefined) {
    const { selector, namespace } = k8sServiceSelector;
    peers.push({
      kind: "endpoints",
      services: { labels: lowerPlainSelector(selector), ...within(namespace) },
    });
  }
  return peers;
}

/** The text also identifies the group, so it contains everything that the group is selected by. */
function lowerGroup({ aws }: Static<typeof group>): Peer {
  const { securityGroupsIds = [], securityGroupsNames = [], labels, region } = aws;
  const parts = [
    ...(securityGroupsIds.length > 0 ? [`security group ${securityGroupsIds.join(", ")}`] : []),
    ...(securityGroupsNames.length > 0 ? [`security groups named ${securityGroupsNames.join(", ")}`] : []),
    ...(labels === undefined ? [] : [`tags ${JSON.stringify(labels)}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ];
  return { kind: "unknown-set", what: ["AWS instances", ...parts].join(", "), reach: "external" };
}

function parseBlock(text: string): Cidr | undefined {
  if (text.includes("/")) return parseCidr(text);
  const address = parseAddress(text);
  // As in a CIDR, an IPv4 address is not written as IPv6.
  return address === undefined || (address.family === 4 && text.includes(":"))
    ? undefined
    : singleAddress(address);
}
