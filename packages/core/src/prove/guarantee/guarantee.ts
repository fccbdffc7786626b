import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { given } from "../../diagnostics/given.js";
import type { Path, Place } from "../../diagnostics/place.js";
import { visible } from "../../diagnostics/visible.js";
import { formatMatch, type LabelMatch, toMatch } from "../../labels/requirement.js";
import { isObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import type { NamespaceSet, PortMatch } from "../../policy/model.js";
import { locateProblem } from "../../schema/locate-problem.js";
import { validate } from "../../schema/validate.js";
import { guaranteeKind, isOwnGroup } from "../../state/test-kind.js";
import type { Claim, ClaimedEnd } from "./claim.js";
import { parsePortRange } from "./port-range.js";
import {
  block,
  guaranteeObject,
  type WrittenAssumption,
  type WrittenEnd,
  type WrittenGuarantee,
  type WrittenNamespaces,
} from "./schema.js";

/** A Guarantee as it is written: what it claims, without what is assumed, which may depend on the input. */
export interface Guarantee {
  readonly name: string;
  readonly file: string;
  readonly place: Place;
  /** Paths relative to `file`, and their places in it. */
  readonly given: readonly { readonly path: string; readonly place: Place }[];
  readonly claim: Omit<Claim, "assumptions">;
  readonly assuming: readonly PlacedAssumption[];
  /** What happens in a cluster to a change that breaks it. */
  readonly onBreak: "Warn" | "Refuse";
}

export interface PlacedAssumption {
  readonly written: WrittenAssumption;
  /** `every namespace with pci=true has team`. */
  readonly text: string;
  readonly place: Place;
}

/** The guarantees of one file; documents of other kinds are left alone. */
export function readGuarantees(
  text: string,
  file: string,
): { readonly guarantees: readonly Guarantee[]; readonly diagnostics: readonly Diagnostic[] } {
  if (!text.includes(guaranteeKind.kind)) return { guarantees: [], diagnostics: [] };
  const { documents, diagnostics: broken } = parseManifest(text, file);
  const ours = objectsOf(documents).objects.filter(
    ({ kind, apiVersion }) => kind === guaranteeKind.kind && isOwnGroup(apiVersion),
  );
  const read = ours.map(readGuarantee);
  return {
    guarantees: read.flatMap(({ guarantee }) => guarantee ?? []),
    diagnostics: [...broken, ...read.flatMap(({ diagnostics }) => diagnostics)],
  };
}

/** One Guarantee, of a file or of a cluster; absent where it has errors. */
export function readGuarantee(source: ManifestObject): {
  readonly guarantee?: Guarantee;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { document, path: root } = source;
  const at = (path: Path) => document.placeOf([...root, ...path]);
  if (source.apiVersion !== guaranteeKind.apiVersion) {
    const message = `\`${source.apiVersion}\` is not a known version of Guarantee; use \`${guaranteeKind.apiVersion}\``;
    return { diagnostics: [diagnostic("TW1105", message, { place: at(["apiVersion"]) })] };
  }
  const { value, problems } = validate(guaranteeObject, withLists(source.value));
  const { name: written } = isObject(source.value.metadata) ? source.value.metadata : {};
  const name = typeof written === "string" ? visible(written) : "";
  if (problems.length > 0)
    return {
      diagnostics: problems.map((problem) => {
        const { message, ...where } = locateProblem(
          { ...problem, path: asWritten(problem.path, source) },
          document,
          root,
        );
        return diagnostic(problem.code, message, {
          ...where,
          object: `Guarantee${name === "" ? "" : ` ${name}`}`,
        });
      }),
    };
  const { spec } = value;
  const assuming = (spec.assuming ?? []).map((assumption, i) => ({
    written: assumption,
    text: assumptionText(assumption),
    place: at(["spec", "assuming", i]),
  }));
  const paths = (spec.given ?? []).map((path, i) => ({ path, place: at(["spec", "given", i]) }));
  const place = document.placeOfKey([...root, "metadata", "name"]);
  return {
    guarantee: {
      name,
      file: document.file,
      place,
      given: paths,
      claim: claimOf(spec),
      assuming,
      onBreak: spec.onBreak ?? "Warn",
    },
    diagnostics: [],
  };
}

function claimOf({
  from,
  to,
  ports,
  exceptPorts = [],
  verdict,
  whatever,
}: WrittenGuarantee["spec"]): Guarantee["claim"] {
  const matches = (texts: readonly string[]): readonly PortMatch[] =>
    texts.flatMap((text) => parsePortRange(text) ?? []);
  return {
    from: from.map(endOf),
    to: to.map(endOf),
    ports: ports === undefined ? "every" : matches(ports),
    exceptPorts: matches(exceptPorts),
    verdict,
    whatever: {
      networkPolicies: whatever?.networkPolicies ?? "anything",
      ...given({ ciliumNetworkPolicies: whatever?.ciliumNetworkPolicies }),
    },
  };
}

/** The schema ensures that exactly one of them is present. */
function endOf({ namespaces, pods, networks, nodes, external }: WrittenEnd): ClaimedEnd {
  const everyPod = { kind: "selector", match: [] } as const;
  if (namespaces !== undefined) return { kind: "pods", namespaces: setOf(namespaces), pods: everyPod };
  if (pods !== undefined) {
    const selected = { kind: "selector", match: toMatch(pods.podSelector) } as const;
    return { kind: "pods", namespaces: setOf(pods.namespaceSelector ?? {}), pods: selected };
  }
  if (networks !== undefined)
    return { kind: "networks", cidrs: networks.map(block), except: [], reach: "every-address" };
  if (nodes !== undefined) return { kind: "nodes", nodes: toMatch(nodes) };
  return external === undefined ? { kind: "host-network-pods" } : { kind: "entity", entity: "world" };
}

function setOf({ self, notSelf, sameLabels, notSameLabels, ...selector }: WrittenNamespaces): NamespaceSet {
  if (self !== undefined) return { kind: "self" };
  if (notSelf !== undefined) return { kind: "not-self" };
  if (sameLabels !== undefined) return { kind: "same-labels", keys: sameLabels };
  if (notSameLabels !== undefined) return { kind: "not-same-labels", keys: notSameLabels };
  return { kind: "selector", match: toMatch(selector) };
}

function assumptionText(written: WrittenAssumption): string {
  const { every, has = {}, only, namespacesWith = {}, namespaces, podCidrs, nodeCidrs } = written;
  const selected = (match: LabelMatch) => (match.length === 0 ? "" : ` with ${formatMatch(match)}`);
  if (every !== undefined)
    return `every ${every}${selected(toMatch(written.with ?? {}))} has ${formatMatch(toMatch(has))}`;
  if (only !== undefined)
    return `only ${only.join(", ")} ${only.length === 1 ? "has" : "have"} ${formatMatch(toMatch(namespacesWith))}`;
  if (namespaces !== undefined) return `the labels of ${namespaces.join(", ")} are as deployed`;
  const ranges = (what: string, cidrs: readonly string[] = []) =>
    cidrs.length === 0 ? [] : [`${what} are in ${cidrs.join(", ")}`];
  return [...ranges("pods", podCidrs), ...ranges("nodes", nodeCidrs)].join(", ");
}

/** `from` and `to` may be one endpoint or a list of them. */
function withLists(value: ManifestObject["value"]): unknown {
  if (!isObject(value.spec)) return value;
  const spec: Record<string, unknown> = { ...value.spec };
  for (const key of ["from", "to"]) if (isObject(spec[key])) spec[key] = [spec[key]];
  return { ...value, spec };
}

/** The path of a problem as the file has it: an endpoint that is not in a list has no number. */
function asWritten(path: Path, { value }: ManifestObject): Path {
  const [spec, field, , ...rest] = path;
  const isEnd = spec === "spec" && (field === "from" || field === "to") && path.length > 2;
  return isEnd && isObject(value.spec) && !Array.isArray(value.spec[field]) ? [spec, field, ...rest] : path;
}
