import { run } from "../kernel/command.js";
import type { SocketAddress } from "./redirect.js";

/** UDP "connections" of a pod to a DNS server from before it was redirected would never meet the proxy. */
export async function forgetQueries(pod: string, server: SocketAddress): Promise<void> {
  const family = pod.includes(":") ? "ipv6" : "ipv4";
  const what = ["-s", pod, "-d", server.address, "-p", "udp", "--dport", String(server.port)];
  // It fails where there are none, and where they cannot be deleted they end by themselves.
  await run(["conntrack", "-D", "-f", family, ...what]);
}

/** The other way round: "connections" that were redirected to a proxy which is no longer there. */
export async function forgetRedirected({ address, port }: SocketAddress): Promise<void> {
  const [family, host] = address.includes(":") ? ["ipv6", `[${address}]`] : ["ipv4", address];
  await run(["conntrack", "-D", "-f", family, "-p", "udp", "--dst-nat", `${host}:${port}`]);
}
