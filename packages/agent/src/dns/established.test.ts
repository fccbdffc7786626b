import { expect, test } from "vitest";
import { connectionsIn } from "./established.js";

test("a connection is the pod that opened it, and the peer that really answers", () => {
  const listed = `tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.96.0.9 sport=40112 dport=80 src=192.0.2.7 dst=10.0.0.1 sport=8080 dport=40112 [ASSURED] mark=131072 use=1
udp      17 29 src=fd00:0:0::1 dst=2001:db8::7 sport=5000 dport=443 [UNREPLIED] src=2001:db8::7 dst=fd00::1 sport=443 dport=5000 mark=131072 use=1

`;
  expect(connectionsIn(listed)).toEqual([
    { pod: "10.0.0.1", peer: "192.0.2.7" },
    { pod: "fd00::1", peer: "2001:db8::7" },
  ]);
});
