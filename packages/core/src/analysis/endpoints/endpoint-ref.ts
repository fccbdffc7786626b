import { ok, type Result, refused } from "../../diagnostics/result.js";
import type { Labels } from "../../labels/requirement.js";
import { type Address, parseAddress } from "../../net/address.js";
import { parseCidr } from "../../net/cidr.js";
import type { Protocol } from "../../policy/model.js";

/** An endpoint as a user names it. */
export type EndpointRef =
  | { readonly kind: "named"; readonly namespace: string; readonly name: string }
  | {
      readonly kind: "workload";
      readonly workload: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: "node"; readonly name: string }
  | { readonly kind: "address"; readonly address: Address }
  /** A pod that does not exist yet. */
  | { readonly kind: "new"; readonly namespaceLabels: Labels; readonly podLabels: Labels };

/** The port of the destination: a number or a name; ICMP; or every port. */
export type PortRef =
  | { readonly kind: "number"; readonly port: number; readonly protocol: Exclude<Protocol, "ICMP"> }
  | { readonly kind: "named"; readonly name: string; readonly protocol?: Exclude<Protocol, "ICMP"> }
  | { readonly kind: "icmp" }
  | { readonly kind: "all"; readonly protocol?: Exclude<Protocol, "ICMP"> };

const forms =
  "write `NAMESPACE/POD`, `NAMESPACE/KIND/NAME`, `node:NAME`, an IP address, or `new:K=V,…/K=V,…`";

export function parseEndpoint(text: string): Result<EndpointRef> {
  const node = /^node:([^:/]+)$/.exec(text)?.[1];
  if (node !== undefined) return ok({ kind: "node", name: node });
  if (text.startsWith("new:")) return parseNew(text.slice("new:".length), text);
  const address = parseAddress(text.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) return ok({ kind: "address", address });
  if (parseCidr(text) !== undefined)
    return refused("TW1501", `\`${text}\` is a range; use one of its addresses`);
  const [namespace, second, third, ...rest] = text.includes(":") ? [] : text.split("/");
  if (namespace && second && third === undefined) return ok({ kind: "named", namespace, name: second });
  if (namespace && second && third && rest.length === 0)
    return ok({ kind: "workload", namespace, workload: second, name: third });
  return refused("TW1501", `\`${text}\` ${notAnEndpoint(text)}`);
}

function notAnEndpoint(text: string): string {
  const tooLarge = /^\d+(?:\.\d+){3}$/.test(text)
    ? text.split(".").find((part) => Number(part) > 255)
    : undefined;
  if (tooLarge !== undefined)
    return `is not a valid IP address: ${tooLarge} is more than 255; write four numbers from 0 to 255`;
  if (/^[\d.]+$/.test(text) || /^[\da-fA-F:]*:[\da-fA-F:.]*$/.test(text))
    return `is not a valid IP address; ${forms}`;
  const [, service, namespace] = /^([a-z\d-]+)\.([a-z\d-]+)\.svc(?:\.[a-z\d.-]+)?$/.exec(text) ?? [];
  if (service !== undefined) return `is the DNS name of a Service; write \`${namespace}/Service/${service}\``;
  if (/^[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)+\.?$/.test(text))
    return "is a host name, and policies match addresses; write an IP address that it resolves to, or `node:NAME` for a node";
  return `is not an endpoint; ${forms}`;
}

/** `K=V,…/K=V,…`: a slash after a value ends the namespace's labels; keys may contain a slash too. */
function parseNew(body: string, whole: string): Result<EndpointRef> {
  const parts: Record<string, string>[] = [{}];
  let rest = body;
  while (rest !== "") {
    if (rest.startsWith("/") && parts.length === 1) {
      parts.push({});
      rest = rest.slice(1);
      continue;
    }
    const pair = /^([^=,]+)=([^,/:]*)(,|(?=\/)|$)/.exec(rest);
    if (pair === null || (pair[3] === "" && rest.length > pair[0].length && parts.length === 2))
      return refused(
        "TW1501",
        `\`${whole}\` is not a new pod; write \`new:NAMESPACE_LABELS/POD_LABELS\`, as in \`new:team=a/app=web,tier=front\``,
      );
    parts.at(-1)![pair[1]!] = pair[2]!;
    rest = rest.slice(pair[0].length);
  }
  return ok({ kind: "new", namespaceLabels: parts[0]!, podLabels: parts[1] ?? {} });
}

/** An endpoint, and what follows it after a colon: `x/server:80/TCP`. */
export function splitTarget(text: string): { readonly name: string; readonly port: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  const colon = text.lastIndexOf(":");
  const plain = colon > 0 && !/^(node|new):[^:]*$/.test(text) && parseAddress(text) === undefined;
  if (bracketed) return { name: bracketed[1]!, port: bracketed[2] };
  return plain
    ? { name: text.slice(0, colon), port: text.slice(colon + 1) }
    : { name: text, port: undefined };
}

/** `ENDPOINT:PORT/PROTOCOL`, as assertions write it. */
export function parseTarget(text: string): Result<{ endpoint: EndpointRef; port: PortRef }> {
  const { name, port } = splitTarget(text);
  if (port === undefined || port === "")
    return refused(
      "TW1503",
      `\`${text}\` has no port; add \`:PORT/PROTOCOL\`, \`:NAME\` or \`:ICMP\`${text.includes(":") ? " (IPv6 addresses go in brackets)" : ""}`,
    );
  const endpoint = parseEndpoint(name);
  if (!endpoint.ok) return endpoint;
  const parsed = parsePort(port);
  return parsed.ok ? ok({ endpoint: endpoint.value, port: parsed.value }) : parsed;
}

/** `80/TCP`, `80`, `web`, `web/UDP`, `ICMP`. */
export function parsePort(text: string): Result<PortRef> {
  if (/^icmp$/i.test(text)) return ok({ kind: "icmp" });
  const [port, protocolText, ...rest] = text.split("/");
  const protocol = protocolText?.toUpperCase();
  const wrong = (why: string) =>
    refused("TW1503", `\`${text}\` ${why}; write \`80/TCP\`, a port name, or \`ICMP\``);
  if (rest.length > 0 || !port) return wrong("is not a port");
  if (protocol !== undefined && protocol !== "TCP" && protocol !== "UDP" && protocol !== "SCTP")
    return wrong(`has the unknown protocol \`${protocolText}\``);
  if (!/^\d+$/.test(port))
    return /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(port)
      ? ok({ kind: "named", name: port, ...(protocol === undefined ? {} : { protocol }) })
      : wrong("is not a port");
  const number = Number(port);
  if (number < 1 || number > 65535) return wrong("is out of range (1 to 65535)");
  return ok({ kind: "number", port: number, protocol: protocol ?? "TCP" });
}

export function formatPortRef(port: PortRef): string {
  switch (port.kind) {
    case "number":
      return `:${port.port}/${port.protocol}`;
    case "named":
      return `:${port.name}${port.protocol === undefined ? "" : `/${port.protocol}`}`;
    case "icmp":
      return " ICMP";
    case "all":
      return port.protocol === undefined ? " on every port" : ` on every ${port.protocol} port`;
  }
}
