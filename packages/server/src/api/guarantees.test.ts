import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runPage, type TestPage } from "../../testing/running-page.js";
import type { CurrentState } from "../current-state.js";
import { Reading } from "../reading.js";
import { guaranteesOperation } from "./guarantees.js";

const guardrail = `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {matchLabels: {pci: "true"}}}
  ingress: [{name: none, action: Deny, from: [{namespaces: {}}]}]
`;
const closed = `
apiVersion: tierwall.dev/v1
kind: Guarantee
metadata: {name: closed}
spec: {from: {namespaces: {}}, to: {namespaces: {matchLabels: {pci: "true"}}}, verdict: Deny}
`;
const many = Array.from({ length: 30 }, (_, i) => closed.replace("name: closed", `name: closed-${i}`)).join(
  "---",
);
const readingOf = (...texts: readonly string[]) =>
  new Reading({
    title: "Test",
    provenance: "file",
    sources: texts.map((text, i) => ({ file: `${i}.yaml`, text })),
    options: {},
  });

interface Proofs {
  readonly guarantees: readonly { readonly name: string; readonly result: string }[];
  readonly remarks: readonly { readonly code: string }[];
}

async function ask(operation: ReturnType<typeof guaranteesOperation>, reading: Reading): Promise<Proofs> {
  const request = new Request("http://127.0.0.1/api/v1/guarantees");
  // Only the reading is asked for.
  const state = { reading } as CurrentState;
  const response = await operation.answer({ request, query: new URLSearchParams(), state });
  return (await response.json()) as Proofs;
}

describe("GET /guarantees", () => {
  let page: TestPage | undefined;
  afterEach(async () => {
    await page?.close();
    page = undefined;
    vi.restoreAllMocks();
  });

  it("answers as `tierwall prove -o json`, and follows the files", async () => {
    page = await runPage({ "guard.yaml": guardrail, "closed.yaml": closed });
    const results = async () =>
      ((await page!.get("/api/v1/guarantees")).value() as Proofs).guarantees.map(({ result }) => result);
    expect(await results()).toEqual(["Proven"]);
    page.write("guard.yaml", guardrail.replace("Deny", "Accept"));
    await expect.poll(results, { timeout: 300_000, interval: 100 }).toEqual(["Refuted"]);
  });

  it("reports guarantees that cannot be read, and decides the others", async () => {
    const broken = closed.replace("verdict: Deny", "verdict: Never");
    const { guarantees, remarks } = await ask(guaranteesOperation(), readingOf(guardrail, closed, broken));
    expect(guarantees.map(({ result }) => result)).toEqual(["Proven"]);
    expect(remarks.map(({ code }) => code)).toEqual(["TW1203"]);
  });

  it("is not answered by a page whose process has other work", async () => {
    page = await runPage({ "closed.yaml": closed }, { answers: "page" });
    expect((await page.get("/api/v1/guarantees")).status).toBe(404);
  });
});

describe("a client cannot occupy the server with guarantees", () => {
  it("each state is decided once, however many clients ask", async () => {
    const operation = guaranteesOperation();
    const reading = readingOf(guardrail, closed);
    const reads = vi.spyOn(reading, "sources", "get");
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(operation, reading)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it("one state at a time is decided", async () => {
    const operation = guaranteesOperation();
    const [first, second] = [readingOf(guardrail, many), readingOf(closed)];
    const [begun, waiting] = [vi.spyOn(first, "sources", "get"), vi.spyOn(second, "sources", "get")];
    const both = Promise.all([ask(operation, first), ask(operation, second)]);
    await setImmediate();
    expect(begun).toHaveBeenCalledTimes(1);
    expect(waiting).not.toHaveBeenCalled();
    await both;
    expect(waiting).toHaveBeenCalledTimes(1);
  });

  it("what takes longer than the limit is not decided", async () => {
    for (const limits of [
      { each: -1, all: 10_000 },
      { each: 1000, all: -1 },
    ]) {
      const { guarantees } = await ask(guaranteesOperation(limits), readingOf(guardrail, closed));
      expect(guarantees.map(({ result }) => result)).toEqual(["NotDecided"]);
    }
  });

  it("other requests are answered between two guarantees", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const { guarantees } = await ask(guaranteesOperation(), readingOf(guardrail, many));
    clearInterval(timer);
    expect(guarantees).toHaveLength(30);
    expect(turns).toBeGreaterThan(3);
  });
});
