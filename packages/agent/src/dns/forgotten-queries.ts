import { run } from "../kernel/command.js";
import type { SocketAddress } from "./redirect.js";

/** Deletes tracked UDP queries of a pod to a DNS server from before it was redirected: they would bypass the proxy. */
export async function forgetQueries(pod: string, server: SocketAddress): Promise<void> {
  const family = pod.includes(":") ? "ipv6" : "ipv4";
  const what = ["-s", pod, "-d", server.address, "-p", "udp", "--dport", String(server.port)];
  // It fails if there are none. Entries that cannot be deleted expire.
  await run(["conntrack", "-D", "-f", family, ...what]);
}

/** Deletes tracked queries that were redirected to a proxy that no longer runs. */
export async function forgetRedirected({ address, port }: SocketAddress): Promise<void> {
  const [family, host] = address.includes(":") ? ["ipv6", `[${address}]`] : ["ipv4", address];
  await run(["conntrack", "-D", "-f", family, "-p", "udp", "--dst-nat", `${host}:${port}`]);
}
