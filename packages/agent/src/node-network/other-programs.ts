import { textAt } from "@tierwall/kube";
import type { Nft } from "../kernel/nft.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { linesOf } from "./bridges.js";

/** The interface that kube-proxy gives the addresses of Services to, in IPVS mode. */
const ipvsInterface = "kube-ipvs0";

/**
 * Why connections to Services would bypass rules, if kube-proxy is in IPVS mode or another program uses IPVS. IPVS rewrites them
 * in the input hook, after these rules: egress rules would see the address of the Service, and ingress rules of a backend on this
 * node would not see the connection. `root`: of the file system, for tests.
 */
export function ipvsInUse(root = "/"): string | undefined {
  if (interfaceNames(root).includes(ipvsInterface))
    return (
      `kube-proxy is in IPVS mode (the interface ${ipvsInterface} exists): IPVS rewrites connections to Services after the rules of this agent; ` +
      "switch kube-proxy to the mode nftables or iptables, then run `kube-proxy --cleanup` on the node or restart it"
    );
  if (hasVirtualServices(root))
    return (
      `IPVS has virtual services of another program, such as keepalived (/proc/net/ip_vs lists them, and kube-proxy has no interface ${ipvsInterface}): ` +
      "IPVS rewrites connections to them after the rules of this agent; " +
      "stop that program on this node and remove its virtual services with `ipvsadm --clear`"
    );
  return undefined;
}

/** Of the network namespace of this process, which /sys may not show. */
function interfaceNames(root: string): readonly string[] {
  return linesOf(root, "proc/net/dev").flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
}

/** Lines such as `TCP  0A600001:0050 rr`. */
const hasVirtualServices = (root: string): boolean =>
  linesOf(root, "proc/net/ip_vs").some((line) => /^(TCP|UDP|SCTP|FWM)\s/.test(line));

/**
 * Why connections that a policy change cuts may continue, if other programs use flowtables: packets of a connection in a
 * flowtable are forwarded without passing the rules, until it has been idle for some time. Undefined if there are none. Fails if
 * they cannot be listed, as on a kernel without flowtables.
 */
export async function flowtablesInUse(nft: Pick<Nft, "objects">): Promise<Outcome<string | undefined>> {
  const listed = await nft.objects("list", "flowtables").catch((cause: unknown) => failed(String(cause)));
  if (!listed.ok) return listed;
  const names = listed.value.filter((object) => "flowtable" in object).map(nameOf);
  if (names.length === 0) return done(undefined);
  return done(
    `other programs use flowtables (${names.join(", ")}): established connections in them bypass the rules of this agent, ` +
      "so a policy change cuts them only when they are idle or leave the flowtable; new connections are not affected; " +
      "remove the `flow add` rules in those tables, or exclude the traffic of pods",
  );
}

/** `{"flowtable": {"family": "inet", "name": "f", "table": "filter", "hook": "ingress", "prio": 0, "dev": ["eth0"]}}`. */
function nameOf(object: object): string {
  const at = (key: string) => textAt(object, "flowtable", key) || "?";
  return `${at("name")} of the table ${at("family")} ${at("table")}`;
}
