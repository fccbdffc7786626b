import type { DnsRecord } from "../cluster/model.js";
import { type Address, formatAddress, parseAddress } from "../net/address.js";
import { type Cidr, formatCidr, parseCidr } from "../net/cidr.js";
import type { ClusterOptions } from "./cluster-options.js";
import type { StateOptions } from "./state.js";

/** The options of a state as texts, for a program that reads the same manifests elsewhere. */
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
