import { linesOf } from "./routes.js";

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
