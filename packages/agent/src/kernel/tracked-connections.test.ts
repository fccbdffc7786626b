import { expect, it } from "vitest";
import { connectionsIn } from "./conntrack.js";

const printed = `
tcp      6 431990 ESTABLISHED src=10.9.0.11 dst=10.96.0.1 sport=44000 dport=80 src=10.9.0.12 dst=10.9.0.11 sport=8080 dport=44000 [ASSURED] mark=65536 use=1 id=3741538410
udp      17 119 src=fd00::11 dst=fd00::12 sport=5000 dport=53 src=fd00::12 dst=fd00::11 sport=53 dport=5000 [ASSURED] mark=65536 use=1 id=7
icmp     1 29 src=10.9.0.11 dst=10.9.0.12 type=8 code=0 id=99 src=10.9.0.12 dst=10.9.0.11 type=0 code=0 id=99 mark=65536 use=1 id=8
udp      17 29 src=fd00:0:0::1 dst=2001:db8::7 sport=5000 dport=443 [UNREPLIED] src=2001:db8::7 dst=fd00::1 sport=443 dport=5000 mark=131072 use=1 id=10
unknown  47 599 src=10.9.0.11 dst=10.9.0.12 src=10.9.0.12 dst=10.9.0.11 mark=65536 use=1 id=9
`;

it("connections are read as they were opened, to the end that answers, whatever the protocol", () => {
  expect(connectionsIn(printed)).toEqual([
    {
      id: "3741538410",
      protocol: "TCP",
      source: { address: "10.9.0.11", port: 44_000 },
      destination: { address: "10.9.0.12", port: 8080 },
    },
    {
      id: "7",
      protocol: "UDP",
      source: { address: "fd00::11", port: 5000 },
      destination: { address: "fd00::12", port: 53 },
    },
    { id: "8", protocol: "ICMP", source: { address: "10.9.0.11" }, destination: { address: "10.9.0.12" } },
    {
      id: "10",
      protocol: "UDP",
      source: { address: "fd00::1", port: 5000 },
      destination: { address: "2001:db8::7", port: 443 },
    },
    { id: "9", protocol: "47", source: { address: "10.9.0.11" }, destination: { address: "10.9.0.12" } },
  ]);
});
