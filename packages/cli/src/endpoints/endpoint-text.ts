import { endpointsCalled, isKindOfEndpoint, type NamedEndpoint } from "@tierwall/core/analysis";
import { type Inventory, parseAddress } from "@tierwall/core/model";

export type Role = "source" | "destination";

/** What was typed for an endpoint, with the namespace of -n where it names none. */
export type EndpointText =
  | { readonly ok: true; readonly text: string }
  /** A name without a namespace: the endpoints it can mean, and the port that was typed after it. */
  | {
      readonly ok: false;
      readonly name: string;
      readonly port: string;
      readonly choices: readonly NamedEndpoint[];
    };

export function completeEndpoint(
  cluster: Inventory,
  typed: string,
  role: Role,
  namespace: string | undefined,
): EndpointText {
  const [, first = "", second, port = ""] = /^([\w.-]+)(?:\/([\w.-]+))?(:[\w/-]*)?$/.exec(typed) ?? [];
  const isOther = first === "" || first === "node" || first === "new" || /^[\d.]+$/.test(first);
  if (isOther || parseAddress(first) !== undefined) return { ok: true, text: typed };
  if (second !== undefined) {
    // `deploy/cart`, as kubectl takes it.
    const isKind = namespace !== undefined && isKindOfEndpoint(first) && !cluster.namespaces.has(first);
    return { ok: true, text: isKind ? `${namespace}/${typed}` : typed };
  }
  // With a dot in it, it is a host name unless a pod has it.
  const choices = endpointsCalled(cluster, first, role);
  if (choices.length === 0 && first.includes(".")) return { ok: true, text: typed };
  if (namespace !== undefined) return { ok: true, text: `${namespace}/${typed}` };
  return { ok: false, name: first, port, choices };
}
