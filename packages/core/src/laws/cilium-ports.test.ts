import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CiliumItem,
  ciliumSections,
  type CiliumSpec,
} from "../../testing/arbitrary/arbitrary-cilium.js";
import { type Manifest, transports } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

interface Port {
  readonly port?: string;
  readonly endPort?: number;
  readonly protocol?: string;
}

/** Each entry with its defaults written out: its protocols, its range, the spelling of its name. */
function writtenOut({ port, endPort = 0, protocol = "ANY" }: Port): readonly Port[] {
  // VRRP, ESP and the like have no ports, and no connection is over them.
  if (port === undefined || protocol === "ESP") return [];
  const isNumber = /^\d+$/.test(port);
  const range = port === "0" ? { port: "1", endPort: 65535 } : { port: port.toLowerCase() };
  const extent =
    isNumber && endPort > Number(port) ? { port: String(Math.max(Number(port), 1)), endPort } : range;
  return (protocol === "ANY" ? transports : [protocol]).map((one) => ({ ...extent, protocol: one }));
}

const spellOut = (item: CiliumItem): CiliumItem =>
  item.toPorts === undefined
    ? item
    : {
        ...item,
        toPorts: item.toPorts.map((entry) =>
          entry.ports === undefined
            ? entry
            : { ...entry, ports: (entry.ports as Port[]).flatMap(writtenOut) },
        ),
      };

const spellOutAll = (spec: CiliumSpec): CiliumSpec => ({
  ...spec,
  ...Object.fromEntries(
    ciliumSections.flatMap((section) => {
      const items = spec[section];
      return items === undefined ? [] : [[section, items.map(spellOut)]];
    }),
  ),
});

describe("Cilium's ports", () => {
  it("S7.6, S7.11: no protocol and ANY are all three, port 0 is every port, and an end before its start is ignored", () => {
    fc.assert(
      fc.property(anyScenario({ kinds: ["Cilium"], minLength: 1, maxLength: 4 }), (scenario) => {
        const spelled = (scenario.policies as readonly Manifest<CiliumSpec>[]).map((policy) => ({
          ...policy,
          ...(policy.spec === undefined ? {} : { spec: spellOutAll(policy.spec) }),
          ...(policy.specs === undefined ? {} : { specs: policy.specs.map(spellOutAll) }),
        }));
        expect(verdictsIn(stateIn(scenario, spelled), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 120 },
    );
  });
});
