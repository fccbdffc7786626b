export type Severity = "error" | "warning" | "note";

interface Entry {
  readonly severity: Severity;
  readonly title: string;
}

const error = (title: string): Entry => ({ severity: "error", title });
const warning = (title: string): Entry => ({ severity: "warning", title });
const note = (title: string): Entry => ({ severity: "note", title });

/**
 * Every diagnostic there is. A code is never reused, and each has its page in docs/diagnostics/ with an example that a
 * test executes. 10xx text and files · 11xx objects · 12xx shape · 13xx values · 14xx what one API forbids ·
 * 15xx questions and assertions · 2xxx warnings · 3xxx notes · 4xxx what `tierwall lint` finds in policies that are valid.
 */
export const diagnostics = {
  TW1001: error("text that is neither YAML nor JSON"),
  TW1002: error("a key that stands twice in one mapping"),
  TW1003: error("a document that is not an object"),
  TW1004: error("a path that cannot be read"),
  TW1005: error("a list without items"),
  TW1006: error("a document that grows beyond reason when its aliases are expanded"),
  TW1007: error("a default in tierwall.yaml that its option does not take"),
  TW1008: error("observed traffic that cannot be understood"),
  TW1009: error("a cluster that cannot be read"),
  TW1010: error("input that is larger than the limit"),
  TW1011: error("a file that is not text in UTF-8"),

  TW1101: error("an object without a name"),
  TW1102: error("two objects with the same kind and name"),
  TW1103: error("a name that Kubernetes would refuse"),
  TW1104: error("an object without an apiVersion"),
  TW1105: error("a policy in an API version that is not known"),
  TW1106: error("a policy that must have a fixed name"),
  TW1107: error("a kind that is spelt wrongly"),

  TW1201: error("a value of the wrong type"),
  TW1202: error("a required field that is missing"),
  TW1203: error("a value that is not one of those allowed"),
  TW1204: error("an unknown field"),
  TW1205: error("a number out of range"),
  TW1206: error("a list with too few items"),
  TW1207: error("a list with too many items"),
  TW1208: error("a text that is too long"),
  TW1209: error("exactly one of several fields must be set"),
  TW1210: error("two fields that exclude each other"),
  TW1211: error("a field that needs another one beside it"),
  TW1212: error("an item that stands twice in a set"),

  TW1301: error("an invalid label key"),
  TW1302: error("an invalid label value"),
  TW1303: error("a selector operator with the wrong number of values"),
  TW1304: error("an invalid CIDR"),
  TW1305: error("an exception outside the CIDR it is taken from"),
  TW1306: error("a port range that ends before it starts"),
  TW1307: error("an invalid port name"),
  TW1308: error("an invalid domain name"),
  TW1309: error("an invalid IP address"),
  TW1310: error("an end of a port range without a numeric start"),
  TW1311: error("an invalid port"),

  TW1401: error("two spellings of ClusterNetworkPolicy in one document"),
  TW1402: error("two shapes of AdminNetworkPolicy in one document"),
  TW1403: error("a named port beside peers that have no named ports"),
  TW1404: error("domain names in a rule that does not allow"),
  TW1405: error("a switch that can only be true"),
  TW1406: error("more rules than one policy may hold"),
  TW1407: error("a pod selector without the namespaces it looks in"),
  TW1408: error("a namespace scope with fields of another scope"),
  TW1409: error("a Cilium rule that needs exactly one of endpointSelector and nodeSelector"),
  TW1410: error("a nodeSelector in a namespaced Cilium policy"),
  TW1411: error("a Cilium rule without any section"),
  TW1412: error("two kinds of peer in one Cilium item"),
  TW1413: error("ICMP and ports in one Cilium item"),
  TW1414: error("a Cilium feature that is not supported"),
  TW1415: error("an unknown Cilium entity"),
  TW1416: error("Cilium L7 rules where they cannot stand"),
  TW1417: error("an invalid Cilium FQDN selector"),
  TW1418: error("a Cilium policy with neither spec nor specs"),

  TW1419: error("a namespace selector inside `namespaces`, as an early version of the API had it"),
  TW1501: error("an endpoint that cannot be understood"),
  TW1502: error("an endpoint that does not exist"),
  TW1503: error("a port that cannot be understood"),
  TW1504: error("a port name that the destination does not declare"),
  TW1505: error("two ends without a common address family"),
  TW1506: error("a Service whose endpoints are not known"),
  TW1507: error("an object to delete that cannot be found"),

  TW1601: error("a policy that cannot be converted"),
  TW1602: error("a policy to convert that is not there"),

  TW2001: warning("a CIDR with host bits set"),
  TW2002: warning("a CIDR that covers only Service addresses"),
  TW2003: warning("policies of one priority that select the same pods"),
  TW2004: warning("several APIs in one tier"),
  TW2005: warning("both AdminNetworkPolicy APIs in one cluster"),
  TW2006: warning("first-draft policies beside another cluster-wide API"),
  TW2007: warning("more networks than the released API accepts"),
  TW2008: warning("Pass at priority zero"),
  TW2009: warning("two rules of one policy with the same name"),
  TW2010: warning("a label without a value"),
  TW2011: warning("enableDefaultDeny for a direction that has no section"),
  TW2012: warning("deny rules alone that isolate their subject"),
  TW2013: warning("a rule that matches nothing"),
  TW2014: warning("a Cilium policy for nodes"),
  TW2015: warning("a part of a live policy that is not understood"),
  TW2016: warning("a live policy that is not enforced"),
  TW2017: warning("a live policy outside the limits of its API"),
  TW2018: warning("a policy without a pod selector"),
  TW2019: warning("a namespace on a cluster-wide object"),
  TW2020: warning("a port range that is read as one port"),
  TW2021: warning("a namespace label in a namespaced Cilium policy"),
  TW2022: warning("an object that was left out"),
  TW2023: warning("a record of observed traffic that was left out"),
  TW2024: warning("an annotation of Tierwall's that is not understood"),
  TW2025: warning("a kind that may not be read from the cluster"),

  TW3001: note("a namespace that was made up"),
  TW3002: note("an object without a namespace"),
  TW3003: note("kinds that were skipped"),
  TW3005: note("Cilium policies and a baseline together"),
  TW3006: note("kinds that the cluster does not serve"),
  TW4001: warning("a policy that selects no pod"),
  TW4002: warning("a denial of one address family that leaves the other open"),
  TW4003: warning("a CIDR that holds only pods"),
  TW4004: warning("a named port that no pod has"),
  TW4005: warning("pods that are cut off from DNS"),
  TW4006: note("DNS over UDP only"),
  TW4007: warning("domain names allowed with nothing denied behind them"),
  TW4008: warning("networks that catch traffic between pods"),
  TW4009: note("a policy of a superseded API"),
  TW4010: warning("a guardrail that hangs on labels of pods"),
  TW4011: note("a guardrail that hangs on labels of namespaces"),
  TW4090: warning("a lint exception without a reason"),
  TW4091: note("a lint exception that nothing needs"),

  TW4101: warning("a rule in the shadow of others of its tier"),
  TW4102: warning("a rule that is never reached"),
  TW4103: note("a rule without which nothing would change"),
  TW4104: warning("a NetworkPolicy that is overridden"),
  TW4105: note("isolation that a higher tier opens"),
  TW4106: note("policies that share a priority"),
  TW4107: warning("policies of one priority that disagree"),
  TW4108: note("policies of one priority that could disagree"),
} as const satisfies Record<string, Entry>;

export type Code = keyof typeof diagnostics;
