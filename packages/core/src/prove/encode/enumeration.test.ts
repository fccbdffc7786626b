import { expect, it } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { directions } from "../../policy/model.js";
import { readState } from "../../state/state.js";
import { clusterPolicy, namespace, networkPolicy, pod } from "../../../testing/manifests.js";
import { type Literal, not } from "../sat/index.js";
import { readWitness } from "../world/index.js";
import { Encoding, endKinds, ends, ownerActs, protocols } from "./index.js";

/** Names, values of a label, whether unmentioned ones are equal, ports: few enough to try them all. */
const policies =
  clusterPolicy("guard", {
    subject: "{namespaces: {matchExpressions: [{key: team, operator: Exists}]}}",
    ingress:
      "[{action: Pass, from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}]," +
      " protocols: [{tcp: {destinationPort: {range: {start: 80, end: 90}}}}]}," +
      " {action: Deny, from: [{namespaces: {matchExpressions: [{key: team, operator: NotIn, values: [a]}]}}]}]",
  }) +
  `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: tenants}
spec:
  priority: 5
  subject: {namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}
  egress:
    - {action: Deny, to: [{namespaces: {notSameLabels: [team]}}], l4Selector: {ports: [{protocol: UDP, port: 53}]}}
` +
  networkPolicy("shop/closed", { ingress: "[{from: [{podSelector: {}}]}]" });

/** What the policies can distinguish about a connection between pods. */

const described = (
  [from, to]: readonly (readonly [name: string, team: string | undefined])[],
  protocol: string,
  port: number,
): string => {
  const isOther = (value: string | undefined, mentioned: string) =>
    value === undefined ? "absent" : value === mentioned ? value : "other";
  const isSame = from![0] === to![0];
  const sameTeam = from![1] !== undefined && from![1] === to![1];
  const part =
    protocol === "ICMP"
      ? ""
      : port < 53
        ? "<53"
        : port === 53
          ? "53"
          : port < 80
            ? "<80"
            : port <= 90
              ? "80-90"
              : ">90";
  return [
    isOther(from![0], "shop"),
    isOther(from![1], "a"),
    isOther(to![0], "shop"),
    isOther(to![1], "a"),
    isSame,
    sameTeam,
    protocol,
    part,
  ].join();
};

it("all connections of a small vocabulary: encoding and evaluator allow exactly the same ones", () => {
  const state = readState([{ file: "policies.yaml", text: policies }]);
  expect(state.usable).toBe(true);
  const encoding = new Encoding(state.tiers, []);
  const { connection } = encoding;
  const team = connection.label("namespace", "team");
  const name = connection.label("namespace", "kubernetes.io/metadata.name");
  const fixed: Literal[] = [
    encoding.asWritten,
    connection.family(4),
    ...ends.flatMap((end) =>
      endKinds.map((kind) => (kind === "pod" ? connection.is(end, kind) : not(connection.is(end, kind)))),
    ),
    ...directions.flatMap((direction) => ownerActs.map((act) => not(connection.owners[direction][act]))),
  ];
  const distinguishing = [
    ...ends.flatMap((end) => [team.present(end), team.is(end, "a"), name.is(end, "shop")]),
    team.equal(),
    name.equal(),
    ...protocols.map((protocol) => connection.protocol(protocol)),
    ...[53n, 54n, 80n, 91n].map((bound) => connection.port.atLeast(bound)),
  ];
  const [allowed, denied] = [new Set<string>(), new Set<string>()];
  while (encoding.solve(fixed) === "satisfiable") {
    const { source, destination, protocol, port } = readWitness(encoding);
    const { formula } = connection;
    const text = described(
      [source, destination].map((end) => [end.namespace, end.namespaceLabels.team]),
      protocol,
      port,
    );
    (formula.isTrue(encoding.allowed) ? allowed : denied).add(text);
    formula.require(...distinguishing.map((literal) => (formula.isTrue(literal) ? not(literal) : literal)));
  }

  const [expectedAllowed, expectedDenied] = [new Set<string>(), new Set<string>()];
  const teams = [undefined, "a", "b", "c"] as const;
  for (const from of ["shop", "one", "two"])
    for (const to of ["shop", "one", "two"])
      for (const fromTeam of teams)
        for (const toTeam of teams) {
          if (from === to && fromTeam !== toTeam) continue;
          const labels = (value: string | undefined) => (value === undefined ? "{}" : `{team: ${value}}`);
          const text =
            namespace(from, labels(fromTeam)) +
            (from === to ? "" : namespace(to, labels(toTeam))) +
            pod(`${from}/client`, { ips: ["10.0.0.1"] }) +
            pod(`${to}/server`, { ips: ["10.0.0.2"] });
          const { cluster } = readState([{ file: "world.yaml", text }]);
          const endpoint = (key: string) => {
            const found = cluster.pods.get(key)!;
            return { kind: "pod", pod: found, namespace: cluster.namespaces.get(found.namespace)! } as const;
          };
          for (const protocol of protocols)
            for (const port of protocol === "ICMP" ? [0] : [1, 53, 60, 85, 1000]) {
              const flow = {
                source: endpoint(`${from}/client`),
                destination: endpoint(`${to}/server`),
                protocol,
                port,
                family: 4,
              } as const;
              const { verdict } = evaluate(cluster, state.tiers, flow);
              const ends = [
                [from, fromTeam],
                [to, toTeam],
              ] as const;
              (verdict === "Allow" ? expectedAllowed : expectedDenied).add(described(ends, protocol, port));
            }
        }
  expect([...allowed].toSorted()).toEqual([...expectedAllowed].toSorted());
  expect([...denied].toSorted()).toEqual([...expectedDenied].toSorted());
  expect(allowed.size + denied.size).toBeGreaterThan(300);
});
