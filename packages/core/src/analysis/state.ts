import { ClusterBuilder } from "../cluster/build.js";
import { isFromCluster } from "../cluster/identity.js";
import type { Cluster, Facts } from "../cluster/model.js";
import { podExcerpt } from "../cluster/pod-excerpt.js";
import { type Diagnostic, diagnostic, hasErrors } from "../diagnostics/diagnostic.js";
import type { Place } from "../diagnostics/place.js";
import type { PolicyKind } from "../dialects/dialect.js";
import { readPolicy } from "../dialects/read.js";
import type { ManifestObject } from "../manifest/object.js";
import { ownText } from "../manifest/own-text.js";
import { readObjects } from "../manifest/read.js";
import type { Source } from "../manifest/source.js";
import { assembleTiers, type Lowered } from "../policy/assemble.js";
import type { PolicyRef, Tiers } from "../policy/model.js";
import { identityOf, kindOf } from "./object-kind.js";
import { setWarnings } from "./set-warnings.js";

export interface StateOptions {
  readonly facts?: Partial<Facts>;
  /** Where objects come from (S3.6); by default those with a uid are from a cluster. */
  readonly provenance?: "auto" | "file" | "cluster";
  /** S7.12 */
  readonly ciliumEnforcement?: "default" | "always" | "never";
  /** Leave out what has errors instead of evaluating nothing (S10.1). */
  readonly keepGoing?: boolean;
  /** Told now and then how many objects have been read. */
  readonly progress?: (objects: number) => void;
}

/** A cluster and what its policies mean: all that any question needs. */
export interface State {
  readonly cluster: Cluster;
  readonly tiers: Tiers;
  readonly policies: readonly PolicyRef[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many objects of kinds that are not ours there were (S10.3). */
  readonly skipped: ReadonlyMap<string, number>;
  /** Whether questions may be asked: no errors, or `keepGoing`. */
  readonly usable: boolean;
}

/** Text → documents → objects → tiers. All diagnostics of all files together (S10.1). */
export function readState(sources: readonly Source[], options: StateOptions = {}): State {
  const inTexts: Diagnostic[] = [];
  const objects = new ObjectReader(options);
  for (const source of sources)
    readObjects(source, {
      object: (object) => objects.add(object),
      report: (found) => inTexts.push(found),
      excerpt: podExcerpt,
    });
  const { policies, skipped, parts } = objects;

  const policyNamespaces = new Set(policies.flatMap((policy) => policy.namespace ?? []));
  const facts = { podCidrs: [], serviceCidrs: [], ...options.facts };
  const built = objects.cluster.build(facts, policyNamespaces);
  const effective = enforcedByCilium(parts, options.ciliumEnforcement ?? "default");
  const tiers = assembleTiers(effective);
  const all = [
    ...inTexts,
    ...objects.diagnostics,
    ...(skipped.size > 0 ? [skippedKinds(skipped)] : []),
    ...built.diagnostics,
    ...setWarnings(built.cluster, effective, policies),
  ];
  const files = sources.map(({ file }) => file);
  return {
    cluster: built.cluster,
    tiers,
    policies,
    diagnostics: inReadingOrder(all, files),
    skipped,
    usable: options.keepGoing === true || !hasErrors(all),
  };
}

/** Takes objects as they come, and keeps of each what it means. */
class ObjectReader {
  readonly cluster = new ClusterBuilder();
  readonly parts: Lowered[] = [];
  readonly policies: PolicyRef[] = [];
  readonly skipped = new Map<string, number>();
  readonly diagnostics: Diagnostic[] = [];
  /** The first of each name, or where it stands: the object itself is not kept where its line is known. */
  private readonly firsts = new Map<string, ManifestObject | FirstPlace>();
  private count = 0;

  constructor(private readonly options: StateOptions) {}

  add(object: ManifestObject): void {
    if (++this.count % objectsPerReport === 0) this.options.progress?.(this.count);
    const kind = kindOf(object);
    const identity = identityOf(object, kind);
    const first = identity === undefined ? undefined : this.firsts.get(identity);
    if (first !== undefined) {
      this.diagnostics.push(duplicate(object, placeOfFirst(first), identity!));
      return;
    }
    if (identity !== undefined) this.firsts.set(ownText(identity), knownPlace(object) ?? object);
    switch (kind.what) {
      case "cluster":
        this.cluster.add(object);
        break;
      case "mistaken":
        this.diagnostics.push(kind.diagnostic);
        break;
      case "test":
        break;
      case "other":
        this.skipped.set(nameOf(object), (this.skipped.get(nameOf(object)) ?? 0) + 1);
        break;
      case "policy":
        this.addPolicy(object, kind.kind);
        break;
    }
  }

  private addPolicy(object: ManifestObject, kind: PolicyKind): void {
    const reading = readPolicy(kind, object, provenanceOf(object, this.options));
    this.diagnostics.push(...reading.diagnostics);
    if (reading.lowered !== undefined) {
      this.parts.push(reading.lowered);
      this.policies.push(reading.policy);
    } else if (this.options.keepGoing) this.diagnostics.push(leftOut(object, reading.policy));
  }
}

const objectsPerReport = 500;

type FirstPlace = Pick<Place, "file" | "line">;

function knownPlace({ document: { file }, line }: ManifestObject): FirstPlace | undefined {
  return line === undefined ? undefined : { file, line };
}

function placeOfFirst(first: ManifestObject | FirstPlace): FirstPlace {
  return "document" in first ? first.document.placeOf(first.path) : first;
}

// S10.4
function duplicate(object: ManifestObject, first: FirstPlace, identity: string): Diagnostic {
  const called = identity.split(" ").slice(1).join(" ");
  return diagnostic(
    "TW1102",
    `there are two objects called ${called}; the other is at ${first.file}:${first.line}`,
    {
      place: object.document.placeOf([...object.path, "metadata", "name"]),
      object: called,
      path: ["metadata", "name"],
    },
  );
}

// S10.3
function skippedKinds(skipped: ReadonlyMap<string, number>): Diagnostic {
  const counted = [...skipped].map(([kind, n]) => `${n} ${kind}`).join(", ");
  return diagnostic("TW3003", `kinds that are no part of network policy were skipped: ${counted}`);
}

function provenanceOf(object: ManifestObject, { provenance = "auto" }: StateOptions): "file" | "cluster" {
  return provenance === "auto" ? (isFromCluster(object) ? "cluster" : "file") : provenance;
}

function leftOut(object: ManifestObject, policy: PolicyRef): Diagnostic {
  return diagnostic("TW2022", `${policy.kind} \`${policy.name}\` has errors and was left out`, {
    place: object.document.placeOf(object.path),
  });
}

// S7.12: Cilium enforces NetworkPolicies too, so its modes are about the whole tier.
function enforcedByCilium(
  parts: readonly Lowered[],
  mode: "default" | "always" | "never",
): readonly Lowered[] {
  if (mode === "default") return parts;
  if (mode === "never")
    return parts.map(({ rules, isolation }) => ({
      rules: rules.filter((rule) => rule.tier !== "network-policy"),
      isolation: isolation.filter((entry) => entry.tier !== "network-policy"),
    }));
  const everyPod = { namespaces: [], pods: [] };
  const origin = { kind: "option", option: "--cilium-enforcement always" } as const;
  const isolation = (["ingress", "egress"] as const).map(
    (direction) => ({ tier: "network-policy", direction, subject: everyPod, origin }) as const,
  );
  return [...parts, { rules: [], isolation }];
}

const nameOf = (object: ManifestObject): string => (object.kind === "" ? "(no kind)" : object.kind);

/** By file in the order they were named, line and column; what has no place comes last. */
function inReadingOrder(diagnostics: readonly Diagnostic[], files: readonly string[]): readonly Diagnostic[] {
  const positions = new Map(files.map((file, i) => [file, i]));
  const key = ({ place }: Diagnostic) =>
    place === undefined
      ? [Infinity, 0, 0]
      : [positions.get(place.file) ?? Infinity, place.line, place.column];
  return diagnostics.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)];
    const i = x.findIndex((value, j) => value !== y[j]);
    return i === -1 ? 0 : x[i]! - y[i]!;
  });
}
