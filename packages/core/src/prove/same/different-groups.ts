import type { CidrGroup } from "../../cluster/model.js";
import { type LabelMatch, selects } from "../../labels/requirement.js";
import { formatCidr } from "../../net/cidr.js";
import type { Peer } from "../../policy/model.js";

type GroupPeer = Extract<Peer, { kind: "cidr-group" }>;

/**
 * The CiliumCIDRGroups that a policy can name, and that do not have the same addresses in both lists: each by its name, and those with
 * just some labels by these. Any other selector is a union of the latter.
 */
export function differentGroups(
  before: readonly CidrGroup[],
  after: readonly CidrGroup[],
): readonly GroupPeer[] {
  const all = [...before, ...after];
  const keys = [...new Set(all.flatMap(({ labels }) => Object.keys(labels)))].toSorted();
  const peers = new Map<string, GroupPeer>();
  for (const group of all) {
    const labels = exactly(group, keys);
    peers.set(JSON.stringify(labels), { kind: "cidr-group", labels, except: [] });
  }
  // Behind the others: what comes last is what a counterexample keeps.
  for (const { name } of all) peers.set(name, { kind: "cidr-group", name, except: [] });
  return [...peers.values()].filter((peer) => addressesOf(peer, before) !== addressesOf(peer, after));
}

const exactly = ({ labels }: CidrGroup, keys: readonly string[]): LabelMatch =>
  keys.map((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined
      ? { key, operator: "DoesNotExist", values: [] }
      : { key, operator: "In", values: [value] };
  });

/** As a text; none where no group is named so, which is another thing than a group without addresses (S7.11). */
function addressesOf({ name, labels }: GroupPeer, groups: readonly CidrGroup[]): string | undefined {
  const named = groups.filter((group) =>
    labels === undefined ? group.name === name : selects(labels, group.labels),
  );
  if (named.length === 0) return undefined;
  return [...new Set(named.flatMap(({ cidrs }) => cidrs.map(formatCidr)))].toSorted().join();
}
