import { buildCluster } from "../cluster/build.js";
import { isFromCluster } from "../cluster/identity.js";
import type { Cluster, Facts } from "../cluster/model.js";
import { type Diagnostic, diagnostic, hasErrors } from "../diagnostics/diagnostic.js";
import { readPolicy } from "../dialects/read.js";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import type { ManifestObject } from "../manifest/object.js";
import { assembleTiers, type Lowered } from "../policy/assemble.js";
import type { PolicyRef, Tiers } from "../policy/model.js";
import { identityOf, kindOf } from "./object-kind.js";
import { setWarnings } from "./set-warnings.js";

/** A text to be read, and the name it goes by in messages. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

export interface StateOptions {
  readonly facts?: Partial<Facts>;
  /** Where objects come from (S3.6); by default those with a uid are from a cluster. */
  readonly provenance?: "auto" | "file" | "cluster";
  /** S7.12 */
  readonly ciliumEnforcement?: "default" | "always" | "never";
  /** Leave out what has errors instead of evaluating nothing (S10.1). */
  readonly keepGoing?: boolean;
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
  const read = sources.map(({ file, text }) => {
    const parsed = parseManifest(text, file);
    return { parsed, found: objectsOf(parsed.documents) };
  });
  const objects = read.flatMap(({ found }) => found.objects);
  const diagnostics = read.flatMap(({ parsed, found }) => [...parsed.diagnostics, ...found.diagnostics]);
  const files = sources.map(({ file }) => file);
  return stateOf(objects, diagnostics, files, options);
}

function stateOf(
  objects: readonly ManifestObject[],
  found: readonly Diagnostic[],
  files: readonly string[],
  options: StateOptions,
): State {
  const diagnostics = [...found];
  const skipped = new Map<string, number>();
  const parts: Lowered[] = [];
  const policies: PolicyRef[] = [];
  const clusterObjects: ManifestObject[] = [];
  const firsts = new Map<string, ManifestObject>();

  for (const object of objects) {
    const kind = kindOf(object);
    const identity = identityOf(object, kind);
    const first = identity === undefined ? undefined : firsts.get(identity);
    if (first !== undefined) {
      diagnostics.push(duplicate(object, first, identity!));
      continue;
    }
    if (identity !== undefined) firsts.set(identity, object);
    switch (kind.what) {
      case "cluster":
        clusterObjects.push(object);
        break;
      case "mistaken":
        diagnostics.push(kind.diagnostic);
        break;
      case "test":
        break;
      case "other":
        skipped.set(nameOf(object), (skipped.get(nameOf(object)) ?? 0) + 1);
        break;
      case "policy": {
        const reading = readPolicy(kind.kind, object, provenanceOf(object, options));
        diagnostics.push(...reading.diagnostics);
        if (reading.lowered !== undefined) {
          parts.push(reading.lowered);
          policies.push(reading.policy);
        } else if (options.keepGoing) diagnostics.push(leftOut(object, reading.policy));
        break;
      }
    }
  }
  if (skipped.size > 0) diagnostics.push(skippedKinds(skipped));

  const policyNamespaces = new Set(policies.flatMap((policy) => policy.namespace ?? []));
  const built = buildCluster(
    clusterObjects,
    { podCidrs: [], serviceCidrs: [], ...options.facts },
    policyNamespaces,
  );
  const effective = enforcedByCilium(parts, options.ciliumEnforcement ?? "default");
  const tiers = assembleTiers(effective);
  const all = [...diagnostics, ...built.diagnostics, ...setWarnings(built.cluster, effective, policies)];
  return {
    cluster: built.cluster,
    tiers,
    policies,
    diagnostics: inReadingOrder(all, files),
    skipped,
    usable: options.keepGoing === true || !hasErrors(all),
  };
}

// S10.4
function duplicate(object: ManifestObject, first: ManifestObject, identity: string): Diagnostic {
  const called = identity.split(" ").slice(1).join(" ");
  const place = first.document.placeOf(first.path);
  return diagnostic(
    "TW1102",
    `there are two objects called ${called}; the other is at ${place.file}:${place.line}`,
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
