import {
  type Fields,
  integer,
  list,
  object,
  oneOf,
  required,
  type StringSchema,
} from "../../schema/schema.js";
import {
  addressPeers,
  domainPeers,
  peer,
  podPeers,
  podsInAnyNamespace,
  podsInNamespaces,
  subject,
} from "../admin-peers.js";
import { adminPort, namedPort, orderedRange, portNumber, rangeEnds, whichPorts } from "../admin-ports.js";
import { domainNamesOnlyAllow, namedPortsNeedPods, ruleLists } from "../admin-rules.js";
import { policyWithSpec } from "../object.js";
import { distinctRuleNames } from "../rule-names.js";

// S3.1: one API, two spellings; their common parts are shared.

const clusterNetworkPolicy = <T extends StringSchema, S extends ReturnType<typeof subject>, R extends Fields>(
  tier: T,
  subjectSchema: S,
  rules: R,
) =>
  policyWithSpec(
    "ClusterNetworkPolicy",
    "Rules for the pods of the whole cluster, evaluated before NetworkPolicies (tier admin) or after them " +
      "(tier baseline).",
    "Cluster",
    "The tier and the priority of the policy, the pods that it applies to, and its rules.",
    {
      tier: required(tier),
      priority: required(
        integer(
          "The priority within the tier, from 0 to 1000: policies with lower numbers are evaluated first. " +
            "Give policies that select the same pods different priorities.",
          { minimum: 0, maximum: 1000, mayGrow: true },
        ),
      ),
      subject: required(subjectSchema),
      ...rules,
    },
    [distinctRuleNames],
  );

const tierMeaning =
  "When the policy is evaluated: in the admin tier before all NetworkPolicies, which cannot override it; in " +
  "the baseline tier after them, for traffic that they do not decide.";

const actionMeaning = (allow: string) =>
  `What happens to traffic that the rule matches. ${allow} allows it and Deny denies it, and no ` +
  "later rule of this direction is evaluated. Pass skips the rest of the tier and continues with the next one.";

const ingressPeer = <P extends typeof podsInNamespaces | typeof podsInAnyNamespace>(pods: P) =>
  peer("an ingress peer", "Where traffic comes from: exactly one of these fields.", podPeers(pods));

const egressPeer = <P extends typeof podsInNamespaces | typeof podsInAnyNamespace>(pods: P) =>
  peer("an egress peer", "Where traffic goes: exactly one of these fields.", {
    ...podPeers(pods),
    ...addressPeers(25),
    ...domainPeers,
  });

const notPods = ["networks", "nodes", "domainNames"];

/** As in NPEP-285: `tier: admin`, `action: Allow`, `ports`. */
export const seedPolicy = clusterNetworkPolicy(
  oneOf(tierMeaning, ["admin", "baseline"]),
  subject(podsInNamespaces),
  ruleLists({
    action: oneOf(actionMeaning("Allow"), ["Allow", "Deny", "Pass"]),
    ports: { ports: list(whichPorts, adminPort("two-ports"), { minItems: 1, maxItems: 100 }) },
    ingressPeer: ingressPeer(podsInNamespaces),
    egressPeer: egressPeer(podsInNamespaces),
    limit: 100,
    egressConstraints: [namedPortsNeedPods("ports", "namedPort", notPods), domainNamesOnlyAllow("Allow")],
  }),
);

const destinationPort = object(
  "a destination port",
  "One port or a range of them.",
  {
    number: portNumber("The port."),
    range: object("a port range", "All ports from `start` to `end`.", rangeEnds, [
      orderedRange("two-ports", "number"),
    ]),
  },
  [{ kind: "exactly-one", of: ["number", "range"] }],
);

const transport = (protocolName: string) =>
  object(`a ${protocolName} match`, `Traffic over ${protocolName}.`, {
    destinationPort: required(destinationPort),
  });

const protocolMatch = object(
  "a protocol match",
  "Ports of one protocol, or a port by name: exactly one of these fields.",
  {
    tcp: transport("TCP"),
    udp: transport("UDP"),
    sctp: transport("SCTP"),
    destinationNamedPort: namedPort,
  },
  [{ kind: "exactly-one", of: ["tcp", "udp", "sctp", "destinationNamedPort"] }],
);

/** As released in v0.2.0: `tier: Admin`, `action: Accept`, `protocols`. */
export const releasedPolicy = clusterNetworkPolicy(
  oneOf(tierMeaning, ["Admin", "Baseline"]),
  subject(podsInAnyNamespace),
  ruleLists({
    action: oneOf(actionMeaning("Accept"), ["Accept", "Deny", "Pass"]),
    ports: { protocols: list(whichPorts, protocolMatch, { minItems: 1, maxItems: 25 }) },
    ingressPeer: ingressPeer(podsInAnyNamespace),
    egressPeer: egressPeer(podsInAnyNamespace),
    limit: 25,
    egressConstraints: [
      namedPortsNeedPods("protocols", "destinationNamedPort", notPods),
      domainNamesOnlyAllow("Accept"),
    ],
  }),
);
