import { linesOf } from "./routes.js";

/** The interface that kube-proxy gives the addresses of Services to, in IPVS mode. */
const ipvsInterface = "kube-ipvs0";

/**
 * Why rules would not judge connections to Services, if kube-proxy is in IPVS mode or another program uses IPVS. IPVS rewrites them in the input hook, after our
 * rules: what a pod may send would be judged by the address of the Service, and what its backend on this node may receive not at
 * all. `root`: of the file system, for tests.
 */
export function ipvsInUse(root = "/"): string | undefined {
  if (interfaceNames(root).includes(ipvsInterface))
    return (
      `kube-proxy is in IPVS mode (the interface ${ipvsInterface} is there): IPVS rewrites connections to Services after the rules of this agent have judged them; ` +
      "switch kube-proxy to the mode nftables or iptables, then run `kube-proxy --cleanup` on the node or restart it"
    );
  if (hasVirtualServices(root))
    return (
      `IPVS has virtual services of another program, such as keepalived (/proc/net/ip_vs lists them, and there is no ${ipvsInterface} of kube-proxy): ` +
      "IPVS rewrites connections to them after the rules of this agent have judged them; " +
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
