import { isIP } from "node:net";
import { isLoopback } from "@tierwall/kube";
import type { Problem } from "./problem.js";

export interface GuardOptions {
  /** What the server is bound to. */
  readonly address: string;
  /** Other names under which it is reached. */
  readonly hosts: readonly string[];
}

/**
 * Why a request is refused because of its host or origin. Browsers let any site on the web send requests here, and a site whose
 * name resolves to this address (DNS rebinding) could even read the responses: so the host of a request must be a name of
 * this server, and requests of other sites are refused.
 */
export function intrusion(request: Request, options: GuardOptions): Problem | undefined {
  const host = request.headers.get("Host") ?? "";
  if (!isOwnName(nameIn(host), options))
    return {
      status: 403,
      detail: `this server is not known as \`${host}\`; to use that name, start it with --host ${nameIn(host) || "NAME"}`,
    };
  const site = request.headers.get("Sec-Fetch-Site");
  const isNavigation = request.method === "GET" && request.headers.get("Sec-Fetch-Mode") === "navigate";
  if (site !== null && site !== "same-origin" && site !== "none" && !isNavigation)
    return { status: 403, detail: "requests from other sites are refused" };
  const origin = request.headers.get("Origin");
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if (!isSafe && origin !== null && !isOrigin(origin, host))
    return { status: 403, detail: `\`${origin}\` may not send requests here; only the page itself may` };
  return undefined;
}

/** `[::1]:8080` → `::1` */
function nameIn(host: string): string {
  const name = /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, "");
  return name.toLowerCase().replace(/\.$/, "");
}

function isOwnName(name: string, { address, hosts }: GuardOptions): boolean {
  if (name === address.toLowerCase() || isLoopback(name)) return true;
  if (hosts.some((host) => host.toLowerCase() === name)) return true;
  // An address cannot resolve to another one; and if the server is bound to all addresses, any may be its own.
  return isEverywhere(address) && isIP(name) !== 0;
}

const isEverywhere = (address: string): boolean => address === "0.0.0.0" || address === "::";

const isOrigin = (origin: string, host: string): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;
