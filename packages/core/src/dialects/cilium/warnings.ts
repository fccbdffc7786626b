import type { Path } from "../../diagnostics/place.js";
import { directions } from "../../policy/model.js";
import type { LowerContext } from "../dialect.js";
import type { CiliumRule, CiliumItem } from "./schema.js";
import type { LabelSelector } from "../../labels/requirement.js";
import { clusterKey, identitiesFor, namespaceKey, sourceAndKey } from "./identity-selector.js";

const opposite = { ingress: "egress", egress: "ingress" } as const;

/** S7.10: what is valid but rarely intended. */
export function warnAboutRule(rule: CiliumRule, path: Path, context: LowerContext): void {
  const { enableDefaultDeny: given = {} } = rule;
  for (const direction of directions) {
    const [allows, denies] = [count(rule[direction]), count(rule[`${direction}Deny`])];
    const other = opposite[direction];
    if (given[direction] !== undefined && allows + denies === 0 && given[other] === undefined)
      context.warn({
        code: "TW2011",
        path: [...path, "enableDefaultDeny", direction],
        at: "key",
        message: `there is no ${direction} section, so this has no effect; the ${other} section still isolates the pods`,
        hint: `If the rule should only allow more, write \`${other}: false\`.`,
      });
    if (given[direction] === undefined && allows === 0 && denies > 0)
      context.warn({
        code: "TW2012",
        path: [...path, `${direction}Deny`],
        at: "key",
        message:
          "the rule has only deny sections, but it also isolates its pods: traffic that no policy allows is denied",
        hint: `Set \`enableDefaultDeny.${direction}\` to false to deny only what is listed, or to true if isolation is intended.`,
      });
  }
  if (rule.endpointSelector !== undefined)
    warnAboutSubject(rule.endpointSelector, [...path, "endpointSelector"], context);
}

const emptyMatters = [
  "fromEndpoints",
  "fromNodes",
  "fromCIDR",
  "fromCIDRSet",
  "fromEntities",
  "toEndpoints",
  "toNodes",
  "toCIDR",
  "toCIDRSet",
  "toEntities",
] as const;
const emptyIsAbsent = ["fromGroups", "toGroups", "toServices", "toFQDNs"] as const;

// S7.3, S7.10
export function warnAboutItem(item: CiliumItem, path: Path, context: LowerContext): void {
  const warn = (at: Path, message: string) =>
    context.warn({ code: "TW2013", path: at, at: "value", message });
  const empty = emptyMatters.find((field) => item[field]?.length === 0);
  const { toPorts = [], icmps = [] } = item;
  warnAboutPeers(item, path, context);
  const hasPeers = [...emptyMatters, ...emptyIsAbsent].some((field) => count(item[field]) > 0);
  if (empty !== undefined) warn([...path, empty], `\`${empty}\` is empty, so this item matches nothing`);
  else if (toPorts.length > 0 && toPorts.every(({ ports }) => count(ports) === 0))
    warn([...path, "toPorts"], "`toPorts` has no ports, so this item matches nothing");
  else if (icmps.length > 0 && icmps.every(({ fields }) => count(fields) === 0))
    warn([...path, "icmps"], "`icmps` has no types, so this item matches nothing");
  else if (!hasPeers && toPorts.length + icmps.length === 0)
    warn(
      path,
      "an item without peers and ports matches nothing; its only effect is that the section is not empty",
    );
}

const count = (items: readonly unknown[] | undefined): number => items?.length ?? 0;

/** S7.4, S7.15, S7.16: selectors of a subject that do not mean what they say, or only in this cluster. */
function warnAboutSubject(selector: LabelSelector, path: Path, context: LowerContext): void {
  const { namespace } = context.policy;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const { source, key: label } = sourceAndKey(key);
    const isNamespace = label === namespaceKey && (source === "any" || source === "k8s");
    if (namespace === undefined || !isNamespace || value === namespace) continue;
    const isReplaced = source === "k8s";
    context.warn({
      code: "TW2021",
      path: [...path, "matchLabels", key],
      at: "key",
      message: `a namespaced policy applies only to pods of its own namespace \`${namespace}\`; this ${isReplaced ? "label has no effect" : "rule selects no pods"}`,
      hint: "To select pods of other namespaces, use a CiliumClusterwideNetworkPolicy.",
    });
  }
  warnAboutLabels(selector, path, context);
}

function warnAboutPeers(item: CiliumItem, path: Path, context: LowerContext): void {
  for (const field of ["fromEndpoints", "toEndpoints"] as const)
    for (const [i, selector] of (item[field] ?? []).entries())
      warnAboutLabels(selector, [...path, field, i], context);
  for (const field of ["fromNodes", "toNodes"] as const)
    if ((item[field] ?? []).length > 0)
      // S7.14
      context.warn({
        code: "TW2035",
        path: [...path, field],
        at: "key",
        message: `Cilium accepts \`${field}\` only if it runs with \`enable-node-selector-labels\`; otherwise it rejects the whole policy`,
      });
}

function warnAboutLabels(selector: LabelSelector, path: Path, context: LowerContext): void {
  const { labels, clusterName } = identitiesFor(context.options);
  for (const { text, ...where } of keysOf(selector, path)) {
    const { source, key } = sourceAndKey(text);
    const warn = (code: "TW2032" | "TW2033" | "TW2034", message: string, hint: string) =>
      context.warn({ code, ...where, message, hint });
    if (source === "reserved" && /^world(-ipv[46])?$/.test(key))
      warn(
        "TW2034",
        `\`${text}\` depends on the configuration of Cilium: external addresses are \`world\` if it serves one IP family, and \`world-ipv4\` or \`world-ipv6\` if it serves both`,
        "The entity `world` matches all of them in both cases. In Tierwall, each address has both labels.",
      );
    if (source !== "any" && source !== "k8s") continue;
    if (key === clusterKey && context.options.ciliumClusterName === undefined)
      warn(
        "TW2032",
        `\`${text}\` names a cluster; this cluster is assumed to be named \`${clusterName}\``,
        "Set its name with --cilium-cluster-name.",
      );
    if (!labels.has(key))
      warn(
        "TW2033",
        `Cilium does not include label \`${key}\` in the identity of pods, so no pod has it here`,
        "Select pods by another label. If Cilium is configured with a list of labels, set it with --cilium-labels.",
      );
  }
}

function keysOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector, path: Path) {
  const label = (text: string) => ({ text, path: [...path, "matchLabels", text], at: "key" }) as const;
  const expression = ({ key: text }: { readonly key: string }, i: number) =>
    ({ text, path: [...path, "matchExpressions", i, "key"], at: "value" }) as const;
  return [...Object.keys(matchLabels).map(label), ...matchExpressions.map(expression)];
}
