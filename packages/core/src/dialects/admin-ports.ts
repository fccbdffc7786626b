import type { PortMatch } from "../policy/model.js";
import { portName } from "../schema/formats.js";
import {
  type Constraint,
  type Violation,
  type Format,
  integer,
  object,
  oneOf,
  required,
  type Static,
  string,
} from "../schema/schema.js";

/*
 * Ports of the policy.networking.k8s.io APIs. `portNumber`, `namedPort` and `portRange` are of section 4
 * and of the seed's spelling of ClusterNetworkPolicy; the released spelling shares their parts.
 */

export const whichPorts =
  "Ports of the destination: any of these. If missing, the rule matches every port of every protocol, " +
  "ICMP included.";

export const portNumber = (description: string) => integer(description, { minimum: 1, maximum: 65535 });

/**
 * The APIs accept any string. One that no container port can have is a mistake in a file, but from a cluster it
 * is simply a name that no port has; only an empty string cannot be distinguished from a missing field. A CRD
 * accepts what the CRD of the API accepts.
 */
const anyPortName: Format = {
  ...portName,
  patterns: ["."],
  check: (text) =>
    portName.check(text).map((complaint) => (text === "" ? complaint : { ...complaint, readable: true })),
};

export const namedPort = string(
  "The name of a container port of the destination pod, with any protocol. Nodes and addresses have no " +
    "named ports.",
  { format: anyPortName },
);

/** S3.8: a range of one port is fine in section 4, and an error in section 3. */
export type ShortestRange = "one-port" | "two-ports";

export const rangeEnds = {
  start: required(portNumber("The first port of the range.")),
  end: required(portNumber("The last port of the range, inclusive.")),
};

export function orderedRange(shortest: ShortestRange, single: string): Constraint {
  const cel =
    shortest === "one-port"
      ? { rule: "self.start <= self.end", message: "the range ends before it starts" }
      : {
          rule: "self.start < self.end",
          message: `the range must end after its start; write \`${single}\` for a single port`,
        };
  return { kind: "custom", check: checkRange(shortest, single), cel };
}

function checkRange(shortest: ShortestRange, single: string) {
  return ({ start, end }: Readonly<Record<string, unknown>>): readonly Violation[] => {
    if (typeof start !== "number" || typeof end !== "number" || start < end) return [];
    if (start > end)
      return [
        {
          code: "TW1306",
          path: ["end"],
          message: `the range ends at \`${end}\`, before it starts at \`${start}\``,
        },
      ];
    if (shortest === "one-port") return [];
    const message = `the range starts and ends at \`${start}\`; write \`${single}\` for a single port`;
    return [{ code: "TW1306", path: ["end"], message, readable: true }];
  };
}

const protocol = oneOf("The protocol. Default: TCP.", ["TCP", "UDP", "SCTP"], "TCP");

export const adminPort = (shortest: ShortestRange) =>
  object(
    "a port",
    "A port of the destination, by number, by name, or a range of them.",
    {
      portNumber: object("a port number", "One port of one protocol.", {
        protocol,
        port: required(portNumber("The port.")),
      }),
      namedPort: namedPort,
      portRange: object(
        "a port range",
        "All ports from `start` to `end` of one protocol.",
        { protocol, ...rangeEnds },
        [orderedRange(shortest, "portNumber")],
      ),
    },
    [{ kind: "exactly-one", of: ["portNumber", "namedPort", "portRange"] }],
  );

type AdminPort = Static<ReturnType<typeof adminPort>>;

/** Undefined if no field is known: a newer API (S3.6). */
export function lowerAdminPort({
  portNumber: number,
  namedPort: name,
  portRange: range,
}: AdminPort): PortMatch | undefined {
  if (number !== undefined)
    return { kind: "range", protocol: number.protocol ?? "TCP", first: number.port, last: number.port };
  if (range !== undefined)
    return { kind: "range", protocol: range.protocol ?? "TCP", first: range.start, last: range.end };
  return name === undefined ? undefined : { kind: "named", name };
}
