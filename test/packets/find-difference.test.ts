import { describe, expect, it, vi } from "vitest";
import { examOf } from "./comparison.js";
import { findDifference, type StartEnforcer } from "./find-difference.js";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import { enforceLiterally } from "./literal-ruleset.js";
import { flowsIn, seriesOf } from "./scenarios.js";

const flows = 200;
const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describe.skipIf(reason !== undefined)(
  `searching for packets that do not match their verdict${because(reason)}`,
  () => {
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

    it("finds nothing if all denials are enforced", async () => {
      const { sent, found } = await findDifference(series, { wiring: "bridged", enforcer: denied(), flows });
      expect(found).toBeUndefined();
      expect(sent).toBeGreaterThan(flows);
    });

    it("reports what it found with only the policies that are needed, and what happened", async () => {
      const { found } = await findDifference(series, { wiring: "routed", enforcer: denied("TCP"), flows });
      expect(found).toMatch(
        /^# .* TCP .* is Deny\n#   egress: .*\n#   ingress: .*\n# and on the wire it is arrived \(routed\)\n/,
      );
      expect(found!.match(/kind: "\w+Policy"/g)).toHaveLength(1);
    });
  },
);
