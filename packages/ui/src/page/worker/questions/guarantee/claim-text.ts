import { describePeers, describePorts } from "@tierwall/core/model";
import type { Guarantee } from "@tierwall/core/prove";

type Claim = Guarantee["claim"];

/** `No connection from all pods to nodes with role=db on 22/TCP is allowed, whatever NetworkPolicies are written.` */
export function claimText({ from, to, ports, exceptPorts, verdict, whatever }: Claim): string {
  const except = exceptPorts.length === 0 ? "" : ` except ${describePorts(exceptPorts)}`;
  const which = `connection from ${endText(from)} to ${endText(to)} on ${portsText(ports)}${except}`;
  const owners = ownersText[whatever.networkPolicies];
  return `${verdict === "Deny" ? "No" : "Every"} ${which} is allowed, ${owners}.`;
}

// "No connection on every port" would mean something else.
const portsText = (ports: Claim["ports"]): string => describePorts(ports).replace(/^every /, "any ");

const ownersText: Readonly<Record<Claim["whatever"]["networkPolicies"], string>> = {
  anything: "whatever NetworkPolicies are written or deleted",
  more: "whatever NetworkPolicies are added",
  "as-written": "with the NetworkPolicies as they are",
};

function endText(list: Claim["from"]): string {
  return list
    .map((end) => {
      if (end.kind === "host-network-pods") return "host-network pods";
      if (end.kind === "entity") return "addresses outside the cluster";
      // After "no connection from", "all" would be wrong.
      return describePeers([end]).replace(/^all (?=pods)/, "");
    })
    .join(" or ");
}
