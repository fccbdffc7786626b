import type { Finding } from "../analysis/lint/finding.js";
import { lint } from "../analysis/lint/lint.js";
import type { LintRule } from "../analysis/lint/rule.js";
import { readState, type StateOptions } from "../state/state.js";

/** What one rule finds in a text that has no errors. */
export function findingsOf(rule: LintRule, yaml: string, options: StateOptions = {}): readonly Finding[] {
  const sources = [{ file: "test.yaml", text: yaml }];
  const state = readState(sources, options);
  if (!state.usable)
    throw new Error(state.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return lint(state, { sources, rules: [rule] }).findings.filter(({ code }) => code === rule.code);
}

export function messagesOf(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  return findingsOf(rule, yaml, options).map(({ message }) => message);
}

/** `[10.1.2.3/8] message`: with the text that a finding points to. */
export function linted(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  const lines = yaml.split("\n");
  return findingsOf(rule, yaml, options).map(({ place, message }) => {
    const { line, column, length } = place!;
    return `[${lines[line - 1]!.slice(column - 1, column - 1 + length)}] ${message}`;
  });
}

/** Manifests in short, for tests that need a few of them: `namespace("shop")`, `pod("shop/cart", {labels: "{app: cart}"})`. */
export function namespace(name: string, labels = "{}"): string {
  return `---
apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: ${labels}}
`;
}

export interface PodParts {
  readonly labels?: string;
  readonly ips?: readonly string[];
  /** `{name: web, containerPort: 80}` */
  readonly ports?: string;
  readonly hostNetwork?: boolean;
}

export function pod(
  name: string,
  { labels = "{}", ips = [], ports = "", hostNetwork = false }: PodParts = {},
): string {
  const [where, called] = name.split("/");
  return `---
apiVersion: v1
kind: Pod
metadata: {name: ${called}, namespace: ${where}, labels: ${labels}}
spec: {hostNetwork: ${hostNetwork}, containers: [{name: main, ports: [${ports}]}]}
status: {podIPs: [${ips.map((ip) => `{ip: "${ip}"}`).join(", ")}]}
`;
}

/** In tier Admin, for every pod, unless its spec says otherwise. */
export function clusterPolicy(name: string, spec: Readonly<Record<string, string>>): string {
  const all = { tier: "Admin", priority: "10", subject: "{namespaces: {}}", ...spec };
  return `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
${fields(all)}`;
}

export function networkPolicy(name: string, spec: Readonly<Record<string, string>>): string {
  const [where, called] = name.split("/");
  return `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${called}, namespace: ${where}}
spec:
${fields({ podSelector: "{}", ...spec })}`;
}

const fields = (spec: Readonly<Record<string, string>>): string =>
  Object.entries(spec)
    .map(([key, value]) => `  ${key}: ${value}\n`)
    .join("");

/** The same, as `line 9: message`. */
export function lintedLines(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  return findingsOf(rule, yaml, options).map(({ place, message }) => `line ${place?.line}: ${message}`);
}
