import { isUnsettled, type Rule } from "../../policy/model.js";
import { isSure } from "../walk/cell-states.js";
import type { Item } from "./rule-items.js";

/**
 * Whether each of the rules that may match depends on separate facts, so that any of them may match regardless of the
 * others. This is true for domain names without known addresses (S8.2), as long as no two rules mention the same name.
 * It is not assumed for anything else.
 */
export function areIndependent(items: Iterable<Item>): boolean {
  const speakers = new Map<string, Rule>();
  for (const { rule, effect } of items) {
    if (isSure(effect)) continue;
    // Whether it passes or not, the next tier may be asked.
    if (rule.action === "Pass" || isUnsettled(rule)) return false;
    for (const peer of rule.peers) {
      if (isCertain(peer.kind)) continue;
      if (peer.kind !== "domains") return false;
      for (const { kind, text } of peer.patterns) {
        const other = speakers.get(`${kind} ${text}`);
        if (other !== undefined && other !== rule) return false;
        speakers.set(`${kind} ${text}`, rule);
      }
    }
  }
  return true;
}

/** Peers that an address outside the cluster is or is not, and that is known. */
const isCertain = (kind: Rule["peers"][number]["kind"]): boolean =>
  kind === "everything" || kind === "pods" || kind === "networks" || kind === "nodes";
