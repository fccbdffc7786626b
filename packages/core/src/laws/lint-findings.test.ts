import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dnsServersOf } from "../analysis/lint/dns-servers.js";
import type { Finding } from "../analysis/lint/finding.js";
import { lint } from "../analysis/lint/lint.js";
import type { LintRule } from "../analysis/lint/rule.js";
import { dnsDenied } from "../analysis/lint/rules/dns-denied.js";
import { undeclaredPort } from "../analysis/lint/rules/named-port.js";
import { namesWithoutDeny } from "../analysis/lint/rules/names-without-deny.js";
import { networksCatchPods } from "../analysis/lint/rules/networks-catch-pods.js";
import { otherFamilyOpen } from "../analysis/lint/rules/other-family-open.js";
import { selectsNothing } from "../analysis/lint/rules/selects-nothing.js";
import type { State } from "../state/state.js";
import { formatPath } from "../diagnostics/place.js";
import { evaluate } from "../evaluate/evaluate.js";
import { formatEndpoint } from "../evaluate/flow.js";
import { formatPolicy, type PolicyRef, type Rule, type Tier, type Tiers } from "../policy/model.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { about, anyScenario, type Scenario, stateOf } from "../../testing/arbitrary/scenario.js";

/** A cluster with DNS: the pods that its Service selects. */
const dns: Manifest = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kube-dns", namespace: "alpha" },
  spec: { selector: { app: "db" }, ports: [{ port: 53, protocol: "UDP", targetPort: 53 }] },
};

const stateWithDns = ({ cluster, policies, facts }: Scenario): State =>
  stateOf([...manifestsOf(cluster), dns, ...policies], { facts });

const findings = (state: State, rule: LintRule): readonly Finding[] =>
  lint(state, { rules: [rule] }).findings.filter(({ code }) => code === rule.code);

/** A sample of all connections that rules could distinguish, and their verdicts. */
function verdicts(state: State, tiers: Tiers): readonly string[] {
  const ports = portsAtBorders(state);
  const flows = [
    ...flowsAmong(memberPairs(state.cluster), ports, 0.2),
    ...flowsAmong(otherPairs(state), ports, 0.02),
  ];
  return flows.map((flow) => `${about(flow)}: ${evaluate(state.cluster, tiers, flow).verdict}`);
}

function without(tiers: Tiers, change: (tier: Tier) => Tier): Tiers {
  return { egress: tiers.egress.map(change), ingress: tiers.ingress.map(change) };
}

const mapRules = (tiers: Tiers, change: (rule: Rule) => Rule): Tiers =>
  without(tiers, (tier) => ({ ...tier, rules: tier.rules.map(change) }));

const isAbout = ({ object, path }: Finding, { origin }: Rule): boolean =>
  object === formatPolicy(origin.policy) && formatPath(path ?? []).startsWith(origin.path);

describe("findings of lint are correct", () => {
  const holds = (numRuns: number, check: (state: State) => void, choices = {}) =>
    fc.assert(
      fc.property(anyScenario({ minLength: 1, maxLength: 5, ...choices }), (scenario) =>
        check(stateWithDns(scenario)),
      ),
      { numRuns },
    );

  it("TW4001: a policy that selects no pod changes nothing", () => {
    holds(60, (state) => {
      const idle = new Set(findings(state, selectsNothing).map(({ object }) => object));
      if (idle.size === 0) return;
      const isIdle = (policy: PolicyRef) => idle.has(formatPolicy(policy));
      const tiers = without(state.tiers, (tier) => ({
        ...tier,
        rules: tier.rules.filter(({ origin }) => !isIdle(origin.policy)),
        isolation: tier.isolation.filter(({ origin }) => origin.kind === "option" || !isIdle(origin.policy)),
      }));
      expect(verdicts(state, tiers)).toEqual(verdicts(state, state.tiers));
    });
  });

  it("TW4004: a named port that no pod has changes nothing", () => {
    holds(60, (state) => {
      const found = findings(state, undeclaredPort);
      if (found.length === 0) return;
      const tiers = mapRules(state.tiers, (rule) => {
        const names = found.flatMap((one) =>
          isAbout(one, rule) ? /named `(.*?)`/.exec(one.message)![1]! : [],
        );
        if (rule.ports === "every" || names.length === 0) return rule;
        return {
          ...rule,
          ports: rule.ports.filter((port) => port.kind !== "named" || !names.includes(port.name)),
        };
      });
      expect(verdicts(state, tiers)).toEqual(verdicts(state, state.tiers));
    });
  });

  it("TW4007: names that have no effect change nothing", () => {
    holds(60, (state) => {
      const found = findings(state, namesWithoutDeny);
      for (const one of found) {
        const tiers = mapRules(state.tiers, (rule) =>
          isAbout(one, rule) ? { ...rule, peers: rule.peers.filter(({ kind }) => kind !== "domains") } : rule,
        );
        const external = (list: readonly string[]) =>
          list.filter((text) => /-> [\d.]+ |-> [\da-f:]+ /.test(text));
        expect(external(verdicts(state, tiers))).toEqual(external(verdicts(state, state.tiers)));
      }
    });
  });

  it.each([
    ["TW4002", otherFamilyOpen],
    ["TW4005", dnsDenied],
    ["TW4008", networksCatchPods],
  ] as const)("%s: the connection that shows it gets that verdict", (_code, rule) => {
    holds(80, (state) => {
      for (const { witness } of findings(state, rule))
        if (witness?.kind === "flow")
          expect(`${about(witness.flow)} ${evaluate(state.cluster, state.tiers, witness.flow).verdict}`).toBe(
            `${about(witness.flow)} ${witness.verdict}`,
          );
    });
  });

  it("TW4005: pods are cut off from DNS exactly if every query of theirs is denied", () => {
    holds(80, (state) => {
      const servers = dnsServersOf(state.cluster);
      const queries = memberPairs(state.cluster).flatMap((pair) =>
        servers.flatMap(({ pod, protocol, port }) =>
          pair.destination.kind === "pod" && pair.destination.pod === pod.pod
            ? { ...pair, protocol, port }
            : [],
        ),
      );
      const answers = new Map<string, string[]>();
      for (const query of queries) {
        const { source } = query;
        if (
          source.kind !== "pod" ||
          source.pod.hostNetwork ||
          servers.some(({ pod }) => pod.pod === source.pod)
        )
          continue;
        const known = answers.get(formatEndpoint(source)) ?? [];
        answers.set(formatEndpoint(source), [...known, evaluate(state.cluster, state.tiers, query).verdict]);
      }
      const cut = [...answers].filter(([, list]) => list.every((verdict) => verdict === "Deny"));
      const reported = findings(state, dnsDenied).reduce((sum, { message }) => sum + countIn(message), 0);
      expect(reported).toBe(cut.length);
    });
  });
});

/** `2 pods`, or the name of one. */
const countIn = (message: string): number => Number(/(\d+) pods/.exec(message)?.[1] ?? 1);
