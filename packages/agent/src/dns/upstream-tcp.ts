import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { SourcePorts } from "./source-ports.js";
import { localAddressTowards } from "./local-address.js";
import type { Upstream } from "./reach.js";

const attemptsToBind = 5;
const connectMilliseconds = 10_000;

/** A connection to a server with the address of the pod; a text if none can be opened. */
export async function connectAsPod(
  ports: SourcePorts,
  pod: string,
  upstream: Upstream,
): Promise<Socket | string> {
  const { address: host, port } = upstream;
  try {
    if (upstream.as === "node") return await established(connect({ host, port }));
    const localAddress = await localAddressTowards(upstream);
    for (let i = 0; i < attemptsToBind; i++) {
      const reserved = await ports.reserve("tcp", localAddress, pod);
      if (typeof reserved === "string") return reserved;
      const socket = connect({ host, port, localAddress, localPort: reserved.port });
      socket.once("close", () => reserved.release());
      try {
        return await established(socket);
      } catch (error) {
        if (!isAddressInUse(error)) throw error;
      }
    }
    return "found no free source port";
  } catch (error) {
    return String(error);
  }
}

async function established(socket: Socket): Promise<Socket> {
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectMilliseconds) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
