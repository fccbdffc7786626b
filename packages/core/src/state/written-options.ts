import { given } from "../diagnostics/given.js";
import { type Address, formatAddress, parseAddress } from "../net/address.js";
import { type Cidr, formatCidr, parseCidr } from "../net/cidr.js";
import type { ClusterOptions } from "./cluster-options.js";
import type { StateOptions } from "./state.js";

/** The options of a state as texts, for a program that reads the same manifests elsewhere. */
export function writtenOptions(options: StateOptions): ClusterOptions {
  const { facts = {}, progress: _, ...plain } = options;
  const { podCidrs, serviceCidrs, apiServer, dns } = facts;
  return given({
    podCidrs: podCidrs?.map(formatCidr),
    serviceCidrs: serviceCidrs?.map(formatCidr),
    apiServer: apiServer?.map(formatAddress),
    dns: dns?.map(({ name, addresses }) => ({ name, addresses: addresses.map(formatAddress) })),
    ...plain,
  });
}

/** Throws if it was not written by `writtenOptions`: leaving a fact out would change verdicts. */
export function readOptions(written: ClusterOptions): StateOptions {
  const { podCidrs, serviceCidrs, apiServer, dns, ...plain } = written;
  return {
    facts: given({
      podCidrs: podCidrs?.map(cidrIn),
      serviceCidrs: serviceCidrs?.map(cidrIn),
      apiServer: apiServer?.map(addressIn),
      dns: dns?.map(({ name, addresses }) => ({ name, addresses: addresses.map(addressIn) })),
    }),
    ...plain,
  };
}

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
