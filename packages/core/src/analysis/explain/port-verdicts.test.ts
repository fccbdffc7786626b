import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { portRanges } from "../../report/explanation/explanation-json.js";
import { world } from "../../../testing/world.js";
import type { AskedPair } from "./ask.js";
import { type PortSet, portSets } from "./port-verdicts.js";
import { podEndpoint } from "../endpoints/resolve.js";
import type { State } from "../../state/state.js";

const pods = `
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: a, labels: {app: a}}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: b, labels: {app: b}},
 spec: {containers: [{ports: [{name: web, containerPort: 8080}, {name: dns, containerPort: 53, protocol: UDP}]}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: x}}
`;
const policy = (name: string, spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: x, name: ${name}}, spec: {podSelector: {matchLabels: {app: b}}, ${spec}}}`;
const admin = (name: string, priority: number, ...ingress: readonly string[]) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}}, spec: {tier: admin, priority: ${priority}, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: b}}}}, ingress: [${ingress.join()}]}}`;
const from = "from: [{namespaces: {}}]";
const state = (...policies: readonly string[]): State => world([pods, ...policies].join("\n---\n")).state;
const pairIn = ({ cluster }: State): AskedPair => ({
  source: podEndpoint(cluster, cluster.pods.get("x/a")!),
  destination: podEndpoint(cluster, cluster.pods.get("x/b")!),
});
const show = ({ protocol, ranges, verdict }: PortSet) =>
  `${verdict} ${protocol}${protocol === "ICMP" ? "" : ` ${portRanges(ranges)}`}`;
const setsOf = (...policies: readonly string[]) => {
  const made = state(...policies);
  return portSets(made, pairIn(made)).map(show);
};

describe("every port, in as few sets as there are reasons", () => {
  it("nothing said: all of everything", () => {
    expect(setsOf()).toEqual(["Allow TCP all", "Allow UDP all", "Allow SCTP all", "Allow ICMP"]);
  });

  it("isolation denies all of everything", () => {
    expect(setsOf(policy("np", "policyTypes: [Ingress]"))).toEqual([
      "Deny TCP all",
      "Deny UDP all",
      "Deny SCTP all",
      "Deny ICMP",
    ]);
  });

  it("a port and a range, and what is left and right of them", () => {
    expect(setsOf(policy("np", "ingress: [{ports: [{port: 80}, {port: 100, endPort: 200}]}]"))).toEqual([
      "Deny TCP 1-79,81-99,201-65535",
      "Allow TCP 80,100-200",
      "Deny UDP all",
      "Deny SCTP all",
      "Deny ICMP",
    ]);
  });

  it("the first and the last port", () => {
    expect(setsOf(policy("np", "ingress: [{ports: [{port: 1}, {port: 65535, protocol: UDP}]}]"))).toEqual([
      "Allow TCP 1",
      "Deny TCP 2-65535",
      "Deny UDP 1-65534",
      "Allow UDP 65535",
      "Deny SCTP all",
      "Deny ICMP",
    ]);
  });

  it("S1.7: a rule without ports is for ICMP too", () => {
    expect(setsOf(policy("np", "ingress: [{}]"))).toEqual([
      "Allow TCP all",
      "Allow UDP all",
      "Allow SCTP all",
      "Allow ICMP",
    ]);
  });

  it("S1.8: a named port is that of the destination, of its protocol", () => {
    expect(
      setsOf(policy("np", "ingress: [{ports: [{port: web}, {port: dns}, {port: dns, protocol: UDP}]}]")),
    ).toEqual([
      "Deny TCP 1-8079,8081-65535",
      "Allow TCP 8080",
      "Deny UDP 1-52,54-65535",
      "Allow UDP 53",
      "Deny SCTP all",
      "Deny ICMP",
    ]);
  });

  it("rules for other pods do not split ranges", () => {
    const others = "ingress: [{from: [{podSelector: {matchLabels: {app: zzz}}}], ports: [{port: 80}]}]";
    expect(setsOf(policy("np", others))[0]).toBe("Deny TCP all");
  });

  it("the same verdict for different reasons is two sets", () => {
    const rules = [80, 81].map(
      (port) =>
        `{name: r${port}, action: Deny, ${from}, ports: [{portNumber: {port: ${port}, protocol: TCP}}]}`,
    );
    expect(setsOf(admin("guard", 1, ...rules))).toEqual([
      "Allow TCP 1-79,82-65535",
      "Deny TCP 80",
      "Deny TCP 81",
      "Allow UDP all",
      "Allow SCTP all",
      "Allow ICMP",
    ]);
  });

  it("the same name in two APIs is not the same reason", () => {
    const released = admin(
      "guard",
      1,
      `{action: Deny, ${from}, ports: [{portNumber: {port: 80, protocol: TCP}}]}`,
    );
    const draft =
      "{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterNetworkPolicy, metadata: {name: guard}, spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Deny, ports: [{port: 81}]}]}}";
    expect(setsOf(released, draft).slice(0, 3)).toEqual([
      "Allow TCP 1-79,82-65535",
      "Deny TCP 80",
      "Deny TCP 81",
    ]);
  });

  it("S7.7: ports that are allowed on a condition are a set of their own", () => {
    const cilium = (name: string, toPorts: string) =>
      `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: x, name: ${name}}, spec: {endpointSelector: {matchLabels: {app: b}}, ingress: [{fromEndpoints: [{}], toPorts: [${toPorts}]}]}}`;
    const made = state(
      cilium(
        "http",
        '{ports: [{port: "80", protocol: TCP}, {port: "81", protocol: TCP}], rules: {http: [{method: GET}]}}',
      ),
      // The same peer, port and protocol: for port 80 this removes the condition.
      cilium("plain", '{ports: [{port: "80", protocol: TCP}]}'),
    );
    const conditionsAt = (port: number) =>
      portSets(made, pairIn(made))
        .filter(
          ({ protocol, ranges }) =>
            protocol === "TCP" && ranges.some(([first, last]) => first <= port && port <= last),
        )
        .flatMap(({ connection }) => connection.ingress.decisions.flatMap((decision) => decision.conditions));
    expect(conditionsAt(80)).toEqual([]);
    expect(conditionsAt(81)).toEqual(["conditional on L7 (http)"]);
  });

  it("of one protocol only, when only that is asked about", () => {
    const made = state(policy("np", "ingress: [{ports: [{port: 80}]}]"));
    expect(portSets(made, pairIn(made), "TCP").map(show)).toEqual(["Deny TCP 1-79,81-65535", "Allow TCP 80"]);
    expect(portSets(made, pairIn(made), "UDP").map(show)).toEqual(["Deny UDP all"]);
  });
});

describe("laws", () => {
  const portNumber = fc.integer({ min: 1, max: 12 });
  const protocol = fc.constantFrom("TCP", "UDP", "SCTP");
  const entry = fc.oneof(
    fc.tuple(portNumber, protocol).map(([port, p]) => `{portNumber: {port: ${port}, protocol: ${p}}}`),
    fc
      .tuple(portNumber, fc.integer({ min: 1, max: 6 }), protocol)
      .map(([start, more, p]) => `{portRange: {start: ${start}, end: ${start + more}, protocol: ${p}}}`),
    fc.constantFrom("{namedPort: web}", "{namedPort: dns}"),
  );
  const rule = fc
    .tuple(
      fc.constantFrom("Allow", "Deny", "Pass"),
      fc.option(fc.array(entry, { minLength: 1, maxLength: 3 })),
    )
    .map(
      ([action, ports]) =>
        `{action: ${action}, ${from}${ports === null ? "" : `, ports: [${ports.join()}]`}}`,
    );
  const networkPolicy = fc.constantFrom(
    policy("np", "policyTypes: [Ingress]"),
    policy("np", "ingress: [{ports: [{port: 3, endPort: 9}, {port: web}]}]"),
    "{apiVersion: v1, kind: Namespace, metadata: {name: unused}}",
  );

  it("the sets part the ports of each protocol: every port in exactly one", () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), networkPolicy, (rules, np) => {
        const made = state(admin("p", 1, ...rules), np);
        for (const p of ["TCP", "UDP", "SCTP"]) {
          const ranges = portSets(made, pairIn(made))
            .filter((set) => set.protocol === p)
            .flatMap((set) => set.ranges);
          const count = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
          const seen = new Set(ranges.map(([first]) => first));
          expect([count, seen.size]).toEqual([65535, ranges.length]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("each port gets the verdict, and the decider, it gets when asked about alone", () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), networkPolicy, (rules, np) => {
        const made = state(admin("p", 1, ...rules), np);
        for (const { protocol: p, ranges, connection } of portSets(made, pairIn(made)))
          for (const [first, last] of ranges)
            for (const port of [first, last, Math.floor((first + last) / 2)]) {
              const alone = evaluate(made.cluster, made.tiers, { ...pairIn(made), protocol: p, port });
              expect(alone.verdict).toBe(connection.verdict);
              expect(alone.ingress.decisions.map(({ by }) => by)).toEqual(
                connection.ingress.decisions.map(({ by }) => by),
              );
            }
      }),
      { numRuns: 60 },
    );
  });
});
