import type { PortMatch } from "../policy/model.js";
import { portName } from "../schema/formats.js";
import { type Violation, integer, object, oneOf, type Static } from "../schema/schema.js";

/** NetworkPolicy's port, which other APIs share. */
export const policyPort = object(
  "a port",
  "A port, a range of ports, or a whole protocol.",
  {
    protocol: oneOf("The protocol. Default: TCP.", ["TCP", "UDP", "SCTP"], "TCP"),
    port: {
      type: "int-or-string",
      expected: "a port number or a port name",
      description: "A number, or the name of a container port of the destination.",
      minimum: 1,
      maximum: 65535,
      format: portName,
    },
    endPort: integer("The last port of a range that begins at `port`.", { minimum: 1, maximum: 65535 }),
  },
  [
    {
      kind: "custom",
      check: checkEndPort,
      cel: {
        rule: "!has(self.endPort) || (has(self.port) && type(self.port) == int && self.port <= self.endPort)",
        message: "`endPort` requires a number in `port` that is not larger",
      },
    },
  ],
);

type PolicyPort = Static<typeof policyPort>;

/** S2.2, S6.3: no ports means all ports. */
export function lowerPolicyPorts(ports: readonly PolicyPort[]): "every" | readonly PortMatch[] {
  return ports.length === 0 ? "every" : ports.map(lowerPolicyPort);
}

// S2.4: without `port`, every port of the protocol.
function lowerPolicyPort({ protocol = "TCP", port, endPort }: PolicyPort): PortMatch {
  if (typeof port === "string") return { kind: "named", name: port, protocol };
  return { kind: "range", protocol, first: port ?? 1, last: endPort ?? port ?? 65535 };
}

function checkEndPort({ port, endPort }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (endPort === undefined) return [];
  if (typeof port !== "number")
    return [
      { code: "TW1310", path: ["endPort"], at: "key", message: "`endPort` requires a number in `port`" },
    ];
  if (typeof endPort !== "number" || endPort >= port) return [];
  return [
    {
      code: "TW1306",
      path: ["endPort"],
      message: `the range ends at \`${endPort}\`, before it starts at \`${port}\``,
    },
  ];
}
