import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/**
 * Ports of this machine that are free, and stay so until a server listens there a while later, or again after a restart: the
 * kernel does not assign them to connections, which take any port.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const [first] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
  const found = new Set<number>();
  while (found.size < count) {
    const port = lowest + Math.floor(Math.random() * (first! - lowest));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

/** Below it are those of services that may run here. */
const lowest = 15_000;

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
