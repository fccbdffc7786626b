import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { world } from "../../../testing/world.js";
import { parseEndpoint, parsePort, type PortRef } from "../endpoints/endpoint-ref.js";
import { explain } from "./explain.js";

const together = (...documents: readonly string[]) => documents.join("\n---\n");
const replica = (name: string, labels: string, address: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: ${name}, labels: {${labels}}, ownerReferences: [{kind: StatefulSet, name: set, controller: true}]}, status: {podIPs: [${address}]}}`;
const v4 = (last: number) => `{ip: 10.0.0.${last}}`;
const v6 = (last: number) => `{ip: "fd00::${last}"}`;
const client = `{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: client}, status: {podIPs: [${v4(9)}, ${v6(9)}]}}`;
const isolate = (selector: string, spec = "") =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: x, name: np}, spec: {podSelector: {${selector}}, policyTypes: [Ingress]${spec}}}`;

function explained(yaml: string, from: string, to: string, port: PortRef | string = { kind: "all" }) {
  const [source, target] = [parseEndpoint(from), parseEndpoint(to)];
  const parsed = typeof port === "string" ? parsePort(port) : { ok: true as const, value: port };
  if (!source.ok || !target.ok || !parsed.ok) throw new Error("the question is not understood");
  return explain(world(yaml).state, { from: source.value, to: target.value, port: parsed.value });
}
const must = (...question: Parameters<typeof explained>) => {
  const result = explained(...question);
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value;
};

describe("an explanation", () => {
  const yaml = together(client, replica("set-0", "app: a", v4(1)), replica("set-1", "app: a", v4(2)));

  it("has the question, the labels of both endpoints, and the verdict", () => {
    expect(must(yaml, "x/client", "x/StatefulSet/set", "80")).toMatchObject({
      from: "x/client",
      to: "x/StatefulSet/set",
      verdict: "Allow",
      question: { port: { kind: "number", port: 80, protocol: "TCP" } },
    });
  });

  it("replicas that agree are listed once", () => {
    const { answers } = must(yaml, "x/client", "x/set", "80");
    expect(answers.map(({ pair }) => formatEndpoint(pair.destination))).toEqual(["x/set-0"]);
  });

  it("replicas that do not agree are listed separately", () => {
    const mixed = together(
      client,
      replica("set-0", "app: a", v4(1)),
      replica("set-1", "app: b", v4(2)),
      isolate("matchLabels: {app: b}"),
    );
    const { verdict, answers } = must(mixed, "x/client", "x/set", "80");
    expect(verdict).toBe("Mixed");
    expect(
      answers.map(({ pair, explained: e }) => [formatEndpoint(pair.destination), e?.connection.verdict]),
    ).toEqual([
      ["x/set-0", "Allow"],
      ["x/set-1", "Deny"],
    ]);
  });

  it("S1.15: families that differ are listed separately, those that agree once", () => {
    const dual = (policy: string) =>
      together(client, replica("set-0", "app: a", `${v4(1)}, ${v6(1)}`), policy);
    const only4 = isolate("", ", ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]");
    const families = (text: string) =>
      must(text, "x/client", "x/set", "80").answers.map(({ pair, explained: e }) => [
        pair.family,
        e?.connection.verdict,
      ]);
    expect(families(dual(only4))).toEqual([
      [4, "Allow"],
      [6, "Deny"],
    ]);
    expect(families(dual(isolate("")))).toEqual([[4, "Deny"]]);
  });

  it("what cannot be asked is said with its code", () => {
    const codeOf = (result: ReturnType<typeof explained>) => (result.ok ? "" : result.diagnostic.code);
    expect(codeOf(explained(yaml, "x/absent", "x/set", "80"))).toBe("TW1502");
    expect(codeOf(explained(yaml, "x/client", "x/set", "web"))).toBe("TW1504");
    expect(codeOf(explained(yaml, "x/client", "x/absent"))).toBe("TW1502");
  });
});

describe("a question about every port", () => {
  const yaml = together(
    client,
    replica("set-0", "app: a", v4(1)),
    isolate("matchLabels: {app: a}", ", ingress: [{ports: [{port: 80}]}]"),
  );

  it("is answered with sets of ports instead of one trace", () => {
    const { answers, verdict } = must(yaml, "x/client", "x/set");
    expect(verdict).toBe("Mixed");
    expect(answers).toHaveLength(1);
    expect(answers[0]).not.toHaveProperty("explained");
    expect(answers.at(0)!.ports!.map(({ protocol, verdict: v }) => `${protocol} ${v}`)).toEqual([
      "TCP Deny",
      "TCP Allow",
      "UDP Deny",
      "SCTP Deny",
      "ICMP Deny",
    ]);
  });

  it("of one protocol, with those of it", () => {
    const { verdict, answers } = must(yaml, "x/client", "x/set", { kind: "all", protocol: "UDP" });
    expect(verdict).toBe("Deny");
    expect(answers.at(0)!.ports!.map(({ protocol }) => protocol)).toEqual(["UDP"]);
  });

  it("has one verdict where all ports agree", () => {
    expect(must(yaml, "x/set", "x/client").verdict).toBe("Allow");
  });
});
