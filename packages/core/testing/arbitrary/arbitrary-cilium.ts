import fc from "fast-check";
import {
  accounts,
  broadly,
  anyCidr,
  cidrWithParts,
  fields,
  labelWords,
  anyNamespaceName,
  namespaceNames,
  often,
  anyOf,
  anyPortNumber,
  portRange,
  type Selector,
  selectorOver,
  type Unnamed,
  type LabelWords,
} from "./arbitrary-vocabulary.js";

/** A Cilium rule as it is written; an item is any of its fields, and laws only split lists. */
export interface CiliumSpec {
  readonly endpointSelector?: Selector;
  readonly nodeSelector?: Selector;
  readonly ingress?: readonly CiliumItem[];
  readonly ingressDeny?: readonly CiliumItem[];
  readonly egress?: readonly CiliumItem[];
  readonly egressDeny?: readonly CiliumItem[];
  readonly enableDefaultDeny?: { readonly ingress?: boolean; readonly egress?: boolean };
}

export const ciliumSections = ["ingress", "ingressDeny", "egress", "egressDeny"] as const;

export interface CiliumPortRule {
  readonly ports?: readonly object[];
  readonly rules?: object;
  readonly serverNames?: readonly string[];
}

export type CiliumItem = {
  readonly toPorts?: readonly CiliumPortRule[];
  readonly icmps?: readonly { readonly fields?: readonly object[] }[];
  readonly authentication?: { readonly mode: string };
} & { readonly [peers: string]: unknown };

export interface CiliumChoices {
  /** Cloud groups and authentication, which no input contains. */
  readonly unknowable?: boolean;
  /** Conditions on an Allow: L7, SNI, authentication. `many`: also L7 rules that do not count, because of S7.7. */
  readonly conditions?: boolean | "many";
}

/** S7.4: the same pod labels, with and without their source, and labels of the namespace and the account. */
const podWords: LabelWords = {
  team: labelWords.pod.team,
  "k8s:app": labelWords.pod.app,
  "any:team": labelWords.pod.team,
};
const reachingWords: LabelWords = {
  ...podWords,
  "k8s:io.kubernetes.pod.namespace": [...namespaceNames],
  "io.cilium.k8s.namespace.labels.team": labelWords.namespace.team,
  "k8s:io.cilium.k8s.namespace.labels.env": labelWords.namespace.env,
  "io.cilium.k8s.policy.serviceaccount": [...accounts],
};
/** S7.13, S7.15, S7.16: endpoints other than pods, labels that are not part of an identity, and clusters. */
const identityWords: LabelWords = {
  "reserved:host": [""],
  "reserved:remote-node": [""],
  "reserved:world": [""],
  "reserved:world-ipv4": [""],
  "reserved:kube-apiserver": [""],
  "reserved:health": [""],
  "pod-template-hash": ["1"],
  "io.cilium.k8s.policy.cluster": ["default", "other"],
  "io.kubernetes.pod.namespace": [...namespaceNames],
  ...podWords,
};
const subject = often<Selector>(
  [8, broadly(selectorOver({ ...podWords, "k8s:io.cilium.k8s.policy.serviceaccount": [...accounts] }))],
  [1, selectorOver(identityWords)],
);
const endpoint = often<Selector>(
  [2, selectorOver(podWords)],
  [4, selectorOver(reachingWords)],
  [2, selectorOver(identityWords)],
);
/** S7.14 */
const node = selectorOver({
  ...labelWords.node,
  "node:zone": labelWords.node.zone,
  "reserved:kube-apiserver": [""],
});

const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 2 });

const cidrRule = often<object>(
  [4, cidrWithParts],
  [1, fields({ cidrGroupRef: anyOf("group-1", "group-2") }, { except: fc.constant(["203.0.113.1/32"]) })],
  [1, fc.constant({ cidrGroupSelector: { matchLabels: { team: "red" } } })],
);
const entity = anyOf(
  "all",
  "world",
  "cluster",
  "cluster-mesh",
  "host",
  "host",
  "remote-node",
  "kube-apiserver",
  "kube-apiserver",
  "none",
  "init",
);
const fqdn = often<object>(
  [1, fields({ matchName: anyOf("example.com", "www.example.com") })],
  [
    1,
    fields({
      matchPattern: anyOf(
        "*.example.com",
        "**.example.com",
        "*",
        "w*.example.com",
        "**",
        "***.example.com",
        "w**.example.com",
      ),
    }),
  ],
);
const serviceSelector = anyOf<Selector>(
  {},
  { matchLabels: { team: "red" } },
  { matchLabels: { team: "blue" } },
);
const service = often<object>(
  [
    2,
    fields({
      k8sService: fields(
        { serviceName: anyOf("svc-web", "svc-manual", "svc-gone") },
        { namespace: anyOf("alpha") },
      ),
    }),
  ],
  [1, fields({ k8sServiceSelector: fields({ selector: serviceSelector }) })],
);
const group = fc.constant({ aws: { securityGroupsIds: ["sg-1"] } });

/** One kind of peer, or none; S7.3's empty lists among them. */
function peersOf(
  direction: "ingress" | "egress",
  denies: boolean,
  { unknowable = true }: CiliumChoices,
): fc.Arbitrary<object> {
  const way = direction === "ingress" ? "from" : "to";
  const kind = (name: string, item: fc.Arbitrary<unknown>) => fields({ [`${way}${name}`]: some(item) });
  return often<object>(
    [3, fc.constant({})],
    [6, kind("Endpoints", endpoint)],
    [2, kind("CIDR", often([4, anyCidr], [1, anyOf("203.0.113.9", "2001:db8::1")]))],
    [3, kind("CIDRSet", cidrRule)],
    [5, kind("Entities", entity)],
    [2, kind("Nodes", node)],
    [
      2,
      anyOf("Endpoints", "Nodes", "CIDR", "CIDRSet", "Entities").map((name) => ({ [`${way}${name}`]: [] })),
    ],
    ...(unknowable ? [[1, kind("Groups", group)] as const] : []),
    ...(direction === "egress" ? [[2, kind("Services", service)] as const] : []),
    ...(direction === "egress" && !denies ? [[2, kind("FQDNs", fqdn)] as const] : []),
  );
}

const protocol = anyOf("TCP", "TCP", "UDP", "SCTP", "ANY");
const port = often<object>(
  [4, fields({ port: anyPortNumber.map(String) }, { protocol })],
  [2, fields({ port: anyOf("http", "DNS", "none") }, { protocol })],
  [
    1,
    fc
      .tuple(portRange, protocol)
      .map(([[port, endPort], protocol]) => ({ port: String(port), endPort, protocol })),
  ],
  [1, fields({ port: fc.constant("0") }, { protocol })],
  [1, anyOf<object>({ port: "443", endPort: 81 }, { protocol: "VRRP" }, { protocol: "ESP", port: "0" })],
);
const ports = fc.array(port, { maxLength: 3 });
const watched = fields({
  ports: some(fields({ port: anyPortNumber.map(String), protocol: fc.constant("TCP") })),
  rules: fc.constant({ http: [{ method: "GET" }] }),
});
const named = fields({ ports: some(port), serverNames: fc.constant(["example.com"]) });
const icmpField = anyOf<object>(
  { type: 0 },
  { type: 8 },
  { type: "EchoReply" },
  { type: "EchoRequest", family: "IPv6" },
  { type: 3 },
);

function portsOf(denies: boolean, { conditions = true }: CiliumChoices): fc.Arbitrary<object> {
  const plain = often<CiliumPortRule>([5, fields({ ports })], [1, fc.constant({})]);
  const entry =
    denies || conditions === false
      ? plain
      : often<CiliumPortRule>([4, plain], [conditions === "many" ? 6 : 1, watched], [1, named]);
  return often<object>(
    [4, fc.constant({})],
    [5, fields({ toPorts: fc.array(entry, { maxLength: 2 }) })],
    [1, fields({ icmps: some(fields({ fields: fc.array(icmpField, { maxLength: 2 }) })) })],
  );
}

export function anyCiliumItem(section: (typeof ciliumSections)[number], choices: CiliumChoices = {}) {
  const direction = section.startsWith("ingress") ? "ingress" : "egress";
  const denies = section.endsWith("Deny");
  const modes = [
    "disabled",
    "test-always-fail",
    ...(choices.unknowable === false ? [] : ["required"]),
  ] as const;
  const authentication =
    denies || choices.conditions === false
      ? fc.constant({})
      : often<object>(
          [9, fc.constant({})],
          [1, anyOf(...modes).map((mode) => ({ authentication: { mode } }))],
        );
  return fc
    .tuple(peersOf(direction, denies, choices), portsOf(denies, choices), authentication)
    .map(([peers, ports, authentication]): CiliumItem => ({ ...peers, ...ports, ...authentication }));
}

/** S7.7: with the same peers and ports without L7 rules, which do not count then. */
function withWaiver(item: CiliumItem): readonly CiliumItem[] {
  const watched = (item.toPorts ?? []).filter(({ rules }) => rules !== undefined);
  return watched.length === 0
    ? [item]
    : [item, { ...item, toPorts: watched.map(({ ports = [] }) => ({ ports })) }];
}

function anySpec(clusterwide: boolean, choices: CiliumChoices): fc.Arbitrary<CiliumSpec> {
  const section = (name: (typeof ciliumSections)[number]) => {
    const items = fc.array(anyCiliumItem(name, choices), { maxLength: 2 });
    return choices.conditions === "many"
      ? fc.tuple(items, fc.boolean()).map(([list, waived]) => (waived ? list.flatMap(withWaiver) : list))
      : items;
  };
  const who = often<CiliumSpec>(
    [9, fields({ endpointSelector: subject })],
    ...(clusterwide ? [[1, fc.constant({ nodeSelector: {} })] as const] : []),
  );
  const rest = fields(
    { [clusterwide ? "ingress" : "egress"]: section(clusterwide ? "ingress" : "egress") },
    {
      ingress: section("ingress"),
      ingressDeny: section("ingressDeny"),
      egress: section("egress"),
      egressDeny: section("egressDeny"),
      enableDefaultDeny:
        choices.conditions === "many"
          ? fields({ ingress: fc.boolean(), egress: fc.boolean() })
          : fields({}, { ingress: fc.boolean(), egress: fc.boolean() }),
    },
  );
  // S7.9: a rule has at least one item.
  return fc.tuple(who, rest).map(([who, rest]) => {
    const spec: CiliumSpec = { ...who, ...rest };
    return ciliumSections.some((name) => (spec[name]?.length ?? 0) > 0) ? spec : { ...spec, ingress: [{}] };
  });
}

export function anyCiliumPolicy(choices: CiliumChoices = {}): fc.Arbitrary<Unnamed<CiliumSpec>> {
  const apiVersion = fc.constant("cilium.io/v2");
  const bodies = (clusterwide: boolean) => {
    const spec = anySpec(clusterwide, choices);
    const specs = some(spec);
    return often<{ spec?: CiliumSpec; specs?: readonly CiliumSpec[] }>(
      [6, fields({ spec })],
      [1, fields({ specs })],
      [1, fields({ spec, specs })],
    );
  };
  const namespaced = fc
    .tuple(
      fields({
        apiVersion,
        kind: fc.constant("CiliumNetworkPolicy"),
        namespace: anyNamespaceName,
      }),
      bodies(false),
    )
    .map(([head, body]) => ({ ...head, ...body }));
  const clusterwide = fc
    .tuple(fields({ apiVersion, kind: fc.constant("CiliumClusterwideNetworkPolicy") }), bodies(true))
    .map(([head, body]) => ({ ...head, ...body }));
  return often<Unnamed<CiliumSpec>>([1, namespaced], [1, clusterwide]);
}
