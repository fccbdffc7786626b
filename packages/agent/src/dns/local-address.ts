import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { SocketAddress } from "./redirect.js";

/** The source address that routing selects for packets of this node to an address. Nothing is sent. */
export async function localAddressTowards({ address, port }: SocketAddress): Promise<string> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  try {
    const connected = once(socket, "connect");
    socket.connect(port, address);
    await connected;
    return socket.address().address;
  } finally {
    socket.close();
  }
}
