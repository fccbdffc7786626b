import fc from "fast-check";
import { anyAdminModel, asBaseline, spell } from "./arbitrary-admin.js";
import { anyCiliumPolicy, type CiliumChoices } from "./arbitrary-cilium.js";
import { anyForeign } from "./arbitrary-foreign.js";
import { anyDefaultPolicy, anyGuardrail } from "./arbitrary-first-draft.js";
import { anyKepPolicy, type KepChoices } from "./arbitrary-kep.js";
import { anyNetworkPolicy } from "./arbitrary-network-policy.js";
import { type Manifest, anyOf, type Unnamed } from "./arbitrary-vocabulary.js";

/** A policy of each API, and of each spelling, that is evaluated. */
export const evaluatedKinds = [
  "NetworkPolicy",
  "seed ClusterNetworkPolicy",
  "released ClusterNetworkPolicy",
  "AdminNetworkPolicy",
  "BaselineAdminNetworkPolicy",
  "KEP AdminNetworkPolicy",
  "first draft",
  "default policy",
  "Cilium",
] as const;
/** With objects of APIs that are not (S9.3). */
export const andForeign = [...evaluatedKinds, "foreign", "foreign"] as const;
export type PolicyKindName = (typeof andForeign)[number];

export function anyPolicy(
  kind: PolicyKindName,
  choices: CiliumChoices & Pick<KepChoices, "relative"> = {},
): fc.Arbitrary<Unnamed<unknown>> {
  switch (kind) {
    case "NetworkPolicy":
      return anyNetworkPolicy;
    case "seed ClusterNetworkPolicy":
      return anyAdminModel().map((model) => spell(model, "seed"));
    case "released ClusterNetworkPolicy":
      return anyAdminModel().map((model) => spell(model, "cluster"));
    case "AdminNetworkPolicy":
      return anyAdminModel({ tier: "admin" }).map((model) => spell(model, "released"));
    case "BaselineAdminNetworkPolicy":
      return anyAdminModel().map((model) => spell(asBaseline(model), "released"));
    case "KEP AdminNetworkPolicy":
      return anyKepPolicy({ relative: choices.relative ?? false });
    case "first draft":
      return anyGuardrail();
    case "default policy":
      return anyDefaultPolicy;
    case "Cilium":
      return anyCiliumPolicy(choices);
    case "foreign":
      return anyForeign;
  }
}

export interface PolicyChoices extends CiliumChoices, Pick<KepChoices, "relative"> {
  readonly kinds?: readonly PolicyKindName[];
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Some policies of some kinds, with names whose order has nothing to do with their own. */
export function anyPolicies({
  kinds = evaluatedKinds,
  minLength = 0,
  maxLength = 5,
  ...choices
}: PolicyChoices = {}): fc.Arbitrary<readonly Manifest[]> {
  const policy = fc.oneof(...kinds.map((kind) => anyPolicy(kind, choices)));
  return fc
    .array(fc.tuple(policy, initial), { minLength, maxLength })
    .map((list) => onlyOneBaseline(list.map(([body, letter], i) => named(body, `${letter}${i}`))));
}

const initial = anyOf("a", "b", "c");

export function named<S>({ namespace, ...body }: Unnamed<S>, name: string): Manifest<S> {
  const { apiVersion, kind, ...rest } = body;
  const metadata = {
    name: kind === "BaselineAdminNetworkPolicy" ? "default" : name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { apiVersion, kind, metadata, ...rest };
}

// S4.1
function onlyOneBaseline(policies: readonly Manifest[]): readonly Manifest[] {
  const first = policies.find(({ kind }) => kind === "BaselineAdminNetworkPolicy");
  return policies.filter((policy) => policy.kind !== "BaselineAdminNetworkPolicy" || policy === first);
}
