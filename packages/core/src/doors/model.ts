/*
 * `@tierwall/core/model`: what clusters, policies and connections are made of.
 */

export {
  type Cluster as Inventory,
  type ContainerPort,
  type DnsRecord,
  type Facts,
  type Namespace,
  type Node,
  type Pod,
  podKey,
  type Service,
  type Workload,
  type WorkloadRef,
} from "../cluster/model.js";
export { addressesOfNode } from "../cluster/node.js";
export { annotatedChoice } from "../policy/annotations.js";
export { actionOf, describePeers, describePorts, describeSubject, formatRule } from "../policy/describe.js";
export {
  type Action,
  type Direction,
  type DomainPattern,
  formatPolicy,
  type Isolation,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  type PolicyRef,
  type PortMatch,
  type Protocol,
  type Rule,
  type Tier,
  type TierName,
  tierNames,
  type Tiers,
} from "../policy/model.js";
export type { ConnectionVerdict, WalkVerdict } from "../evaluate/evaluate.js";
export { type Endpoint, type Flow, formatEndpoint, type PodEndpoint } from "../evaluate/flow.js";
export { type LabelMatch, type Labels, namespaceNameLabel, selects } from "../labels/requirement.js";
export { exampleOf } from "../labels/satisfiable.js";
export { parseSelector } from "../labels/selector-text.js";
export { type Address, bitsOf, type Family, formatAddress, parseAddress } from "../net/address.js";
export { type Cidr, contains, covers, formatCidr, lastOf, parseCidr, singleAddress } from "../net/cidr.js";
export { formatRange } from "../net/region.js";
export { embeddedAddress, isNeverNamed } from "../net/special-addresses.js";
