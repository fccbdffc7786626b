/*
 * Planted bugs. Each must be found by comparing random clusters, or the generators no longer reach what it breaks. `find`
 * stands exactly once in its file: who changes that line looks here again.
 */

export interface Mutant {
  /** A possible mistake. */
  readonly name: string;
  /** In packages/core/src. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Which part is wrong then. The evaluator is compared with the oracle, the others with the evaluator. */
  readonly wrong: "engine" | "evaluator" | "encoder";
}

type Change = readonly [name: string, file: string, find: string, put: string];

const inEngine: readonly Change[] = [
  // Rules and tiers
  [
    "Pass is taken for Allow",
    "engine/walk/cell-states.ts",
    `plus(state.allowed, effect === "Allow")`,
    `plus(state.allowed, effect === "Allow" || effect === "Pass")`,
  ],
  [
    "Pass leaves the ports open to later rules of the tier",
    "engine/walk/cell-states.ts",
    "open: ports.subtract(state.open, wanted),",
    `open: effect === "Pass" ? state.open : ports.subtract(state.open, wanted),`,
  ],
  [
    "of two rules the later one wins",
    "engine/compile/tier-rows.ts",
    "placed.toSorted((a, b) => a.position - b.position)",
    "placed.toSorted((a, b) => b.position - a.position)",
  ],
  [
    "a Deny of a later tier overrules an earlier Allow",
    "engine/walk/outcomes.ts",
    "ports.union(d1, ports.subtract(d2, a1))",
    "ports.union(d1, d2)",
  ],
  [
    "the later tier speaks first",
    "engine/walk/outcomes.ts",
    "this.composed.of(first, second)",
    "this.composed.of(second, first)",
  ],
  [
    "one direction that allows is enough",
    "engine/pairs/pod-sweep.ts",
    "return into === everyPort ? out :",
    "return into === everyPort ? into :",
  ],
  [
    "an end asks only its own egress",
    "engine/engine.ts",
    `if (egress === "Deny" || ingress === "Deny") return "Deny";`,
    `if (egress === "Deny" || ingress === "Deny") return egress;`,
  ],
  // Isolation
  [
    "isolation for ingress isolates egress too",
    "engine/compile/view.ts",
    `tiers.egress.map((tier) => compile("egress", tier))`,
    `tiers.egress.map((tier) => compile("egress", {
      ...tier,
      isolation: tiers.ingress.flatMap((t) => (t.name === tier.name ? t.isolation : [])),
    }))`,
  ],
  [
    "isolation reaches a pod's own node",
    "engine/compile/tier-table.ts",
    `direction === "ingress" && kind === ownHost`,
    "false",
  ],
  [
    "isolation spares a pod's own node going out, too",
    "engine/compile/tier-table.ts",
    `direction === "ingress" && kind === ownHost`,
    "kind === ownHost",
  ],
  // Labels
  [
    "NotIn needs the label",
    "engine/classes/selection.ts",
    "!wanted.has(column[index]);",
    "column[index] !== absent && !wanted.has(column[index]);",
  ],
  [
    "NotIn needs the label of a namespace",
    "engine/classes/selection.ts",
    `return (has && values.includes(labels[key]!)) === (operator === "In");`,
    `return has && values.includes(labels[key]!) === (operator === "In");`,
  ],
  [
    "a value that no pod has is taken for a label that is not there",
    "engine/classes/selection.ts",
    "this.ends.valueNumber(number, value)",
    "this.ends.valueNumber(number, value) ?? absent",
  ],
  [
    "service accounts are not distinguished",
    "engine/classes/ends.ts",
    "if (accounts) key +=",
    "if (accounts && key === undefined) key +=",
  ],
  [
    "labels select host-network pods",
    "engine/classes/ends.ts",
    "pod.hostNetwork ? this.hostClass(pod) : this.podClass(pod)",
    "this.podClass(pod)",
  ],
  // Relative peers
  [
    "a relative peer means to all subjects what it means to the first",
    "engine/compile/rule-items.ts",
    "rule.peers.some(isRelative) ||",
    "",
  ],
  [
    "subjects for which a relative peer differs share a row",
    "engine/compile/tier-rows.ts",
    "for (const peer of relative) meaning +=",
    "for (const peer of relative.slice(1)) meaning +=",
  ],
  [
    "sameLabels is fine with some of the labels",
    "engine/classes/settled-peer.ts",
    "own.length < keys.length",
    "own.length === 0",
  ],
  [
    "notSelf is self",
    "engine/classes/settled-peer.ts",
    `return { kind: "not-named", name };`,
    `return { kind: "named", name };`,
  ],
  // Ports
  [
    "ports begin one too early",
    "engine/compile/rule-ports.ts",
    "offsets[protocol] + first,",
    "offsets[protocol] + first - 1,",
  ],
  [
    "ports end one too late",
    "engine/compile/rule-ports.ts",
    "offsets[protocol] + last + 1,",
    "offsets[protocol] + last + 2,",
  ],
  [
    "every port is not ICMP",
    "engine/compile/rule-ports.ts",
    `if (ports === "every") return everyPort;`,
    `if (ports === "every") return this.sets.subtract(everyPort, this.sets.range("ICMP", 0, 0));`,
  ],
  [
    "ICMP of the other family is the same",
    "engine/compile/rule-ports.ts",
    "this.family === undefined || this.family === port.family",
    "true",
  ],
  [
    "going out, named ports are those of the source",
    "engine/compile/rule-items.ts",
    `if (this.direction === "egress") return this.byPorts(set, rule, effect);`,
    `if (this.direction === "egress") return this.item(set, this.ports.of(rule, subject), effect, rule);`,
  ],
  [
    "coming in, named ports are those of the source",
    "engine/compile/rule-items.ts",
    "const ports = this.ports.of(rule, subject);",
    "if (hasNamedPorts(rule)) return this.byPorts(set, rule, effect);\n    const ports = this.ports.of(rule, subject);",
  ],
  [
    "a named port is any port of that name, whatever its protocol",
    "engine/compile/rule-ports.ts",
    "&& protocol === (port.protocol ?? protocol)",
    "",
  ],
  [
    "adjacent ranges of ports are taken for nested ones",
    "sets/port-sets.ts",
    "borders[last] = Math.max(borders[last]!, to);",
    "borders[last] = Math.max(borders[last]!, from);",
  ],
  // Addresses
  [
    "exceptions do not count outside the cluster",
    "engine/classes/outside-sets.ts",
    "return ranges.length === 0",
    "return true",
  ],
  [
    "exceptions do not count for pods and nodes",
    "engine/classes/peer-sets.ts",
    "if (!isExcepted(profile.atoms[0]!)) found",
    "found",
  ],
  [
    "IPv6 ranges have no end",
    "sets/address-atoms.ts",
    "if (behind < 1n <<",
    "if (cidr.family === 4 && behind < 1n <<",
  ],
  ["IPv6 is forgotten", "engine/classes/ends.ts", "families: ([4, 6] as const)", "families: ([4] as const)"],
  [
    "a range outside the cluster lacks its last addresses",
    "engine/classes/outside-sets.ts",
    "atom < to; atom++",
    "atom < to - 1; atom++",
  ],
  [
    "a CIDR group that is not there is the world",
    "engine/classes/outside-sets.ts",
    "if (groups.length === 0) return perhaps(() => this.without(everywhere(), peer.except));",
    "if (groups.length === 0) return surely(everywhere);",
  ],
  [
    "the world is in the cluster as well",
    "engine/classes/peer-sets.ts",
    `world: () => "no" as const`,
    `world: () => "yes" as const`,
  ],
  // Reserved labels and nodes by labels
  [
    "what is not the API server is taken for it, inside",
    "engine/classes/peer-sets.ts",
    "apiServer ? isServer() : not(isServer())",
    "isServer()",
  ],
  [
    "what is not the API server is taken for it, outside",
    "engine/classes/outside-sets.ts",
    "servers.has(atom) === isServer",
    "servers.has(atom)",
  ],
  [
    "the labels of nodes do not count",
    "engine/classes/peer-sets.ts",
    `nodes === undefined ? "yes" : this.ask({ kind: "nodes", nodes }, end)`,
    `"yes"`,
  ],
  [
    "world-ipv4 is every address",
    "engine/classes/outside-sets.ts",
    "? this.within([cidrs[entity]], [])",
    "? everywhere()",
  ],
  [
    "pods behind a Service are not its endpoints",
    "engine/classes/peer-sets.ts",
    `if (end.sample.kind === "pod" && pods.has(end.sample.pod)) return "yes";`,
    "",
  ],
  // Nodes
  [
    "rules bind a pod's own node",
    "engine/compile/rule-items.ts",
    `sets.part(set, "others", (column) => !isOwn(column))`,
    "set",
  ],
  [
    "a pod's own node is a remote one, and the other way round",
    "engine/compile/layer.ts",
    `other.nearness === "own-node"`,
    `other.nearness === "other-node"`,
  ],
  [
    "a pod that is not placed runs on another node",
    "engine/compile/layer.ts",
    `if (one === undefined || other === undefined) return "unknown-node";`,
    "",
  ],
  ["entity host is every node", "engine/classes/peer-sets.ts", "yesIf(isHost && own)", "yesIf(isHost)"],
  // Missing information
  [
    "what is uncertain is denied",
    "engine/compile/view.ts",
    "return outcome === uncertain ? undefined : this.answerOf(outcome);",
    "return outcome === uncertain ? 0 : this.answerOf(outcome);",
  ],
  [
    "mutual authentication always succeeds",
    "engine/compile/rule-items.ts",
    `? "Undecided" : "Maybe";`,
    `? "Undecided" : rule.action;`,
  ],
  [
    "foreign objects allow what they apply to",
    "engine/compile/rule-items.ts",
    `? "Undecided" : "Maybe";`,
    `? rule.action : "Maybe";`,
  ],
  [
    "of two possible answers the first is taken",
    "engine/compile/answers.ts",
    "if (a === b) return a;",
    "return a;",
  ],
  [
    "rows that are uncertain for different reasons are one",
    "engine/walk/table-walk.ts",
    "({ values }: RowValues): boolean => values.includes(uncertain)",
    "({ values }: RowValues): boolean => values.length < 0 && values.includes(uncertain)",
  ],
  // The tables
  [
    "what one row takes is not put back for the next",
    "engine/walk/table-walk.ts",
    "        restore();\n",
    "",
  ],
  [
    "a column that is singled out forgets what was denied to all",
    "engine/walk/row-walk.ts",
    "cells.copy(width + kind, column);",
    "cells.open(column, column + 1);",
  ],
  [
    "a rule that may match settles what it takes",
    "engine/walk/cell-states.ts",
    "isSure || state.unsettled !== silent ? state.unsettled : unsettledBy(effect)",
    "state.unsettled",
  ],
  [
    "what is said to all columns of a kind passes by those singled out before",
    "engine/walk/row-walk.ts",
    "if (kindOf[column] === kind && cells.take(column)) live[w]! ^= bit;",
    "if (kindOf[column] !== kind && cells.take(column)) live[w]! ^= bit;",
  ],
  [
    "sets of columns are not split where a rule holds a part of them",
    "sets/column-sets.ts",
    "if (reached[group] === sizes[group]) movedTo[group] = group;",
    "if (reached[group]! * 2 >= sizes[group]!) movedTo[group] = group;",
  ],
  // All pairs
  [
    "ends of different families are one group",
    "engine/pairs/end-groups.ts",
    "${end.kind} ${end.placed} ${end.families.join()} ${parts.join()}",
    "${end.kind} ${end.placed} ${parts.join()}",
  ],
  [
    "ends are one group if they are alike as sources",
    "engine/pairs/end-groups.ts",
    "contentOfClass(groupLayer, end)} ${column}",
    "contentOfClass(groupLayer, end)}",
  ],
  [
    "a pod and itself are counted as a pair",
    "engine/pairs/blocks.ts",
    "slots.slotOf(answers[self]!)]!--;",
    "slots.slotOf(answers[self]!)]! += 0;",
  ],
  [
    "a source that is singled out gets the answer of the others",
    "engine/pairs/pod-sweep.ts",
    "if (both === this.answers[i]) return;",
    "if (both !== noPorts) return;",
  ],
  [
    "a tier without isolation is taken for the last",
    "engine/compile/tier-table.ts",
    "isolation.length > 0 && this.itemsOf",
    "this.itemsOf",
  ],
  [
    "sources get to the first tier only",
    "engine/pairs/egress-answers.ts",
    "if (!isReachedBy(subject)) break;",
    "if (i > 0) break;",
  ],
  [
    "what is open in part is not looked at",
    "engine/pairs/egress-answers.ts",
    "if (answers[number] === noPorts) continue;",
    "if (answers[number] !== 1) continue;",
  ],
  [
    "a host and itself are counted as a pair",
    "engine/pairs/blocks.ts",
    "to === this.from ? pairs - to.size : pairs",
    "pairs",
  ],
  [
    "pairs on one node are counted among those on different nodes",
    "engine/pairs/pairs.ts",
    `nearness === "other-node" ? all - own : 0`,
    `nearness === "other-node" ? all : 0`,
  ],
  ["ends without any address talk in every family", "engine/classes/talking.ts", " && (inA || inB);", ";"],
  [
    "all ends are read by the column of the first",
    "engine/compile/transposed.ts",
    "into[rows[i]!] = values[i]!;",
    "into[rows[starts[column]!]!] = values[i]!;",
  ],
  // All pairs, streamed
  [
    "in a stream, the last tier overrules those before it",
    "engine/walk/cells.ts",
    "isOpen[i] = ~(allowed[i]! | denied[i]!);",
    "isOpen[i] = 0xffffffff;",
  ],
  [
    "in a stream, what a tier passed is not decided by the next",
    "engine/walk/row-walk.ts",
    "if (this.hasPassed) this.nextTier(wanted);",
    "",
  ],
  [
    "in a stream, a rule allows what it denies",
    "engine/walk/cells.ts",
    `else if (effect === "Deny") denied[i]! |= now;`,
    `else if (effect === "Deny") allowed[i]! |= now;`,
  ],
  [
    "in a stream, isolation denies what rules allowed",
    "engine/walk/cells.ts",
    "denied[i]! |= isOpen[i]!;",
    "denied[i] = 0xffffffff;",
  ],
  [
    "in a stream, a rule that may match settles what it takes",
    "engine/walk/cells.ts",
    `this.unsettled[at] = effect === "Undecided" ? undecided : uncertain;`,
    "",
  ],
  [
    "in a stream, sources with the same rules are accepted by the same pods",
    "engine/pairs/streamed-sweep.ts",
    "const isShared = this.sizes[way]! > 1;",
    "const isShared = this.sizes[way]! < 1;",
  ],
  [
    "in a stream, all sources of a tile get the same ingress verdict",
    "engine/pairs/streamed-sweep.ts",
    "found[at] = answers.of(said[column]!);",
    "found[at] = answers.of(said[0]!);",
  ],
  [
    "what is uncertain is allowed",
    "engine/pairs/outcome-answers.ts",
    "outcome === uncertain ? askEach : this.view.answerOf(outcome)",
    "this.view.answerOf(outcome)",
  ],
];

const inEvaluator: readonly Change[] = [
  [
    "NotIn needs the label",
    "labels/requirement.ts",
    "return value === undefined || !requirement.values.includes(value);",
    "return value !== undefined && !requirement.values.includes(value);",
  ],
  [
    "a CIDR lacks its last address",
    "net/cidr.ts",
    "address.value <= lastOf(cidr)",
    "address.value < lastOf(cidr)",
  ],
  [
    "a CIDR holds addresses of the other family",
    "net/cidr.ts",
    "return cidr.family === address.family && address.value",
    "return address.value",
  ],
  ["exceptions do not count", "evaluate/match.ts", "&& !except.some((c) => contains(c, only))", ""],
  [
    "Pass ends the walk",
    "evaluate/walk.ts",
    `rule.action === "Pass" ? "next" :`,
    `rule.action === "Pass" ? allowedBy({ kind: "default" }) :`,
  ],
  [
    "no pod is isolated",
    "evaluate/walk.ts",
    "const isolation = isolatingIn(tier, subject);",
    "const isolation = isolatingIn(tier, subject).slice(0, 0);",
  ],
  [
    "a pod's own node is walked like any other end",
    "evaluate/walk.ts",
    `direction === "ingress" && isOwnNode(`,
    `direction === "egress" && isOwnNode(`,
  ],
  [
    "the first port of a range is not in it",
    "evaluate/match.ts",
    "flow.port >= port.first",
    "flow.port > port.first",
  ],
  [
    "named ports are those of the source",
    "evaluate/match.ts",
    "namedPorts(flow.destination, port.name",
    "namedPorts(flow.source, port.name",
  ],
  [
    "what is not the API server is taken for it",
    "evaluate/match.ts",
    "isApiServer(other, situation) === peer.apiServer",
    "isApiServer(other, situation)",
  ],
  [
    "the labels of nodes do not count",
    "evaluate/match.ts",
    "(peer.nodes === undefined || nodeIsSelected(peer.nodes, other, situation))",
    "true",
  ],
  [
    "labels select host-network pods",
    "evaluate/match.ts",
    `other.kind === "pod" &&\n        !other.pod.hostNetwork &&`,
    `other.kind === "pod" &&`,
  ],
];

const inEncoder: readonly Change[] = [
  // The connection
  [
    "pods of one namespace have different namespace labels",
    "prove/encode/connection.ts",
    "new LabelPair(this.formula, present, isPossible, this.sameNamespace)",
    "new LabelPair(this.formula, present, isPossible)",
  ],
  [
    "an ICMP echo goes to a named port",
    "prove/encode/connection.ts",
    `this.formula.require(not(literal), not(this.protocol("ICMP")));`,
    "",
  ],
  [
    "nodes have named ports",
    "prove/encode/connection.ts",
    `this.formula.require(not(literal), this.is("destination", "pod"));`,
    "",
  ],
  [
    "a named port is fixed",
    "prove/encode/connection.ts",
    "this.portNames.set(name, literal);",
    "this.portNames.set(name, literal);\n    this.formula.require(not(literal));",
  ],
  [
    "a pod is the own node of another pod",
    "prove/encode/connection.ts",
    `formula.require(not(this.ownNode), not(this.is(from, "pod")), not(this.is(to, "pod")));`,
    "",
  ],
  [
    "a pod is the API server",
    "prove/encode/connection.ts",
    'return this.formula.and([not(this.is(end, "pod")), this.fact(`apiserver ${end}`)]);',
    "return this.fact(`apiserver ${end}`);",
  ],
  // Labels and numbers
  [
    "two absent labels are equal",
    "prove/encode/label-pair.ts",
    `formula.require(not(equal), source.present);
    formula.require(not(equal), destination.present);`,
    "",
  ],
  [
    "equal values of a label are different",
    "prove/encode/label-pair.ts",
    "this.formula.require(equal, not(a), not(b));",
    "",
  ],
  [
    "in one namespace, a value that nothing mentions is two different ones",
    "prove/encode/label-pair.ts",
    "formula.require(not(shared), not(source.present), equal);",
    "",
  ],
  [
    "a label has two values",
    "prove/encode/label-pair.ts",
    "formula.require(not(literal), ((number >> i) & 1) === 1 ? bit : not(bit));",
    "formula.require(bit, not(bit), not(literal));",
  ],
  [
    "a range lacks its last number",
    "prove/encode/ordered-value.ts",
    "not(this.atLeast(last + 1n))",
    "not(this.atLeast(last))",
  ],
  // Matching
  [
    "NotIn needs the label",
    "prove/encode/match.ts",
    "return not(this.or(values.map((value) => label.is(end, value))));",
    "return this.and([label.present(end), not(this.or(values.map((value) => label.is(end, value))))]);",
  ],
  ["Exists holds without the label", "prove/encode/match.ts", "return label.present(end);", "return TRUE;"],
  ["DoesNotExist never holds", "prove/encode/match.ts", "return not(label.present(end));", "return FALSE;"],
  [
    "notSelf is self",
    "prove/encode/match.ts",
    "return not(connection.sameNamespace);",
    "return connection.sameNamespace;",
  ],
  [
    "sameLabels is fine with some of the labels",
    "prove/encode/match.ts",
    "FALSE : this.and(set.keys.map(equal))",
    "FALSE : this.or(set.keys.map(equal))",
  ],
  [
    "notSameLabels is fine with some of the labels",
    "prove/encode/match.ts",
    "FALSE : not(this.or(set.keys.map(equal)))",
    "FALSE : not(this.and(set.keys.map(equal)))",
  ],
  [
    "exceptions do not count",
    "prove/encode/match.ts",
    "return this.and([within(cidrs), not(within(except))]);",
    "return within(cidrs);",
  ],
  [
    "ICMP of the other family is the same",
    "prove/encode/match.ts",
    `this.and([connection.protocol("ICMP"), connection.family(port.family)])`,
    `connection.protocol("ICMP")`,
  ],
  [
    "a named port is any port of that name, whatever its protocol",
    "prove/encode/match.ts",
    "port.protocol === undefined ? TRUE : connection.protocol(port.protocol),",
    "TRUE,",
  ],
  [
    "a pod's own node is a remote one",
    "prove/encode/match.ts",
    "this.and([connection.isHost(end), not(connection.ownNode)])",
    "connection.isHost(end)",
  ],
  [
    "labels select host-network pods",
    "prove/encode/match.ts",
    `connection.is(other, "pod"),`,
    `not(this.or([connection.is(other, "node"), isExternal])),`,
  ],
  [
    "service accounts of subjects do not count",
    "prove/encode/match.ts",
    `this.selects("account", selection.account ?? [], end),`,
    "",
  ],
  [
    "the world is in the cluster as well",
    "prove/encode/match.ts",
    `case "world":\n        return isExternal;`,
    `case "world":\n        return TRUE;`,
  ],
  // The walk
  [
    "Pass in the last tier denies",
    "prove/encode/encoded-walk.ts",
    `if (rule.action === "Pass") return next;`,
    `if (rule.action === "Pass") return next === TRUE ? FALSE : next;`,
  ],
  [
    "of two rules of a policy the later one wins",
    "prove/encode/encoded-walk.ts",
    "for (const rule of block.toReversed())",
    "for (const rule of block)",
  ],
  [
    "rules in a row have the effect of the last",
    "prove/encode/encoded-walk.ts",
    "if (run?.effect !== effect) endRun();",
    "",
  ],
  [
    "a policy that comes behind a run of rules is asked before them",
    "prove/encode/encoded-walk.ts",
    "endRun();\n      let inBlock = decided;",
    "let inBlock = decided;",
  ],
  [
    "no pod is isolated",
    "prove/encode/encoded-walk.ts",
    "let rest = formula.and([not(isolated), next]);",
    "let rest = formula.and([formula.or([not(isolated), isolated]), next]);",
  ],
  [
    "own node forgotten",
    "prove/encode/encoded-walk.ts",
    "next = formula.choose(connection.ownNode, formula.and([byDefault, isAllowed]), next);",
    "next = formula.and([next, formula.or([isAllowed, not(isAllowed)])]);",
  ],
  [
    "nothing binds a pod's own node",
    "prove/encode/encoded-walk.ts",
    "formula.and([byDefault, isAllowed])",
    "formula.and([byDefault, formula.or([isAllowed, not(isAllowed)])])",
  ],
  [
    "nodes and host-network pods have policies",
    "prove/encode/encoded-walk.ts",
    `return formula.choose(connection.is(endOf(direction), "pod"), next, byDefault);`,
    "return next;",
  ],
  [
    "owners cannot deny",
    "prove/encode/encoded-walk.ts",
    "formula.and([not(owners.deny), not(byGroup), rest])",
    "formula.and([not(byGroup), rest])",
  ],
  [
    "an owner's policy that allows something does not isolate",
    "prove/encode/encoded-walk.ts",
    "[isolate, allow] : []",
    "[isolate] : []",
  ],
  [
    "a plain allow of the same peer and port does not remove a condition",
    "prove/encode/encoded-walk.ts",
    "not(this.isWaived(rule, plain, direction))",
    "formula.or([TRUE, this.isWaived(rule, plain, direction)])",
  ],
  [
    "mutual authentication always succeeds",
    "prove/encode/encoded-walk.ts",
    `connection.formula.and([connection.fact("authentication"), allowed])`,
    "allowed",
  ],
];

const planted =
  (wrong: Mutant["wrong"]) =>
  ([name, file, find, put]: Change): Mutant => ({ name, file, find, put, wrong });

export const mutants: readonly Mutant[] = [
  ...inEngine.map(planted("engine")),
  ...inEvaluator.map(planted("evaluator")),
  ...inEncoder.map(planted("encoder")),
];
