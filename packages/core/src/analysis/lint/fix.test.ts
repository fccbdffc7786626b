import { describe, expect, it } from "vitest";
import { readState } from "../../state/state.js";
import { fixSources } from "./fix.js";

const policy = (egress: string, more = "") => `# kept
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard} # kept
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {}}
  egress:
${egress}${more}`;

function fixed(text: string, mayChange: (file: string) => boolean = () => true) {
  const sources = [{ file: "p.yaml", text }];
  const { changed, fixed: done, report } = fixSources(sources, readState(sources), {}, mayChange);
  return {
    text: changed[0]?.text ?? text,
    done: done.map(({ code, fix }) => `${code}: ${fix.title}`),
    left: report.findings.map(({ code }) => code),
  };
}

const old = (peer: string) => `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: old}
spec:
  priority: 10
  subject: {namespaces: {}}
  ingress:
    - action: Allow
      from:
${peer}`;

describe("fixes", () => {
  it.each([
    [
      "TW2001: the network, in the quotes that are there, with its comments",
      policy(`    # first
    - {action: Deny, to: [{networks: ["10.1.2.3/8", 10.1.2.3/9]}]} # and me
    - action: Deny
      to:
        - networks:
            - '2001:db8::1/32' # here
`),
      policy(`    # first
    - {action: Deny, to: [{networks: ["10.0.0.0/8", 10.0.0.0/9]}]} # and me
    - action: Deny
      to:
        - networks:
            - '2001:db8::/32' # here
`),
    ],
    [
      "TW2009: a name that no other rule has",
      policy(`    - {name: a, action: Deny, to: [{nodes: {}}]}
    - {name: a-2, action: Deny, to: [{nodes: {}}]}
    - {name: "a", action: Deny, to: [{nodes: {}}]}
`),
      policy(`    - {name: a, action: Deny, to: [{nodes: {}}]}
    - {name: a-2, action: Deny, to: [{nodes: {}}]}
    - {name: "a-3", action: Deny, to: [{nodes: {}}]}
`),
    ],
    [
      "TW1419: a level less, on lines of its own",
      old(`        - namespaces:
            # by label
            namespaceSelector:
              matchLabels:
                team: a # them
`),
      old(`        - namespaces:
            # by label
              matchLabels:
                team: a # them
`),
    ],
    [
      "TW1419: a level less, in braces",
      old(`        - namespaces: { namespaceSelector: {matchLabels: {team: a}} } # them
        - namespaces: {namespaceSelector: {}}
`),
      old(`        - namespaces: {matchLabels: {team: a}} # them
        - namespaces: {}
`),
    ],
    [
      "of JSON",
      JSON.stringify({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "np", namespace: "shop" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.1.2.3/8" } }] }] },
      }),
      JSON.stringify({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "np", namespace: "shop" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
      }),
    ],
  ])("%s", (_what, before, after) => expect(fixed(before).text).toBe(after));

  it("keep line ends and the mark that some editors put in front", () => {
    const text = `\uFEFF${policy("    - {action: Deny, to: [{networks: [10.1.2.3/8]}]}\n")}`.replaceAll(
      "\n",
      "\r\n",
    );
    expect(fixed(text).text).toBe(text.replace("10.1.2.3/8", "10.0.0.0/8"));
  });

  it("report what was done, and what is left", () => {
    const text = policy("    - {action: Deny, to: [{networks: [10.1.2.3/8]}]}\n");
    expect(fixed(text)).toMatchObject({ done: ["TW2001: write `10.0.0.0/8`"], left: [] });
  });

  it.each([
    [
      "a network that is listed already",
      policy("    - {action: Deny, to: [{networks: [10.1.2.3/8, 10.0.0.0/8]}]}\n"),
    ],
    [
      "a selector with something next to it",
      old("        - namespaces: {namespaceSelector: {}, matchLabels: {a: b}}\n"),
    ],
    ["braces that end on another line", old("        - namespaces: {namespaceSelector: {\n          }}\n")],
  ])("leave alone %s", (_what, text) => expect(fixed(text).text).toBe(text));

  it("leave alone what may not be changed", () => {
    const text = policy("    - {action: Deny, to: [{networks: [10.1.2.3/8]}]}\n");
    expect(fixed(text, () => false)).toEqual({ text, done: [], left: ["TW2001"] });
  });
});
