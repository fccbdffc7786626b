import type { PolicyKind } from "../../dialects/dialect.js";
import { readPolicy } from "../../dialects/read.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { given } from "../../diagnostics/given.js";
import type { ManifestObject } from "../../manifest/object.js";
import {
  compareIsolation,
  comparePolicies,
  compareRules,
  type Lowered,
  type PlacedIsolation,
  type PlacedRule,
  tiersOf,
} from "../../policy/assemble.js";
import type { PolicyRef, Tier, Tiers } from "../../policy/model.js";
import { enforcedByCilium, type PolicyDefinition, provenanceOf, type StateOptions } from "../state.js";
import { sameValue } from "./same-value.js";

interface Definition {
  readonly kind: PolicyKind;
  readonly object: ManifestObject;
  readonly policy: PolicyRef;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where the object has errors. */
  readonly effect?: Lowered;
}

interface Settled {
  readonly tiers: Tiers;
  readonly policies: readonly PolicyRef[];
  readonly definitions: readonly PolicyDefinition[];
  /** What each of them contributes, and what enforcement adds. */
  readonly effects: readonly Lowered[];
  /** Diagnostics of single policies; only if there are any. */
  readonly complaints: ReadonlyMap<PolicyRef, readonly Diagnostic[]>;
}

/** All policies, and what they mean together. Rules of policies that stay are the same objects. */
export class LivePolicies {
  private readonly definitions = new Map<string, Definition>();
  /** Policies in the order below that are outdated. */
  private readonly replaced = new Set<PolicyRef>();
  private readonly fresh = new Map<string, Definition>();
  private rules: readonly PlacedRule[] = [];
  private isolation: readonly PlacedIsolation[] = [];
  private readonly everywhere: readonly PlacedIsolation[];
  private tiers: Tiers = { ingress: [], egress: [] };
  private refs: readonly PolicyRef[] = [];
  private sorted: readonly PolicyDefinition[] = [];
  private effects: readonly Lowered[] = [];
  private complaints: ReadonlyMap<PolicyRef, readonly Diagnostic[]> = new Map();
  private isSorted: boolean;

  constructor(private readonly options: StateOptions) {
    const always = enforcedByCilium([], options.ciliumEnforcement ?? "default");
    this.everywhere = always.flatMap((part) => part.isolation);
    this.isSorted = this.everywhere.length === 0;
  }

  set(key: string, object: ManifestObject, kind: PolicyKind): readonly Diagnostic[] {
    const known = this.definitions.get(key);
    if (known !== undefined && known.kind === kind && sameValue(known.object.value, object.value))
      return known.diagnostics;
    this.remove(key);
    const { policy, diagnostics, lowered } = readPolicy(
      kind,
      object,
      provenanceOf(object, this.options),
      this.options,
    );
    const mode = this.options.ciliumEnforcement === "never" ? "never" : "default";
    const effect = lowered && enforcedByCilium([lowered], mode)[0]!;
    const definition = { kind, object, policy, diagnostics, ...given({ effect }) };
    this.definitions.set(key, definition);
    if (effect !== undefined) this.fresh.set(key, definition);
    this.isSorted = false;
    return diagnostics;
  }

  /** The namespace of a policy, if it is namespaced. */
  namespaceOf(key: string): string | undefined {
    const definition = this.definitions.get(key);
    return definition?.effect && definition.policy.namespace;
  }

  remove(key: string): void {
    const known = this.definitions.get(key);
    if (known === undefined) return;
    this.definitions.delete(key);
    if (!this.fresh.delete(key)) this.replaced.add(known.policy);
    this.isSorted = false;
  }

  settle(): Settled {
    if (!this.isSorted) this.sort();
    const { tiers, refs: policies, sorted: definitions, effects, complaints } = this;
    return { tiers, policies, definitions, effects, complaints };
  }

  private sort(): void {
    const fresh = [...this.fresh.values()].map(({ effect }) => effect!);
    const stays = (policy: PolicyRef) => !this.replaced.has(policy);
    const rules = this.rules.filter(({ rule }) => stays(rule.origin.policy));
    const isolation = this.isolation.filter(({ origin }) => origin.kind === "policy" && stays(origin.policy));
    this.rules = [...rules, ...fresh.flatMap((part) => part.rules)].toSorted(compareRules);
    const newIsolation = [...fresh.flatMap((part) => part.isolation), ...this.everywhere];
    this.isolation = [...isolation, ...newIsolation].toSorted(compareIsolation);
    this.tiers = keepTiers(this.tiers, {
      ingress: tiersOf("ingress", this.rules, this.isolation),
      egress: tiersOf("egress", this.rules, this.isolation),
    });
    const sorted = [...this.definitions.values()]
      .filter(({ effect }) => effect !== undefined)
      .toSorted((a, b) => comparePolicies(a.policy, b.policy));
    this.refs = sorted.map(({ policy }) => policy);
    this.sorted = sorted.map(({ policy, object, effect }) => ({ policy, object, lowered: effect! }));
    this.complaints = new Map(
      sorted
        .filter(({ diagnostics }) => diagnostics.length > 0)
        .map(({ policy, diagnostics }) => [policy, diagnostics]),
    );
    this.effects = [
      ...sorted.map(({ effect }) => effect!),
      ...(this.everywhere.length === 0 ? [] : [{ rules: [], isolation: this.everywhere }]),
    ];
    this.fresh.clear();
    this.replaced.clear();
    this.isSorted = true;
  }
}

/** Tiers with the same content stay the same objects. */
function keepTiers(before: Tiers, after: Tiers): Tiers {
  const [ingress, egress] = [keepList(before.ingress, after.ingress), keepList(before.egress, after.egress)];
  return ingress === before.ingress && egress === before.egress ? before : { ingress, egress };
}

function keepList(before: readonly Tier[], after: readonly Tier[]): readonly Tier[] {
  const kept = after.map((tier) => {
    const known = before.find(({ name }) => name === tier.name);
    const isKept =
      known !== undefined &&
      sameMembers(known.rules, tier.rules) &&
      sameMembers(known.isolation, tier.isolation);
    return isKept ? known : tier;
  });
  return sameMembers(before, kept) ? before : kept;
}

function sameMembers<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((member, i) => member === b[i]);
}
