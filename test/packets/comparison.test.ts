import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { disagreements, type Exam, examOf } from "./comparison.js";
import { Lab } from "./lab/lab.js";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import { enforceLiterally } from "./literal-ruleset.js";
import { stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { flowsIn, seriesOf } from "./scenarios.js";

const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describe.skipIf(reason !== undefined)(`comparing verdicts with packets${because(reason)}`, () => {
  const [scenario] = seriesOf(1, 1).scenarios;
  const state = stateIn(scenario!);
  let lab: Lab;
  let exam: Exam;
  beforeAll(async () => {
    lab = await Lab.build(state.cluster, "routed");
    exam = examOf(lab, state, flowsIn(state, 800));
  });
  afterAll(() => lab?.remove());

  const denied = () => exam.asked.filter(({ wanted }) => wanted === "Deny");

  it("asks about allowed and denied connections, direct and through Services", () => {
    expect(exam.asked.length).toBeGreaterThan(400);
    expect(denied().length).toBeGreaterThan(50);
    expect(exam.asked.length - denied().length).toBeGreaterThan(50);
    const roads = exam.asked.map(({ road }) => (typeof road === "object" ? "Service" : road));
    expect(new Set(roads)).toEqual(new Set(["direct", "alias", "Service"]));
    expect(new Set(exam.asked.map(({ flow }) => flow.protocol)).size).toBe(4);
    expect(new Set(exam.asked.map(({ flow }) => flow.family))).toEqual(new Set([4, 6]));
  });

  it("finds nothing where each denial is enforced literally", async () => {
    await enforceLiterally(lab, denied());
    const found = await disagreements(lab, state, exam.asked);
    expect(found.map(({ complaint }) => complaint)).toEqual([]);
  });

  it("finds a denied connection that is forwarded", async () => {
    const [forgotten, ...others] = denied();
    await enforceLiterally(lab, others);
    const found = await disagreements(lab, state, exam.asked);
    expect(found.map(({ asked }) => asked)).toContain(forgotten);
    expect(found[0]!.complaint).toContain("is Deny");
    expect(found[0]!.complaint).toContain("and on the wire it is arrived");
  });

  it("finds an allowed connection that is dropped", async () => {
    const allowed = exam.asked.find(({ wanted, packet }) => wanted === "Allow" && packet.from !== packet.to)!;
    await enforceLiterally(lab, [...denied(), allowed]);
    const found = await disagreements(lab, state, exam.asked);
    expect(found.map(({ asked }) => asked)).toContain(allowed);
    expect(found[0]!.complaint).toContain("and on the wire it is lost");
  });
});
