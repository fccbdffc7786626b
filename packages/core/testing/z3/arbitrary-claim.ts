import fc from "fast-check";
import { type LabelMatch, namespaceNamed, type Requirement, toMatch } from "../../src/labels/requirement.js";
import { parseCidr } from "../../src/net/cidr.js";
import { type NamespaceSet, podsPeer, type PortMatch } from "../../src/policy/model.js";
import {
  type AssumptionBody,
  type Claim,
  type ClaimedEnd,
  ownerModes,
} from "../../src/prove/guarantee/index.js";
import {
  anyCidr,
  anyNamespaceName,
  anyOf,
  anyPortNumber,
  fields,
  labelWords,
  type LabelWords,
  namespaceSelector,
  nodeSelector,
  often,
  podSelector,
  portRange,
  transport,
} from "../arbitrary/arbitrary-vocabulary.js";

/* Claims about generated policies, in their words. */

const match = <T extends object>(selector: fc.Arbitrary<T>) => selector.map((written) => toMatch(written));

const absolute = match(namespaceSelector).map((found): NamespaceSet => ({ kind: "selector", match: found }));
const keys = fc.subarray(["team", "env"], { minLength: 1 });
const relative = fc.oneof(
  anyOf<NamespaceSet>({ kind: "self" }, { kind: "not-self" }),
  keys.map((list): NamespaceSet => ({ kind: "same-labels", keys: list })),
  keys.map((list): NamespaceSet => ({ kind: "not-same-labels", keys: list })),
);

const podsIn = (namespaces: fc.Arbitrary<NamespaceSet>): fc.Arbitrary<ClaimedEnd> =>
  fc.tuple(namespaces, match(podSelector)).map(([set, pods]) => ({
    kind: "pods",
    namespaces: set,
    pods: { kind: "selector", match: pods },
  }));

const host = fc.oneof<fc.Arbitrary<ClaimedEnd>[]>(
  match(nodeSelector).map((nodes) => ({ kind: "nodes", nodes })),
  fc.constant({ kind: "host-network-pods" }),
);

const other = fc.oneof<fc.Arbitrary<ClaimedEnd>[]>(
  host,
  anyCidr.map((text) => ({
    kind: "networks",
    cidrs: [parseCidr(text)!],
    except: [],
    reach: "every-address",
  })),
  fc.constant({ kind: "entity", entity: "world" }),
);

/** Pods of one kind: each label has a value, or is absent. Few claims about more than that are proven by chance. */
const oneKind = (words: LabelWords): fc.Arbitrary<LabelMatch> =>
  fc
    .tuple(
      ...Object.entries(words).map(([key, values]) =>
        anyOf<Requirement>(
          ...values.map((value): Requirement => ({ key, operator: "In", values: [value] })),
          { key, operator: "DoesNotExist", values: [] },
        ),
      ),
    )
    .map((requirements): LabelMatch => requirements);

const alike = fc
  .tuple(oneKind(labelWords.namespace), oneKind(labelWords.pod), anyNamespaceName)
  .map(([namespace, pod, name]): ClaimedEnd => podsPeer([...namespaceNamed(name), ...namespace], pod));

const pods = fc.oneof(podsIn(absolute), alike);
const some = (end: fc.Arbitrary<ClaimedEnd>) => fc.array(end, { minLength: 1, maxLength: 2 });
/** Relative sets compare with pods. */
const ends = often<readonly [readonly ClaimedEnd[], readonly ClaimedEnd[]]>(
  [6, fc.tuple(fc.tuple(alike), fc.tuple(alike))],
  [3, fc.tuple(some(pods), some(pods))],
  [2, fc.tuple(fc.tuple(host), fc.tuple(alike))],
  [2, fc.tuple(some(podsIn(relative)), some(pods))],
  [1, fc.tuple(some(pods), some(podsIn(relative)))],
  [2, fc.tuple(some(fc.oneof(pods, other)), some(fc.oneof(pods, other)))],
);

const port = fc
  .tuple(
    transport,
    fc.oneof(
      portRange,
      anyPortNumber.map((number) => [number, number]),
    ),
  )
  .map(([protocol, [first, last]]): PortMatch => ({ kind: "range", protocol, first: first!, last: last! }));

const assumption = fc
  .oneof<fc.Arbitrary<AssumptionBody>[]>(
    fields<Extract<AssumptionBody, { kind: "every" }>>({
      kind: fc.constant("every"),
      scope: anyOf("namespace", "pod", "node"),
      with: match(namespaceSelector),
      has: match(podSelector),
    }),
    fields<Extract<AssumptionBody, { kind: "only" }>>({
      kind: fc.constant("only"),
      namespaces: anyOf(["alpha"], ["alpha", "beta"]),
      with: match(namespaceSelector),
    }),
    fields<Extract<AssumptionBody, { kind: "as-deployed" }>>({
      kind: fc.constant("as-deployed"),
      namespaces: anyOf({ team: "red" }, { env: "dev" }, {}).map((labels) => new Map([["alpha", labels]])),
    }),
    fields<Extract<AssumptionBody, { kind: "addresses" }>>({
      kind: fc.constant("addresses"),
      pods: anyOf([], ["10.0.0.0/29"], ["10.0.0.0/8", "fd00::/125"]).map(blocks),
      nodes: anyOf([], ["192.168.0.0/24"]).map(blocks),
    }),
  )
  .map((body) => ({
    ...body,
    text: body.kind,
    place: { file: "claim.yaml", line: 1, column: 1, length: 0 },
  }));

/** Claims that are made with both verdicts: often one of them holds. */
export const anyClaim: fc.Arbitrary<Omit<Claim, "verdict">> = fc
  .record({
    ends,
    ports: often<Claim["ports"]>(
      [1, fc.constant("every")],
      [2, fc.array(port, { minLength: 1, maxLength: 2 })],
    ),
    exceptPorts: often<Claim["exceptPorts"]>([2, fc.constant([])], [1, fc.array(port, { maxLength: 2 })]),
    whatever: fields<Pick<Claim["whatever"], "networkPolicies">, Omit<Claim["whatever"], "networkPolicies">>(
      { networkPolicies: anyOf(...ownerModes, "as-written", "as-written", "as-written") },
      { ciliumNetworkPolicies: anyOf(...ownerModes, "as-written", "as-written", "as-written") },
    ),
    assumptions: often<Claim["assumptions"]>(
      [3, fc.constant([])],
      [1, fc.array(assumption, { maxLength: 2 })],
    ),
  })
  .map(({ ends: [from, to], ...rest }) => ({ from, to, ...rest }));

function blocks(texts: readonly string[]) {
  return texts.map((text) => parseCidr(text)!);
}
