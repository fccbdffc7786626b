import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { type LabelMatch, type Labels, selects, toMatch } from "../../labels/requirement.js";
import { type Address, formatAddress } from "../../net/address.js";
import { type Cidr, contains } from "../../net/cidr.js";
import type { State } from "../../state/state.js";
import type { Assumption, AssumptionBody } from "./claim.js";
import type { PlacedAssumption } from "./guarantee.js";
import { block } from "./schema.js";

/** The assumptions, with what the input knows about them. An assumption that the input does not satisfy is an error (S11.4). */
export function assumptionsIn(
  assuming: readonly PlacedAssumption[],
  state: State,
  object: string,
): { readonly assumptions: readonly Assumption[]; readonly diagnostics: readonly Diagnostic[] } {
  const read = assuming.map(({ written, text, place }): { assumption?: Assumption; wrong?: Diagnostic } => {
    const complain = (why: string) => ({
      wrong: diagnostic("TW1508", `it is assumed that ${text}, but ${why}`, { place, object }),
    });
    const { namespaces } = state.cluster;
    const isUnknown = (name: string) =>
      namespaces.get(name) === undefined || namespaces.get(name)?.missing === true;
    const missing = written.namespaces?.find(isUnknown);
    if (missing !== undefined) return complain(`the input has no namespace \`${missing}\``);
    const body = bodyOf(written, state);
    const why = objectionTo(body, state);
    return why === undefined ? { assumption: { ...body, text, place } } : complain(why);
  });
  return {
    assumptions: read.flatMap(({ assumption }) => assumption ?? []),
    diagnostics: read.flatMap(({ wrong }) => wrong ?? []),
  };
}

function bodyOf(written: PlacedAssumption["written"], { cluster }: State): AssumptionBody {
  const { every, has = {}, only, namespacesWith = {}, namespaces, podCidrs = [], nodeCidrs = [] } = written;
  if (every !== undefined)
    return { kind: "every", scope: every, with: toMatch(written.with ?? {}), has: toMatch(has) };
  if (only !== undefined) return { kind: "only", namespaces: only, with: toMatch(namespacesWith) };
  if (namespaces !== undefined)
    return {
      kind: "as-deployed",
      namespaces: new Map(namespaces.map((name) => [name, cluster.namespaces.get(name)!.labels])),
    };
  return { kind: "addresses", pods: podCidrs.map(block), nodes: nodeCidrs.map(block) };
}

/** The part of the input that does not satisfy it: `namespace shop does not`. */
function objectionTo(body: AssumptionBody, { cluster }: State): string | undefined {
  const namespaces = [...cluster.namespaces.values()].filter(({ missing }) => missing === undefined);
  const pods = [...cluster.pods.values()].filter(({ hostNetwork }) => !hostNetwork);
  const nodes = [...cluster.nodes.values()];
  switch (body.kind) {
    case "every": {
      const all: readonly (readonly [name: string, labels: Labels])[] = {
        namespace: namespaces.map(({ name, labels }) => [`namespace ${name}`, labels] as const),
        pod: pods.map(({ namespace, name, labels }) => [`pod ${namespace}/${name}`, labels] as const),
        node: nodes.flatMap(({ name, labels }) =>
          labels === undefined ? [] : [[`node ${name}`, labels] as const],
        ),
      }[body.scope];
      const exception = all.find(([, labels]) => selects(body.with, labels) && !selects(body.has, labels));
      return exception && `${exception[0]} does not`;
    }
    case "only": {
      const isOther = (name: string, labels: Labels, match: LabelMatch) =>
        selects(match, labels) && !body.namespaces.includes(name);
      const other = namespaces.find(({ name, labels }) => isOther(name, labels, body.with));
      return other && `namespace ${other.name} has it too`;
    }
    case "as-deployed":
      return undefined;
    case "addresses": {
      const outside = (cidrs: readonly Cidr[], addresses: readonly Address[]) =>
        cidrs.length === 0
          ? undefined
          : addresses.find((each) => !cidrs.some((cidr) => contains(cidr, each)));
      const found =
        outside(
          body.pods,
          pods.flatMap(({ addresses }) => addresses),
        ) ??
        outside(
          body.nodes,
          nodes.flatMap(({ addresses }) => addresses),
        );
      return found && `the input has ${formatAddress(found)}`;
    }
  }
}
