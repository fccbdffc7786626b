/** A packet that the kernel logged, as ulogd2's JSON output tells of it. */
export interface LoggedPacket {
  readonly time: Date;
  /** What is behind `tw:` in the prefix of the rule that logged it. */
  readonly label: string;
  readonly source: string;
  readonly destination: string;
  /** `TCP`, or the number where it is none that policies know. */
  readonly protocol: string;
  readonly ports?: { readonly source: number; readonly destination: number };
  readonly icmp?: { readonly type: number; readonly code: number };
  /** Tells a packet from others of its connection. */
  readonly trace: string;
}

const prefix = "tw:";

const protocols: Readonly<Record<number, string>> = {
  1: "ICMP",
  6: "TCP",
  17: "UDP",
  58: "ICMPv6",
  132: "SCTP",
};

/** Undefined for what is not of ours, or makes no sense. */
export function parseLoggedPacket(line: string): LoggedPacket | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    fields = value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : undefined);
  const number = (key: string) => (typeof fields[key] === "number" ? fields[key] : undefined);

  const label = text("oob.prefix")?.trim();
  const [source, destination, protocol] = [text("src_ip"), text("dest_ip"), number("ip.protocol")];
  if (!label?.startsWith(prefix) || source === undefined || destination === undefined) return undefined;
  if (protocol === undefined) return undefined;

  const [from, to] = [number("src_port"), number("dest_port")];
  const [type, code] = ["type", "code"].map((key) => number(`icmp.${key}`) ?? number(`icmpv6.${key}`));
  // Packets that the node itself sends have no time of arrival.
  const seconds = number("oob.time.sec");
  const time =
    seconds === undefined ? new Date() : new Date(seconds * 1000 + (number("oob.time.usec") ?? 0) / 1000);
  const marks = ["ip.id", "tcp.seq", "udp.csum", "icmp.csum", "icmpv6.csum", "raw.pktlen"].map(number);
  return {
    time,
    label: label.slice(prefix.length),
    source,
    destination,
    protocol: protocols[protocol] ?? String(protocol),
    ...(from === undefined || to === undefined ? {} : { ports: { source: from, destination: to } }),
    ...(type === undefined || code === undefined ? {} : { icmp: { type, code } }),
    trace: [source, destination, protocol, from, to, type, ...marks].join(" "),
  };
}
