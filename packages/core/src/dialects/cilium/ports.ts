import type { PortMatch, TransportProtocol } from "../../policy/model.js";
import { portName } from "../../schema/formats.js";
import {
  type Violation,
  type Format,
  integer,
  list,
  object,
  oneOf,
  type Static,
  string,
} from "../../schema/schema.js";

/** IP protocols without ports, which verdicts do not cover (S7.6). */
const portless = ["VRRP", "IGMP", "GRE", "IPIP", "IPV6", "ESP", "AH"] as const;

type Portless = (typeof portless)[number];

const isPortless = (protocol: unknown): protocol is Portless => portless.some((one) => one === protocol);

const isNumeric = (text: string): boolean => /^\d+$/.test(text);

/** Cilium writes ports as text: a number, or the name of a container port, whatever its case. */
const portText: Format = {
  name: "cilium-port",
  check: (text) => {
    if (!isNumeric(text)) return portName.check(text.toLowerCase());
    if (/^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65535) return [];
    return [
      {
        code: "TW1311",
        message: `\`${text}\` is not a port; write a number from 0 to 65535, where 0 is every port`,
      },
    ];
  },
};

const port = object(
  "a Cilium port",
  "A port, a range of ports, or every port of a protocol.",
  {
    port: string(
      'A number in quotes, or the name of a container port of the destination; "0" is every port.',
      {
        format: portText,
      },
    ),
    endPort: integer("The last port of a range that begins at `port`; ignored unless it is larger.", {
      minimum: 0,
      maximum: 65535,
    }),
    protocol: oneOf(
      `The protocol; ANY is TCP, UDP and SCTP, not ICMP. ${portless.join(", ")} have no ports and do not affect verdicts.`,
      ["TCP", "UDP", "SCTP", ...portless, "ANY"],
      "ANY",
    ),
  },
  [
    { kind: "custom", check: checkPort },
    { kind: "custom", check: checkEndPort },
  ],
);

export const ports = list("The ports that match; an empty list matches none.", port, { maxItems: 40 });

const transports = ["TCP", "UDP", "SCTP"] as const satisfies readonly TransportProtocol[];

// S7.6
export function lowerPort({
  port,
  endPort = 0,
  protocol = "ANY",
}: Static<typeof ports>[number]): readonly PortMatch[] {
  if (port === undefined || isPortless(protocol)) return [];
  if (!isNumeric(port)) {
    const name = port.toLowerCase();
    return [protocol === "ANY" ? { kind: "named", name } : { kind: "named", name, protocol }];
  }
  const number = Number(port);
  const isRange = endPort > number;
  const first = Math.max(number, 1);
  // S7.11: an end that is not after the start is ignored.
  const last = isRange ? endPort : number === 0 ? 65535 : number;
  return (protocol === "ANY" ? transports : [protocol]).map((p) => ({
    kind: "range",
    protocol: p,
    first,
    last,
  }));
}

/** A range in the sense of S7.9: more than one port, and not every port. */
export function isPortRange(port: unknown, endPort: unknown): boolean {
  return typeof port === "string" && isNumeric(port) && typeof endPort === "number" && endPort > Number(port);
}

function checkPort(entry: Readonly<Record<string, unknown>>): readonly Violation[] {
  const { port, protocol } = entry;
  // As in Cilium, which accepts a name there, but no number except 0.
  if (isPortless(protocol) && typeof port === "string" && isNumeric(port) && port !== "0")
    return [
      { code: "TW1420", path: ["port"], message: `${protocol} has no ports; leave out \`port: "${port}"\`` },
    ];
  if (Object.hasOwn(entry, "port") || isPortless(protocol)) return [];
  return [{ code: "TW1202", path: [], message: '`port` is missing; write `port: "0"` for every port' }];
}

// S7.11
function checkEndPort({ port, endPort }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (typeof port !== "string" || typeof endPort !== "number" || endPort === 0 || isPortRange(port, endPort))
    return [];
  const reading = port === "0" ? "every port" : `only \`${port}\``;
  const why = isNumeric(port) ? "is not larger than `port`" : "has no effect with a port name";
  return [
    {
      code: "TW2020",
      path: ["endPort"],
      message: `\`endPort: ${endPort}\` ${why}; the entry matches ${reading}`,
    },
  ];
}
