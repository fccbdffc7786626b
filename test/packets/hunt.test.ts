import { describe, expect, it, vi } from "vitest";
import { examOf } from "./comparison.js";
import { hunt, type StartEnforcer } from "./hunt.js";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import { enforceLiterally } from "./literal-ruleset.js";
import { flowsIn, seriesOf } from "./scenarios.js";

const flows = 200;
const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describe.skipIf(reason !== undefined)(`hunting for packets with another fate${because(reason)}`, () => {
  const several = (seed: number) => seriesOf(seed, 2).scenarios[0]!.policies.length > 3;
  const series = seriesOf(Array.from({ length: 50 }, (_, i) => i).find(several)!, 2);
  const denied =
    (spare?: string): StartEnforcer =>
    async (lab) => ({
      apply: (state) => {
        const asked = examOf(lab, state, flowsIn(state, flows)).asked;
        const wanted = asked.filter(({ wanted, flow }) => wanted === "Deny" && flow.protocol !== spare);
        return enforceLiterally(lab, wanted);
      },
      stop: () => Promise.resolve(),
    });

  it("comes home with nothing where all denials are enforced", async () => {
    const { sent, found } = await hunt(series, { wiring: "bridged", enforcer: denied(), flows });
    expect(found).toBeUndefined();
    expect(sent).toBeGreaterThan(flows);
  });

  it("keeps what it found with the policies that it takes, and says what happened", async () => {
    const { found } = await hunt(series, { wiring: "routed", enforcer: denied("TCP"), flows });
    expect(found).toMatch(
      /^# .* TCP .* is Deny\n#   egress: .*\n#   ingress: .*\n# and on the wire it is arrived \(routed\)\n/,
    );
    expect(found!.match(/kind: "\w+Policy"/g)).toHaveLength(1);
  });
});
