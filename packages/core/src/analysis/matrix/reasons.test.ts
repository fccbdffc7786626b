import { expect, test } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { matrixEndText } from "../../report/party-json.js";
import { portGroupsText } from "../../report/port-groups-text.js";
import { deciderText } from "../../report/explanation/rule-text.js";
import { matrixIn, shopYaml } from "../../../testing/matrix-world.js";
import type { MatrixQuestion } from "./question.js";
import { type DirectionReason, Reasons } from "./reasons.js";

const parts = ({ parts: all }: DirectionReason) =>
  all.map(({ ports, said }) => `${portGroupsText(ports)}: ${said.deciders.map(deciderText).join(" or ")}`);

/** The reasons of a cell: the endpoints that they are about, and what decides for egress and for ingress. */
function reasonsOf(yaml: string, cell: string, question: Partial<MatrixQuestion> = {}) {
  const { engine, matrix } = matrixIn(yaml, question);
  const reasons = new Reasons(engine, matrix);
  return [...matrix.connections({ denied: true })]
    .filter(({ from, to }) => `${matrixEndText(from)} -> ${matrixEndText(to)}` === cell)
    .flatMap((connection) => reasons.of(connection))
    .map(({ source, destination, egress, ingress }) => ({
      pair: `${formatEndpoint(source)} -> ${formatEndpoint(destination)}`,
      egress: parts(egress),
      ingress: parts(ingress),
    }));
}

const first = "443/TCP: NetworkPolicy payments/only-v1 rule 1 · test.yaml:44";
const second = "9000/TCP: NetworkPolicy payments/only-v1 rule 2 · test.yaml:46";
const isolated = "isolated by NetworkPolicy payments/only-v1 · test.yaml:38";

test("each pod that rules distinguish has its own reason", () => {
  expect(reasonsOf(shopYaml, "shop/web -> payments/api")).toEqual([
    {
      pair: "shop/web-1 -> payments/api",
      egress: ["any: default"],
      ingress: [first, second, `1-442,444-8999,9001-65535/TCP all UDP all SCTP ICMP: ${isolated}`],
    },
    {
      pair: "shop/web-2 -> payments/api",
      egress: ["any: default"],
      ingress: [first, `1-442,444-65535/TCP all UDP all SCTP ICMP: ${isolated}`],
    },
  ]);
});

test("only pods that were asked for are taken as examples", () => {
  const pairs = reasonsOf(shopYaml, "shop/web -> payments/api", { from: ["shop/web-2"] });
  expect(pairs.map(({ pair }) => pair)).toEqual(["shop/web-2 -> payments/api"]);
});

test("replicas that nothing distinguishes connect to each other", () => {
  const replica = (name: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: a, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, controller: true}]}\nstatus: {podIP: 10.0.0.1}`;
  expect(reasonsOf(`${replica("db-0")}\n---\n${replica("db-1")}`, "a/db -> a/db")).toEqual([
    { pair: "a/db-0 -> a/db-1", egress: ["any: default"], ingress: ["any: default"] },
  ]);
});

test("S1.6: so do replicas that a template represents", () => {
  const [reason] = reasonsOf(shopYaml, "payments/ledger -> payments/ledger");
  expect(reason).toMatchObject({
    pair: "payments/ledger -> payments/ledger",
    egress: ["any: isolated by NetworkPolicy payments/closed · test.yaml:49"],
  });
});

test("the first address of a range represents the others", () => {
  const [reason] = reasonsOf(shopYaml, "payments/api -> 203.0.113.0/29");
  expect(reason?.pair).toBe("payments/api -> 203.0.113.0");
  expect(reason?.egress[0]).toBe("443/TCP: NetworkPolicy payments/closed rule 1 · test.yaml:56");
});
