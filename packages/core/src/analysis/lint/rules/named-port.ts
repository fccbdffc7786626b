import { suggest } from "../../../diagnostics/suggest.js";
import type { PodEndpoint } from "../../../evaluate/flow.js";
import type { Peer, PodSelection, PortMatch } from "../../../policy/model.js";
import { type Finding, finding } from "../finding.js";
import { type LintContext, type LintRule, type RuleInTier, rulesInTiers } from "../rule.js";

type NamedPort = Extract<PortMatch, { kind: "named" }>;

/** S1.8: a port name represents ports that the destination declares. */
export const undeclaredPort: LintRule = {
  code: "TW4004",
  *check(context) {
    for (const placed of rulesInTiers(context.state.tiers)) {
      const { ports: all } = placed.rule;
      const named = all === "every" ? [] : all.filter((port): port is NamedPort => port.kind === "named");
      if (named.length === 0) continue;
      const destinations = destinationsOf(placed, context);
      // No pods at all is another finding.
      if (destinations.length === 0) continue;
      // A name may be used for several protocols: one that is found is enough.
      const byName = new Map(
        named.map((port) => [port.name, named.filter(({ name }) => name === port.name)]),
      );
      for (const ports of byName.values())
        if (
          !destinations.some(({ pod }) => pod.ports.some((own) => ports.some((port) => isNamed(own, port))))
        )
          yield missingPort(placed, ports, destinations, context);
    }
  },
};

function isNamed(own: PodEndpoint["pod"]["ports"][number], { name, protocol }: NamedPort): boolean {
  return own.name === name && (protocol === undefined || own.protocol === protocol);
}

/** The pods whose ports the rule names: its own, or those of the peers; rather too many than too few. */
function destinationsOf({ rule, direction }: RuleInTier, context: LintContext): readonly PodEndpoint[] {
  const subjects = context.podsOf(rule.subject);
  if (direction === "ingress" || subjects.length === 0) return subjects;
  return [...new Set(rule.peers.flatMap((peer) => context.podsOf(podsIn(peer))))];
}

const everyPod: PodSelection = { namespaces: [], pods: [] };
const noPod: PodSelection = {
  namespaces: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [] }],
  pods: [],
};

function podsIn(peer: Peer): PodSelection {
  switch (peer.kind) {
    case "pods":
      return {
        namespaces: peer.namespaces.kind === "selector" ? peer.namespaces.match : [],
        pods: peer.pods.kind === "selector" ? peer.pods.match : [],
        ...(peer.account === undefined ? {} : { account: peer.account }),
      };
    case "everything":
    case "networks":
    case "domains":
    case "endpoints":
    case "unknown-set":
      return everyPod;
    case "entity":
      return peer.entity === "cluster" ? everyPod : noPod;
    case "nodes":
    case "cidr-group":
      return noPod;
  }
}

function missingPort(
  { rule, direction }: RuleInTier,
  ports: readonly NamedPort[],
  destinations: readonly PodEndpoint[],
  context: LintContext,
): Finding {
  const { name } = ports[0]!;
  const protocols = ports.flatMap(({ protocol }) => protocol ?? []);
  const declared = destinations.flatMap(({ pod }) =>
    pod.ports.flatMap((port) => (port.name === undefined ? [] : port)),
  );
  const names = [...new Set(declared.map((port) => port.name!))];
  const meant = suggest(name, names);
  const otherProtocol = declared.find((port) => port.name === name)?.protocol;
  const instead =
    otherProtocol !== undefined
      ? `; it is a port of ${otherProtocol} there`
      : meant !== undefined
        ? `; did you mean \`${meant}\`?`
        : "";
  const [first] = destinations;
  const whose =
    destinations.length === 1
      ? `${first!.pod.namespace}/${first!.pod.name} has no`
      : `none of the ${destinations.length} pods ${direction === "ingress" ? "it is for" : "it leads to"} has a`;
  const has =
    names.length === 0
      ? "No named port is declared there"
      : `Declared there: ${names.slice(0, 5).join(", ")}`;
  return finding(
    "TW4004",
    `${whose} ${protocols.length === 1 ? `${protocols[0]} ` : ""}port named \`${name}\`, so this port matches nothing${instead}`,
    {
      ...context.about(rule, (value) => value === name),
      hint: `${has}. Name a port that is declared in \`containers.ports\`, or use its number.`,
    },
  );
}
