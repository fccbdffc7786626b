import type { Endpoint, Family, Inventory, Node, Rule } from "@tierwall/core/model";
import type { ChainStore } from "./chain-store.js";
import type { PeerReaches } from "../rules/peer-reach.js";
import type { PortChains } from "./port-chains.js";
import type { RuleBook, RuleRecord } from "../rules/rule-book.js";
import { type Item, plainPorts } from "../rules/rule-reach.js";
import type { Rows, Subject } from "../rules/subjects.js";

export type Denials = Readonly<Record<Family, string | undefined>>;

/** S1.6, S7.8: what rules deny to the node itself. It is allowed everything else. */
export class OwnNode {
  constructor(
    private readonly node: string,
    private readonly peers: PeerReaches,
    private readonly book: RuleBook,
    private readonly ports: PortChains,
    private readonly chains: ChainStore,
  ) {}

  /** The verdict for packets of the node; undefined if no rule applies to it. `denials`: of each pod that has the address (S1.17). */
  verdictFor(denials: readonly (string | undefined)[]): string | undefined {
    const known = [...new Set(denials.filter((denial) => denial !== undefined))];
    return known.length === 0 ? undefined : `goto ${this.chains.add("own", [...known, "goto stamp"])}`;
  }

  /** The chain that denies the node something for one subject, by family; undefined if there is none. */
  denialsFor(subject: Subject, { ingress }: Rows, cluster: Inventory): Denials {
    const binding = ingress.flatMap(({ rules }) => rules.filter((rule) => rule.bindsOwnNode));
    const denial = (family: Family) => this.denial(subject, binding, cluster, family);
    return binding.length === 0 ? { 4: undefined, 6: undefined } : { 4: denial(4), 6: denial(6) };
  }

  private denial(subject: Subject, binding: readonly Rule[], cluster: Inventory, family: Family) {
    const self = this.endpoint(cluster, family);
    const items = binding.flatMap((rule) => this.item(this.book.of(rule), subject, self, family) ?? []);
    const denying = this.ports.compute(items, []);
    return denying?.replace("goto ", "jump ");
  }

  private item(record: RuleRecord, subject: Subject, self: Endpoint, family: Family): Item | undefined {
    const matches = record.rule.peers.some((peer) => this.peers.ask(peer, subject, self, family) !== "no");
    const ports = plainPorts(record.rule.ports, subject.sample);
    if (!matches || (ports !== "every" && ports.length === 0)) return undefined;
    return { record, number: 0, ports, names: [], uncertain: false };
  }

  private endpoint(cluster: Inventory, family: Family): Endpoint {
    const node: Node = cluster.nodes.get(this.node) ?? { name: this.node, addresses: [] };
    const address = node.addresses.find((own) => own.family === family);
    return { kind: "node", node, ...(address === undefined ? {} : { address }) };
  }
}
