import { describe, expect, it } from "vitest";
import { readState, type StateOptions } from "../../state/state.js";
import { clusterPolicy, networkPolicy } from "../../../testing/manifests.js";
import { compareEverywhere, type Equality, outcomeOf } from "./index.js";

const stateOf = (text: string, options: StateOptions = {}) => {
  const state = readState([{ file: "policies.yaml", text }], options);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
};

const compared = (before: string, after: string): Equality =>
  compareEverywhere(stateOf(before), stateOf(after));

function difference(before: string, after: string) {
  const found = compared(before, after);
  if (found.result !== "Different") throw new Error(`they are ${found.result}`);
  const { witness } = found.before;
  return { witness, outcomes: [outcomeOf(found.before), outcomeOf(found.after)] };
}

const tenants = (rules: string) =>
  clusterPolicy("guard", { subject: "{namespaces: {matchLabels: {pci: 'true'}}}", ingress: rules });
const from = (team: string) => `{namespaces: {matchLabels: {team: ${team}}}}`;
const https = "protocols: [{tcp: {destinationPort: {number: 443}}}]";
const deny = "{action: Deny, from: [{namespaces: {}}]}";

const ccnp = (name: string, spec: string) => `---
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: ${name}}
spec: ${spec}
`;

describe("two sets of policies", () => {
  it("S11.6: are the same in every cluster, however their rules are split, named and ordered", () => {
    const together = tenants(`[{action: Accept, from: [${from("a")}, ${from("b")}], ${https}}, ${deny}]`);
    const split = tenants(
      `[{action: Accept, from: [${from("b")}], ${https}}, {action: Accept, from: [${from("a")}], ${https}}, ${deny}]`,
    );
    expect(compared(together, split).result).toBe("Same");
    expect(compared(together, split.replace("guard", "other-name")).result).toBe("Same");
    // A rule that an earlier one takes everything from.
    const unreached = tenants(
      `[{action: Accept, from: [${from("a")}, ${from("b")}], ${https}}, ${deny}, {action: Accept, from: [${from("c")}]}]`,
    );
    expect(compared(together, unreached).result).toBe("Same");
    // Two rules that no connection matches both of, the other way round.
    const [first, second] = [
      `{action: Accept, from: [${from("a")}]}`,
      `{action: Deny, from: [${from("b")}]}`,
    ];
    expect(compared(tenants(`[${first}, ${second}]`), tenants(`[${second}, ${first}]`)).result).toBe("Same");
  });

  it("S11.6: are the same where both walks differ, and the other direction denies what they differ on", () => {
    const closed = clusterPolicy("closed", { egress: "[{action: Deny, to: [{namespaces: {}}]}]" });
    const ingress = clusterPolicy("in", { ingress: `[{action: Deny, from: [${from("a")}]}]` });
    expect(compared(closed, closed + ingress).result).toBe("Same");
    expect(compared("", ingress).result).toBe("Different");
  });

  it("S11.7: differ in a cluster that the evaluator confirms on both sides", () => {
    const { witness, outcomes } = difference(
      tenants(`[{action: Accept, from: [${from("a")}], ${https}}, ${deny}]`),
      tenants(`[{action: Accept, from: [${from("b")}], ${https}}, ${deny}]`),
    );
    expect(witness.destination.namespaceLabels).toEqual({ pci: "true" });
    expect([witness.protocol, witness.port, outcomes.toSorted()]).toEqual([
      "TCP",
      443,
      ["allowed", "denied"],
    ]);
  });

  it("S11.6: owners may write more policies: Pass to them is not a Deny behind them", () => {
    const baseline = (action: string) =>
      clusterPolicy("default", {
        tier: "Baseline",
        ingress: `[{action: ${action}, from: [{namespaces: {}}]}]`,
      });
    const admin = clusterPolicy("default", { ingress: deny.replace(/^/, "[").replace(/$/, "]") });
    const { witness, outcomes } = difference(baseline("Deny"), admin);
    expect([witness.owners.ingress, outcomes]).toEqual(["allow", ["allowed", "denied"]]);
    // Where nothing is decided, a policy that isolates no pod changes nothing; one that allows everything does.
    const everything = networkPolicy("shop/open", { ingress: "[{}]" });
    expect(difference("", everything).witness.owners.ingress).toBe("isolate");
  });

  it("S11.6: of Cilium have owners who deny, also the pod's own node", () => {
    const allowAll = ccnp("open", "{endpointSelector: {}, ingress: [{fromEntities: [all]}]}");
    const fromHost = ccnp(
      "host",
      "{endpointSelector: {}, enableDefaultDeny: {ingress: false}, ingressDeny: [{fromEntities: [host]}]}",
    );
    const { witness } = difference(allowAll, allowAll + fromHost);
    expect([witness.destination.kind, witness.source.node === witness.destination.node]).toEqual([
      "pod",
      true,
    ]);
    const split = ccnp(
      "open",
      "{endpointSelector: {}, ingress: [{fromEntities: [cluster]}, {fromEntities: [world]}]}",
    );
    expect(compared(allowAll, split).result).toBe("Same");
  });

  it("S11.6: differ where one of them allows under a condition", () => {
    const spec = (rules: string) =>
      `{endpointSelector: {}, ingress: [{fromEntities: [all], toPorts: [{ports: [{port: "80", protocol: TCP}]${rules}}]}]}`;
    const http = ccnp("http", spec(", rules: {http: [{method: GET}]}"));
    const plain = ccnp("plain", spec(""));
    expect(difference(http, plain).outcomes).toEqual(["allowed under a condition", "allowed"]);
    expect(compared(http, http).result).toBe("Same");
    // S7.7: what is allowed plainly elsewhere is allowed plainly.
    expect(compared(http + plain, plain).result).toBe("Same");
  });

  it("S11.6: share facts, and CIDR groups are those of each side", () => {
    const group = (cidr: string) =>
      `---\napiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata: {name: offices}\nspec: {externalCIDRs: [${cidr}]}\n`;
    const byGroup = ccnp(
      "offices",
      "{endpointSelector: {}, egress: [{toCIDRSet: [{cidrGroupRef: offices}]}]}",
    );
    expect(compared(byGroup, byGroup).result).toBe("Same");
    expect(compared(byGroup + group("203.0.113.0/24"), byGroup + group("203.0.113.0/24")).result).toBe(
      "Same",
    );
    expect(difference(byGroup + group("203.0.113.0/24"), byGroup + group("203.0.113.0/25")).outcomes).toEqual(
      ["allowed", "denied"],
    );
    const byName = (names: string) =>
      clusterPolicy("names", {
        egress: `[{action: Accept, to: [{domainNames: [${names}]}]}, {action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}]`,
      });
    expect(compared(byName('"*.example.com"'), byName('"*.example.com", www.example.com')).result).toBe(
      "Same",
    );
    expect(compared(byName("www.example.com"), byName('"*.example.com"')).result).toBe("Different");
  });

  it("S11.7: are not decided where the budget is exhausted", () => {
    const [a, b] = [stateOf(tenants(`[${deny}]`)), stateOf("")];
    expect(compareEverywhere(a, b, { deadline: 0 })).toMatchObject({ result: "NotDecided" });
  });
});
