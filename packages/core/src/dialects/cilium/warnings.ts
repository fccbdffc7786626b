import type { Path } from "../../diagnostics/place.js";
import { directions } from "../../policy/model.js";
import type { LowerContext } from "../dialect.js";
import type { CiliumRule, CiliumItem } from "./schema.js";
import { warnAboutPeers, warnAboutSubject } from "./selector-warnings.js";

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
