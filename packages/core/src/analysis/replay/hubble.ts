import { child, items, number, text, texts } from "../../cluster/fields.js";
import { echoRequest } from "../../evaluate/match.js";
import { isObject, type JsonObject } from "../../manifest/document.js";
import { parseAddress } from "../../net/address.js";
import { objectOn } from "./records.js";
import { broken, type Observation, type ObservedEnd, type ReadLine, skipped } from "./observation.js";

/*
 * Flows as `hubble observe -o json` (or jsonpb) writes them, one per line: in a wrapper, `{"flow": {…}}`, or bare.
 */

const eventKeys = ["lost_events", "node_status", "agent_event", "debug_event"];

export function isHubble(value: JsonObject): boolean {
  return isObject(value.flow) || eventKeys.some((key) => key in value) || isBareFlow(value);
}

const isBareFlow = (value: JsonObject): boolean =>
  "IP" in value && (isObject(value.source) || isObject(value.destination) || "verdict" in value);

export function readHubble(line: string): ReadLine {
  const value = objectOn(line);
  if (typeof value === "string") return broken(value);
  const flow = isObject(value.flow) ? value.flow : value;
  if (flow === value && !isBareFlow(value))
    return isHubble(value) ? skipped("event") : broken("it has no `flow`, as Hubble's records have");
  const type = text(flow, "Type");
  if (type === "L7") return skipped("request");
  if (type === "SOCK" || text(flow, "verdict") === "TRANSLATED") return skipped("event");
  // Older versions have only `reply`, and leave it out if it is false.
  if (flow.is_reply === true || flow.reply === true) return skipped("reply");
  const port = portOf(flow);
  if (port.kind === "skipped" || port.kind === "broken") return port;
  const ip = child(flow, "IP");
  const from = endOf(child(flow, "source"), text(ip, "source"));
  const to = endOf(child(flow, "destination"), text(ip, "destination"));
  if (from === undefined || to === undefined)
    return broken(`its ${from === undefined ? "source" : "destination"} has neither a pod nor an address`);
  const seen = seenIn(flow);
  return {
    kind: "observation",
    observation: { from, to, port, times: 1, ...(seen === undefined ? {} : { seen }) },
  };
}

function portOf(flow: JsonObject): Observation["port"] | Exclude<ReadLine, { kind: "observation" }> {
  const l4 = child(flow, "l4");
  for (const protocol of ["TCP", "UDP", "SCTP"] as const) {
    if (!isObject(l4[protocol])) continue;
    const standing =
      protocol === "TCP" ? standingOf(child(l4.TCP, "flags"), flow.is_reply === false) : "opens";
    if (standing !== "opens") return { kind: "skipped", why: standing };
    const port = number(l4[protocol], "destination_port") ?? 0;
    return Number.isInteger(port) && port >= 1 && port <= 65535
      ? { kind: "number", port, protocol }
      : { kind: "broken", why: `its ${protocol} part has no destination_port` };
  }
  const types = { 4: child(l4, "ICMPv4").type, 6: child(l4, "ICMPv6").type };
  if (types[4] === echoRequest[4] || types[6] === echoRequest[6]) return { kind: "icmp" };
  return { kind: "skipped", why: "ICMPv4" in l4 || "ICMPv6" in l4 ? "icmp" : "protocol" };
}

/** Without `is_reply`, only a packet that opens a connection shows its direction. */
function standingOf(flags: JsonObject, isKnownToOpen: boolean): "opens" | "reply" | "established" {
  if (isKnownToOpen || Object.keys(flags).length === 0) return "opens";
  if (flags.SYN === true) return flags.ACK === true ? "reply" : "opens";
  return "established";
}

function endOf(end: JsonObject, ip: string | undefined): ObservedEnd | undefined {
  const address = ip === undefined ? undefined : parseAddress(ip);
  const [namespace, name] = [text(end, "namespace"), text(end, "pod_name")];
  if (namespace !== undefined && name !== undefined) {
    // Older versions write the namespace into the name.
    const bare = name.startsWith(`${namespace}/`) ? name.slice(namespace.length + 1) : name;
    const workload = items(end, "workloads")[0] ?? {};
    const [kind, made] = [text(workload, "kind"), text(workload, "name")];
    return {
      kind: "pod",
      namespace,
      name: bare,
      ...(kind === undefined || made === undefined ? {} : { workload: { kind, name: made } }),
      ...(address === undefined ? {} : { address }),
    };
  }
  if (address === undefined) return undefined;
  const claimed = claimedBy(texts(end, "labels"));
  return { kind: "address", address, ...(claimed === undefined ? {} : { claimed }) };
}

/** All endpoints have labels; only the world and the API server may be outside the cluster. */
function claimedBy(labels: readonly string[]): "node" | "pod" | undefined {
  if (labels.includes("reserved:host") || labels.includes("reserved:remote-node")) return "node";
  const mayBeOutside = /^(reserved:(world|kube-apiserver|unknown)|cidr:|fqdn:)/;
  return labels.length > 0 && !labels.some((label) => mayBeOutside.test(label)) ? "pod" : undefined;
}

/** Hubble observes one endpoint at a time, and reports what the policies of that endpoint did. */
function seenIn(flow: JsonObject): Observation["seen"] {
  const which = text(flow, "traffic_direction")?.toLowerCase();
  const where = which === "ingress" || which === "egress" ? ({ direction: which } as const) : {};
  switch (text(flow, "verdict")) {
    case "FORWARDED":
    case "REDIRECTED":
      return { verdict: "Allow", ...where };
    case "AUDIT":
      return { verdict: "Deny", ...where };
    case "DROPPED": {
      // Packets are dropped for many reasons that are not policies.
      const why = text(flow, "drop_reason_desc");
      const isPolicy = why === undefined || why.startsWith("POLICY_DEN");
      return isPolicy ? { verdict: "Deny", ...where } : undefined;
    }
    default:
      return undefined;
  }
}
