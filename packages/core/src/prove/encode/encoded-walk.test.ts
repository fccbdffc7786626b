import { describe, expect, it } from "vitest";
import { holding } from "../../../testing/holding.js";
import { directions } from "../../policy/model.js";
import { readState } from "../../state/state.js";
import { not } from "../sat/index.js";
import { confirm, isConditional, readWitness } from "../world/index.js";
import { Encoding, type OwnerAct, ownerActs } from "./index.js";

const port80 = "ports: [{port: '80', protocol: TCP}]";
const web = "fromEndpoints: [{matchLabels: {k8s:app: web}}]";
const http = `{${web}, toPorts: [{${port80}, rules: {http: [{method: GET}]}}]}`;
const serverName = `{${web}, toPorts: [{${port80}, serverNames: [example.com]}]}`;
const isolating = "enableDefaultDeny: {ingress: true, egress: false}";
const observing = "enableDefaultDeny: {ingress: false, egress: false}";

const policy = (name: string, ingress: readonly string[], options: string, selector = "{}") => `---
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: ${name}}
spec: {endpointSelector: ${selector}, ${options}, ingress: [${ingress.join()}]}
`;

/** How often ingress is conditional from a web pod to port 80 of a pod, if its owner does these; confirmed by the evaluator. */
function conditional(policies: string, acts: readonly OwnerAct[] = []): string {
  const state = readState([{ file: "policies.yaml", text: policies }]);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  const encoding = new Encoding(state.tiers, []);
  const { connection } = encoding;
  const literal = encoding.allowsConditionally.ingress;
  const given = [
    encoding.asWritten,
    connection.is("source", "pod"),
    connection.is("destination", "pod"),
    connection.label("pod", "app").is("source", "web"),
    connection.protocol("TCP"),
    connection.portBetween(80, 80),
    ...directions.flatMap((direction) =>
      ownerActs.map((act) => {
        const owner = connection.owners[direction][act];
        return direction === "ingress" && acts.includes(act) ? owner : not(owner);
      }),
    ),
  ];
  const found = holding((assumptions) => encoding.solve(assumptions), literal, given);
  for (const each of [literal, not(literal)])
    if (encoding.solve([...given, each]) === "satisfiable") {
      const { decisions, problems } = confirm(state, readWitness(encoding));
      expect(problems).toEqual([]);
      expect(isConditional(decisions.ingress)).toBe(each === literal);
    }
  return found;
}

describe("S7.7: L7 rules only observe where nothing isolates the pod", () => {
  it.each<[why: string, policies: string, acts: readonly OwnerAct[], expected: string]>([
    ["the policy itself isolates", policy("watch", [http], isolating), [], "always"],
    ["nothing isolates", policy("watch", [http], observing), [], "never"],
    [
      "another policy isolates",
      policy("watch", [http], observing) + policy("closed", ["{}"], isolating),
      [],
      "always",
    ],
    ["an owner's policy isolates", policy("watch", [http], observing), ["isolate"], "always"],
    // S2.1: a NetworkPolicy isolates the pods it selects, whatever it allows.
    ["an owner's policy allows everything", policy("watch", [http], observing), ["allow"], "always"],
    ["an owner's policy denies", policy("watch", [http], isolating), ["deny"], "never"],
    ["server names count in any case", policy("watch", [serverName], observing), [], "always"],
  ])("%s", (_, policies, acts, expected) => {
    expect(conditional(policies, acts)).toBe(expected);
  });
});

describe("S7.7: a plain allow of the same peer and port removes the condition", () => {
  const app = "{matchLabels: {k8s:app: db}}";
  it.each([
    ["the same peer and port", [`{${web}, toPorts: [{${port80}}]}`], "{}", "never"],
    [
      "a broader port",
      [`{${web}, toPorts: [{ports: [{port: '80', endPort: 81, protocol: TCP}]}]}`],
      "{}",
      "always",
    ],
    ["every port", [`{${web}}`], "{}", "always"],
    ["a broader peer", [`{fromEntities: [cluster], toPorts: [{${port80}}]}`], "{}", "always"],
    ["another port", [`{${web}, toPorts: [{ports: [{port: '81', protocol: TCP}]}]}`], "{}", "always"],
    ["the same, for some pods", [`{${web}, toPorts: [{${port80}}]}`], app, "sometimes"],
  ] as const)("%s", (_, plain, subject, expected) => {
    expect(conditional(policy("watch", [http], isolating) + policy("plain", plain, isolating, subject))).toBe(
      expected,
    );
  });

  it("but not one that depends on a server name", () => {
    const plain = `{${web}, toPorts: [{${port80}}]}`;
    expect(conditional(policy("watch", [serverName], isolating) + policy("plain", [plain], isolating))).toBe(
      "always",
    );
  });
});
