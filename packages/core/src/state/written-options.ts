import type { DnsRecord } from "../cluster/model.js";
import { type Address, formatAddress, parseAddress } from "../net/address.js";
import { type Cidr, formatCidr, parseCidr } from "../net/cidr.js";
import type { EnforcerName } from "./enforcers/differences.js";
import type { StateOptions } from "./state.js";

/** What the manifests do not say about the cluster, and how they are read. Texts, so that it can be sent as JSON. */
export interface ClusterOptions {
  /** The ranges that pods get their addresses from. */
  readonly podCidrs?: readonly string[];
  /** The ranges of Service addresses. */
  readonly serviceCidrs?: readonly string[];
  /** Addresses of the API server. */
  readonly apiServer?: readonly string[];
  /** What domain names resolve to. */
  readonly dns?: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  /** Whether an unknown field is a mistake (`file`) or part of a newer API (`cluster`); `auto` looks for a uid. */
  readonly provenance?: "auto" | "file" | "cluster";
  /** The mode in which Cilium enforces policies. */
  readonly ciliumEnforcement?: "default" | "always" | "never";
  /** Answer as this implementation would, where it differs from docs/semantics.md. */
  readonly enforcer?: EnforcerName;
  /** API groups that are recognised and not evaluated, and whose objects are left out. */
  readonly ignoreApis?: readonly string[];
  /** The name that Cilium knows this cluster by. */
  readonly ciliumClusterName?: string;
  /** Labels that count for Cilium or, with `!`, do not, as in its option `labels`. */
  readonly ciliumLabels?: readonly string[];
  /** Leave out objects with errors instead of evaluating nothing. */
  readonly keepGoing?: boolean;
}

export function writtenOptions(options: StateOptions): ClusterOptions {
  const { facts = {}, provenance, enforcer, ignoreApis, keepGoing } = options;
  const { ciliumEnforcement, ciliumClusterName, ciliumLabels } = options;
  const { podCidrs, serviceCidrs, apiServer, dns } = facts;
  return {
    ...(podCidrs === undefined ? {} : { podCidrs: podCidrs.map(formatCidr) }),
    ...(serviceCidrs === undefined ? {} : { serviceCidrs: serviceCidrs.map(formatCidr) }),
    ...(apiServer === undefined ? {} : { apiServer: apiServer.map(formatAddress) }),
    ...(dns === undefined ? {} : { dns: dns.map(writtenRecord) }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(ciliumEnforcement === undefined ? {} : { ciliumEnforcement }),
    ...(enforcer === undefined ? {} : { enforcer }),
    ...(ignoreApis === undefined ? {} : { ignoreApis }),
    ...(ciliumClusterName === undefined ? {} : { ciliumClusterName }),
    ...(ciliumLabels === undefined ? {} : { ciliumLabels }),
    ...(keepGoing === undefined ? {} : { keepGoing }),
  };
}

/** Throws where it was not written by `writtenOptions`: leaving a fact out would change verdicts. */
export function readOptions(written: ClusterOptions): StateOptions {
  const { podCidrs, serviceCidrs, apiServer, dns, provenance, enforcer, ignoreApis, keepGoing } = written;
  const { ciliumEnforcement, ciliumClusterName, ciliumLabels } = written;
  return {
    facts: {
      ...(podCidrs === undefined ? {} : { podCidrs: podCidrs.map(cidrIn) }),
      ...(serviceCidrs === undefined ? {} : { serviceCidrs: serviceCidrs.map(cidrIn) }),
      ...(apiServer === undefined ? {} : { apiServer: apiServer.map(addressIn) }),
      ...(dns === undefined
        ? {}
        : { dns: dns.map(({ name, addresses }) => ({ name, addresses: addresses.map(addressIn) })) }),
    },
    ...(provenance === undefined ? {} : { provenance }),
    ...(ciliumEnforcement === undefined ? {} : { ciliumEnforcement }),
    ...(enforcer === undefined ? {} : { enforcer }),
    ...(ignoreApis === undefined ? {} : { ignoreApis }),
    ...(ciliumClusterName === undefined ? {} : { ciliumClusterName }),
    ...(ciliumLabels === undefined ? {} : { ciliumLabels }),
    ...(keepGoing === undefined ? {} : { keepGoing }),
  };
}

const writtenRecord = ({ name, addresses }: DnsRecord) => ({ name, addresses: addresses.map(formatAddress) });

function cidrIn(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`\`${text}\` is not a CIDR`);
  return cidr;
}

function addressIn(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`\`${text}\` is not an IP address`);
  return address;
}
