import { ClusterBuilder, type PodRanges } from "../cluster/build.js";
import { isFromCluster } from "../cluster/identity.js";
import type { Cluster, Facts } from "../cluster/model.js";
import { type Diagnostic, diagnostic, hasErrors } from "../diagnostics/diagnostic.js";
import { given } from "../diagnostics/given.js";
import { shortened, visible } from "../diagnostics/visible.js";
import { countsOf } from "../collections/maps.js";
import { formatCounts } from "../diagnostics/summary.js";
import { inReadingOrder } from "../diagnostics/reading-order.js";
import type { LowerOptions, PolicyKind } from "../dialects/dialect.js";
import { readPolicy } from "../dialects/read.js";
import type { ForeignKind } from "../foreign/kinds.js";
import { type ForeignObject, lowerForeign, readForeign } from "../foreign/object.js";
import type { ManifestObject, Receiver } from "../manifest/object.js";
import { readObjects } from "../manifest/read.js";
import type { Source } from "../manifest/source.js";
import type { Family } from "../net/address.js";
import { assembleTiers, type Lowered } from "../policy/assemble.js";
import { type Direction, directions, type PolicyRef, type Tiers } from "../policy/model.js";
import { type Caveat, ignoredCaveats, unseenCaveats } from "./caveat.js";
import {
  type EnforcerDifference,
  differencesOf,
  enforcedAs,
  type EnforcerName,
  enforcers,
} from "./enforcers/differences.js";
import type { ClusterOptions, WrittenFact } from "./cluster-options.js";
import { FirstObjects, type FirstPlace } from "./first-objects.js";
import { calledIn, identityOf, kindOf } from "./object-kind.js";
import { foreignRemarks, isDerived } from "./foreign-remarks.js";
import type { PolicyDefinition, WrittenPolicy } from "./policy-definition.js";
import { withAdvice } from "./input-advice.js";
import { setWarnings } from "./warnings/set-warnings.js";
import { unseenIn } from "./snapshot/snapshot-kind.js";

export type { PolicyDefinition, WrittenPolicy } from "./policy-definition.js";

/** S3.6, S7.12, S9.6, S9.8 and S10.1 define what they mean. */
export interface StateOptions extends Omit<ClusterOptions, WrittenFact> {
  readonly facts?: Partial<Facts>;
  /** Called now and then with the number of objects that have been read. */
  readonly progress?: (objects: number) => void;
}

/** A cluster and its policies, lowered to tiers: all that questions need. */
export interface State {
  readonly cluster: Cluster;
  readonly tiers: Tiers;
  readonly policies: readonly PolicyRef[];
  readonly podRanges: PodRanges;
  /** The policies as they were written, also those that have errors. */
  readonly written: readonly WrittenPolicy[];
  /** Of `policies`, in the same order. */
  readonly definitions: readonly PolicyDefinition[];
  /** Objects of APIs that are not evaluated, without those that are to be ignored (S9.3). */
  readonly foreign: readonly ForeignObject[];
  /** The implementation that answers follow; undefined: docs/semantics.md (S9.8). */
  readonly enforcer?: EnforcerName;
  /** The tiers as an implementation enforces them, with all or some of its differences; undefined: docs/semantics.md. */
  readonly tiersAs: (enforcer: EnforcerName | undefined, among?: readonly EnforcerDifference[]) => Tiers;
  /** What holds for every answer about this state. */
  readonly caveats: readonly Caveat[];
  /** How policies are read and enforced. */
  readonly setup: Setup;
  /** The same cluster under other policies; the input is not validated again. */
  readonly withDefinitions: (definitions: readonly PolicyDefinition[]) => State;
  readonly diagnostics: readonly Diagnostic[];
  /** How many objects of unknown kinds there were (S10.3). */
  readonly skipped: ReadonlyMap<string, number>;
  /** Whether questions may be asked: no errors, or `keepGoing`. */
  readonly usable: boolean;
}

/** Text → documents → objects → tiers. All diagnostics of all files together (S10.1). */
export function readState(sources: readonly Source[], options: StateOptions = {}): State {
  const reader = new StateReader(options);
  for (const source of sources) readObjects(source, reader);
  const state = reader.state(sources.map(({ file }) => file));
  return { ...state, diagnostics: withAdvice(state.diagnostics, sources, state.skipped) };
}

/** States that share some sources, which are read only once: not all can be read again. */
export function readStates(
  common: readonly Source[],
  sides: readonly (readonly Source[])[],
  options: StateOptions = {},
): readonly State[] {
  const readers = sides.map(() => new StateReader(options));
  for (const source of common)
    readObjects(source, {
      object: (object) => {
        for (const reader of readers) reader.object(object);
      },
      report: (found) => {
        for (const reader of readers) reader.report(found);
      },
    });
  return sides.map((sources, i) => {
    for (const source of sources) readObjects(source, readers[i]!);
    return readers[i]!.state([...common, ...sources].map(({ file }) => file));
  });
}

/** Consumes objects one by one, and keeps the meaning of each. */
export class StateReader implements Receiver {
  private readonly cluster = new ClusterBuilder();
  private readonly definitions: PolicyDefinition[] = [];
  private readonly written: WrittenPolicy[] = [];
  private readonly foreign: ForeignObject[] = [];
  private readonly ignored: ForeignObject[] = [];
  private readonly unseen: Caveat[] = [];
  private readonly skipped = new Map<string, number>();
  private readonly inTexts: Diagnostic[] = [];
  private readonly inObjects: Diagnostic[] = [];
  private readonly firsts = new FirstObjects();
  private count = 0;

  constructor(private readonly options: StateOptions) {}

  readonly report = (found: Diagnostic): void => {
    this.inTexts.push(found);
  };

  /** Returns the policy, if it is one and can be read. */
  readonly object = (object: ManifestObject): PolicyRef | undefined => {
    if (++this.count % objectsPerReport === 0) this.options.progress?.(this.count);
    const kind = kindOf(object);
    const identity = identityOf(object, kind);
    const first = identity === undefined ? undefined : this.firsts.add(object, identity);
    if (first !== undefined) {
      this.inObjects.push(duplicate(object, first, identity!));
      return undefined;
    }
    switch (kind.what) {
      case "cluster":
        this.cluster.add(object);
        return undefined;
      case "mistaken":
        this.inObjects.push(kind.diagnostic);
        return undefined;
      case "test":
        return undefined;
      case "snapshot":
        this.inObjects.push(...unseenIn(object.value));
        this.unseen.push(...unseenCaveats(object.value));
        return undefined;
      case "foreign":
        this.addForeign(object, kind.kind);
        return undefined;
      case "other":
        this.skipped.set(nameOf(object), (this.skipped.get(nameOf(object)) ?? 0) + 1);
        return undefined;
      case "policy":
        return this.addPolicy(object, kind.kind);
    }
  };

  private addForeign(object: ManifestObject, kind: ForeignKind): void {
    const isIgnored = this.options.ignoreApis?.includes(kind.group) ?? false;
    (isIgnored ? this.ignored : this.foreign).push(readForeign(kind, object));
  }

  private addPolicy(object: ManifestObject, kind: PolicyKind): PolicyRef | undefined {
    const reading = readPolicy(kind, object, provenanceOf(object, this.options), this.options);
    this.inObjects.push(...reading.diagnostics);
    this.written.push({ policy: reading.policy, object });
    if (reading.lowered === undefined) {
      if (this.options.keepGoing) this.inObjects.push(leftOut(object, reading.policy));
      return undefined;
    }
    this.definitions.push({ policy: reading.policy, object, lowered: reading.lowered });
    return reading.policy;
  }

  /** The diagnostics of single objects, without those that depend on a cluster or other policies. */
  read(): Pick<State, "definitions" | "diagnostics"> {
    return { definitions: this.definitions, diagnostics: [...this.inTexts, ...this.inObjects] };
  }

  /** What all of them together mean; diagnostics come in the order of these files. */
  state(files: readonly string[]): State {
    const { definitions, written, skipped, options, ignored } = this;
    const policies = definitions.map(({ policy }) => policy);
    const foreign = this.foreign.filter((object) => !isDerived(object, policies));
    const policyNamespaces = new Set(policies.flatMap((policy) => policy.namespace ?? []));
    const facts = { podCidrs: [], serviceCidrs: [], ...options.facts };
    const built = this.cluster.build(facts, policyNamespaces);
    // S9.8: warnings are about policies as docs/semantics.md reads them.
    const { enforcer: _, ...specified } = options;
    const all = [
      ...this.inTexts,
      ...this.inObjects,
      ...(skipped.size > 0 ? [skippedKinds(skipped)] : []),
      ...foreignRemarks(foreign, ignored),
      ...built.diagnostics,
      ...setWarnings(built.cluster, partsAs(definitions, specified), policies),
    ];
    return stateOf(definitions, options, {
      ...given({ enforcer: options.enforcer }),
      cluster: built.cluster,
      podRanges: built.podRanges,
      written,
      diagnostics: inReadingOrder(all, files),
      skipped,
      foreign,
      caveats: [...ignoredCaveats(ignored), ...this.unseen],
      usable: options.keepGoing === true || !hasErrors(all),
    });
  }
}

export type Enforcement = NonNullable<StateOptions["ciliumEnforcement"]>;

/** How policies are read and enforced. */
export type Setup = LowerOptions & Pick<StateOptions, "enforcer" | "ciliumEnforcement">;

function partsAs(
  definitions: readonly PolicyDefinition[],
  setup: Setup,
  among?: readonly EnforcerDifference[],
): readonly Lowered[] {
  const { enforcer, ciliumEnforcement = "default" } = setup;
  const parts =
    enforcer === undefined
      ? definitions.map(({ lowered }) => lowered)
      : enforcedAs(definitions, enforcer, setup, among);
  return enforcedByCilium(parts, ciliumEnforcement, enforcer);
}

/** How many IP families Cilium serves here, as far as addresses show. */
function familiesIn({ pods, nodes }: Cluster): Pick<LowerOptions, "ciliumFamilies"> {
  const found = new Set<Family>();
  for (const { addresses } of [...nodes.values(), ...pods.values()])
    for (const { family } of addresses) found.add(family);
  return found.size === 0 ? {} : { ciliumFamilies: found.size === 2 ? "both" : "one" };
}

/** What policies mean together, in a cluster of which everything else is known. */
export function stateOf(
  definitions: readonly PolicyDefinition[],
  setup: Setup,
  rest: Omit<State, "definitions" | "policies" | "tiers" | "tiersAs" | "setup" | "withDefinitions">,
): State {
  const tiersAs: State["tiersAs"] = (enforcer, among) => {
    const { enforcer: _, ...others } = setup;
    const asked = enforcer === undefined ? others : { ...others, ...familiesIn(rest.cluster), enforcer };
    return assembleTiers([...partsAs(definitions, asked, among), lowerForeign(rest.foreign)]);
  };
  return {
    ...rest,
    definitions,
    policies: definitions.map(({ policy }) => policy),
    tiers: tiersAs(setup.enforcer),
    tiersAs,
    setup,
    caveats: [...rest.caveats, ...notEnforcedCaveats(definitions, setup)],
    withDefinitions: (others) => stateOf(others, setup, rest),
  };
}

/** The policies that Tierwall evaluates, as docs/semantics.md reads them: the effects of others cannot be proven (S9.7, S9.8). */
export function ownPolicies(state: State): State {
  const { enforcer, ...rest } = state;
  if (state.foreign.length === 0 && enforcer === undefined) return state;
  const tiers = state.tiersAs(undefined);
  const own = (direction: Direction) => tiers[direction].filter(({ name }) => name !== "foreign");
  return {
    ...rest,
    foreign: [],
    tiers: { ingress: own("ingress"), egress: own("egress") },
    withDefinitions: (definitions) => ownPolicies(state.withDefinitions(definitions)),
  };
}

const objectsPerReport = 500;

// S10.4
export function duplicate(object: ManifestObject, first: FirstPlace, identity: string): Diagnostic {
  const called = calledIn(identity);
  return diagnostic(
    "TW1102",
    `there are two objects named ${called}; the other is at ${first.file}:${first.line}`,
    {
      place: object.document.placeOf([...object.path, "metadata", "name"]),
      object: called,
      path: ["metadata", "name"],
    },
  );
}

// S10.3
export function skippedKinds(skipped: ReadonlyMap<string, number>): Diagnostic {
  const message = `kinds that do not affect network policy were skipped: ${formatCounts(skipped)}`;
  return diagnostic("TW3003", message);
}

export function provenanceOf(
  object: ManifestObject,
  { provenance = "auto" }: StateOptions,
): "file" | "cluster" {
  return provenance === "auto" ? (isFromCluster(object) ? "cluster" : "file") : provenance;
}

function leftOut(object: ManifestObject, policy: PolicyRef): Diagnostic {
  return diagnostic("TW2022", `${policy.kind} \`${policy.name}\` has errors and was skipped`, {
    place: object.document.placeOf(object.path),
  });
}

// S7.12: Cilium enforces NetworkPolicies and ClusterNetworkPolicies too, and its modes are about all of them.
export function enforcedByCilium(
  parts: readonly Lowered[],
  mode: Enforcement,
  enforcer?: EnforcerName,
): readonly Lowered[] {
  if (mode === "default") return parts;
  if (mode === "never")
    return parts.map(({ rules, isolation }) => ({
      rules: rules.filter(({ rule }) => !isEnforcedByCilium(rule.origin.policy)),
      isolation: isolation.filter(
        ({ origin }) => origin.kind !== "policy" || !isEnforcedByCilium(origin.policy),
      ),
    }));
  const everyPod = { namespaces: [], pods: [] };
  const origin = { kind: "option", option: "--cilium-enforcement always" } as const;
  // S1.2 is read differently there.
  const tier = enforcer === "cilium" ? "cluster-default" : "network-policy";
  const isolation = directions.map((direction) => ({ tier, direction, subject: everyPod, origin }) as const);
  return [...parts, { rules: [], isolation }];
}

/** What is ignored, or not followed, although the input has it. */
function notEnforcedCaveats(
  definitions: readonly PolicyDefinition[],
  { enforcer, ciliumEnforcement }: Setup,
): readonly Caveat[] {
  const left = (among: readonly PolicyDefinition[], by: string): readonly Caveat[] => {
    const kinds = countsOf(among.map(({ policy }) => policy.kind));
    return kinds.size === 0 ? [] : [{ kind: "ignored", text: `not enforced ${by}: ${formatCounts(kinds)}` }];
  };
  const never =
    ciliumEnforcement === "never" ? definitions.filter(({ policy }) => isEnforcedByCilium(policy)) : [];
  const caveats = left(never, "(--cilium-enforcement never)");
  if (enforcer === undefined) return caveats;
  const { title, enforces } = enforcers[enforcer];
  const others = definitions.filter(({ policy }) => !enforces.includes(policy.dialect));
  const documented = differencesOf(enforcer).filter(({ concerns }) => concerns && definitions.some(concerns));
  return [
    ...caveats,
    ...left(others, `by ${title} (--enforcer ${enforcer})`),
    ...documented.map(
      ({ instead, statement }): Caveat => ({
        kind: "implementation",
        enforcers: [enforcer],
        text: `${title} ${instead} (${statement}); this answer does not follow that`,
      }),
    ),
  ];
}

const isEnforcedByCilium = ({ dialect }: PolicyRef): boolean =>
  dialect === "network-policy" || dialect === "cilium" || dialect === "cluster-network-policy";

export const nameOf = (object: ManifestObject): string =>
  object.kind === "" ? "(no kind)" : visible(shortened(object.kind, 100));
