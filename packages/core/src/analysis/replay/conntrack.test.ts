import { describe, expect, it } from "vitest";
import { formatAddress } from "../../net/address.js";
import { readConntrack } from "./records.js";

/** `10.0.0.1 > 10.0.0.2 80/TCP`, or what else the line is. */
function summary(text: string): string {
  const line = readConntrack(text);
  if (line.kind !== "observation") return `${line.kind}: ${line.why}`;
  const { from, to, port, rewritten } = line.observation;
  if (from.kind !== "address" || to.kind !== "address") return "no addresses";
  const asked = port.kind === "number" ? `${port.port}/${port.protocol}` : port.kind;
  return `${formatAddress(from.address)} > ${formatAddress(to.address)} ${asked}${rewritten ? ", rewritten" : ""}`;
}

describe("conntrack -L", () => {
  it.each([
    [
      "an open connection",
      "tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=43210 dport=80 src=10.0.0.2 dst=10.0.0.1 sport=80 dport=43210 [ASSURED] mark=0 use=1",
      "10.0.0.1 > 10.0.0.2 80/TCP",
    ],
    [
      "S1.9: through a Service, the endpoint that replies is the destination",
      "tcp      6 86400 ESTABLISHED src=10.0.0.1 dst=10.96.0.10 sport=43210 dport=443 src=10.0.0.2 dst=10.0.0.1 sport=8443 dport=43210 [ASSURED] mark=0 use=1",
      "10.0.0.1 > 10.0.0.2 8443/TCP, rewritten",
    ],
    [
      "out of the cluster, behind the address of the node",
      "udp      17 29 src=10.0.0.1 dst=8.8.8.8 sport=43210 dport=53 [UNREPLIED] src=8.8.8.8 dst=192.168.0.1 sport=53 dport=43210 mark=0 use=1",
      "10.0.0.1 > 8.8.8.8 53/UDP",
    ],
    [
      "with counters, and the family in front",
      "ipv6     10 tcp      6 300 ESTABLISHED src=fd00::1 dst=fd00::2 sport=1 dport=80 packets=9 bytes=900 src=fd00::2 dst=fd00::1 sport=80 dport=1 packets=8 bytes=800 [ASSURED] mark=0 zone=0 use=2",
      "fd00::1 > fd00::2 80/TCP",
    ],
    [
      "SCTP",
      "sctp     132 10 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=1 dport=99 src=10.0.0.2 dst=10.0.0.1 sport=99 dport=1 [ASSURED] use=1",
      "10.0.0.1 > 10.0.0.2 99/SCTP",
    ],
    [
      "a ping",
      "icmp     1 29 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=5 src=10.0.0.2 dst=10.0.0.1 type=0 code=0 id=5 mark=0 use=1",
      "10.0.0.1 > 10.0.0.2 icmp",
    ],
    [
      "a ping over IPv6",
      "icmpv6   58 29 src=fd00::1 dst=fd00::2 type=128 code=0 id=5 src=fd00::2 dst=fd00::1 type=129 code=0 id=5 use=1",
      "fd00::1 > fd00::2 icmp",
    ],
    [
      "another ICMP",
      "icmp 1 29 src=10.0.0.1 dst=10.0.0.2 type=13 code=0 id=5 src=10.0.0.2 dst=10.0.0.1 type=14 code=0",
      "skipped: icmp",
    ],
    [
      "another protocol",
      "gre      47 29 src=10.0.0.1 dst=10.0.0.2 srckey=0x0 dstkey=0x0 src=10.0.0.2 dst=10.0.0.1",
      "skipped: protocol",
    ],
    [
      "what conntrack says at the end",
      "conntrack v1.4.6 (conntrack-tools): 3 flow entries have been shown.",
      "skipped: event",
    ],
    ["anything else", "hello", "broken: it does not begin like an entry of conntrack -L"],
    ["no address", "tcp 6 1 CLOSE src=x dst=10.0.0.2 sport=1 dport=80", "broken: its src is not an address"],
    ["no port", "tcp 6 1 CLOSE src=10.0.0.1 dst=10.0.0.2 sport=1", "broken: its dport is not a port"],
  ])("%s", (_, line, wanted) => expect(summary(line)).toBe(wanted));
});
