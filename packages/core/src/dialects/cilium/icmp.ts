import { didYouMean } from "../../diagnostics/suggest.js";
import type { PortMatch } from "../../policy/model.js";
import {
  type Violation,
  type Format,
  list,
  object,
  oneOf,
  required,
  type Static,
} from "../../schema/schema.js";

type FamilyName = "IPv4" | "IPv6";

/** IANA's numbers, with the names that Cilium uses. */
const typeNumbers: Readonly<Record<FamilyName, Readonly<Record<string, number>>>> = {
  IPv4: {
    EchoReply: 0,
    DestinationUnreachable: 3,
    Redirect: 5,
    Echo: 8,
    EchoRequest: 8,
    RouterAdvertisement: 9,
    RouterSelection: 10,
    TimeExceeded: 11,
    ParameterProblem: 12,
    Timestamp: 13,
    TimestampReply: 14,
    Photuris: 40,
    ExtendedEchoRequest: 42,
    ExtendedEchoReply: 43,
  },
  IPv6: {
    DestinationUnreachable: 1,
    PacketTooBig: 2,
    TimeExceeded: 3,
    ParameterProblem: 4,
    EchoRequest: 128,
    EchoReply: 129,
    MulticastListenerQuery: 130,
    MulticastListenerReport: 131,
    MulticastListenerDone: 132,
    RouterSolicitation: 133,
    RouterAdvertisement: 134,
    NeighborSolicitation: 135,
    NeighborAdvertisement: 136,
    RedirectMessage: 137,
    RouterRenumbering: 138,
    ICMPNodeInformationQuery: 139,
    ICMPNodeInformationResponse: 140,
    InverseNeighborDiscoverySolicitation: 141,
    InverseNeighborDiscoveryAdvertisement: 142,
    HomeAgentAddressDiscoveryRequest: 144,
    HomeAgentAddressDiscoveryReply: 145,
    MobilePrefixSolicitation: 146,
    MobilePrefixAdvertisement: 147,
    DuplicateAddressRequestCodeSuffix: 157,
    DuplicateAddressConfirmationCodeSuffix: 158,
    ExtendedEchoRequest: 160,
    ExtendedEchoReply: 161,
  },
};

const allNames = [...new Set([...Object.keys(typeNumbers.IPv4), ...Object.keys(typeNumbers.IPv6)])];

/** A name of either family; the enclosing field checks which of the two. */
const icmpTypeName: Format = {
  name: "icmp-type",
  check: (text) =>
    allNames.includes(text) || isTypeNumber(text)
      ? []
      : [{ code: "TW1203", message: `\`${text}\` is not an ICMP type${didYouMean(text, allNames)}` }],
};

const icmpField = object(
  "an ICMP type",
  "One type of ICMP message, of one IP family.",
  {
    family: oneOf("The IP family. Default: IPv4.", ["IPv4", "IPv6"], "IPv4"),
    type: required({
      type: "int-or-string",
      expected: "an ICMP type, by number or by name",
      description: "The number of the type, or its name, such as `EchoRequest`. Type 0 is every type.",
      minimum: 0,
      maximum: 255,
      format: icmpTypeName,
    } as const),
  },
  [{ kind: "custom", check: checkFamily }],
);

export const icmps = list(
  "Messages of ICMP, by type. Cannot be combined with `toPorts`.",
  object("an ICMP entry", "A list of ICMP types; an empty one matches nothing.", {
    fields: list("The types that match.", icmpField, { maxItems: 40 }),
  }),
);

// S7.6
export function lowerIcmps(written: Static<typeof icmps>): readonly PortMatch[] {
  return written.flatMap(({ fields = [] }) =>
    fields.map(
      ({ family = "IPv4", type }): PortMatch => ({
        kind: "icmp",
        family: family === "IPv4" ? 4 : 6,
        type: typeof type === "number" ? type : (typeNumbers[family][type] ?? Number(type)),
      }),
    ),
  );
}

const isTypeNumber = (text: string): boolean => /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255;

function checkFamily({ family = "IPv4", type }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (typeof type !== "string" || !allNames.includes(type)) return [];
  if ((family !== "IPv4" && family !== "IPv6") || Object.hasOwn(typeNumbers[family], type)) return [];
  const other = family === "IPv4" ? "IPv6" : "IPv4";
  const hint = `It is a type of ${other}: set \`family: ${other}\`.`;
  return [{ code: "TW1203", path: ["type"], message: `\`${type}\` is not an ICMP type of ${family}`, hint }];
}
