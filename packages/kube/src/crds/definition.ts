import type { ObjectSchema, PolicyKind } from "@tierwall/core/manifest";
import { reportedKindOf, resourceOf } from "../cluster/kinds.js";
import { policyStatus } from "./status.js";
import { type OpenApi, structural, validationRules } from "./structural.js";

/** What a definition has in addition to the schema of its kind. */
export interface Naming {
  readonly shortNames?: readonly string[];
  /** Columns of `kubectl get`: fields of the spec, and conditions. */
  readonly columns: readonly (keyof typeof knownColumns)[];
  /** That of a policy, if it is absent. */
  readonly status?: OpenApi;
  /** Fields of the spec of which an object must have one, possibly null: CEL treats null as absent. */
  readonly specHasOneOf?: readonly string[];
  /** The release of the network-policy-api project whose definition this one replaces; drafts were in no release. */
  readonly bundle?: string;
}

/** A CustomResourceDefinition as it is sent to an API server. */
export type Definition = ReturnType<typeof definitionOf>;

interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly description: string;
  readonly jsonPath: string;
  /** 0 is always shown, others with `-o wide`. */
  readonly priority?: number;
}

/** Names that end in k8s.io belong to the Kubernetes project, and definitions with such names need this annotation. */
const approval =
  "unapproved, written by Tierwall for what it enforces of this API; the API itself is the Kubernetes project's";

type DefinedKind = Pick<PolicyKind, "group" | "kind" | "scope" | "versions">;

/** The definition of a kind in the spelling that this shape is of. */
export function definitionOf(kind: DefinedKind, shape: ObjectSchema, naming: Naming) {
  const { plural } = reportedKindOf(kind);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: resourceOf({ plural, group: kind.group }),
      ...annotationsOf(kind, naming),
    },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular: kind.kind.toLowerCase(),
        ...(naming.shortNames === undefined ? {} : { shortNames: naming.shortNames }),
        categories: ["network-policies"],
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.versions[0],
          served: true,
          storage: true,
          additionalPrinterColumns: columnsOf(naming),
          subresources: { status: {} },
          schema: { openAPIV3Schema: wholeObject(shape, naming) },
        },
      ],
    },
  };
}

function annotationsOf(
  { group }: DefinedKind,
  { bundle }: Naming,
): { readonly annotations?: Readonly<Record<string, string>> } {
  if (!group.endsWith(".k8s.io")) return {};
  return {
    annotations: {
      "api-approved.kubernetes.io": approval,
      ...(bundle === undefined ? {} : { "policy.networking.k8s.io/bundle-version": bundle }),
      // With the fields that the standard channel of the API leaves out, such as networks and domain names.
      "policy.networking.k8s.io/channel": "experimental",
    },
  };
}

function wholeObject(shape: ObjectSchema, { specHasOneOf, status = policyStatus }: Naming) {
  const spec = shape.fields.spec as ObjectSchema;
  const rules = validationRules(shape);
  return {
    description: shape.description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { description: "The API group and version.", type: "string" },
      kind: { description: "The kind of object.", type: "string" },
      // API servers describe it themselves, and accept no other description.
      metadata: { type: "object" },
      spec: {
        ...atomicFields(structural(spec)),
        ...(specHasOneOf ? { anyOf: specHasOneOf.map((field) => ({ required: [field] })) } : {}),
      },
      status,
    },
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
}

/** A subject of which two clients each applied a half would be one that neither wanted: each applies all of it. */
function atomicFields(spec: OpenApi): OpenApi {
  const properties = Object.entries(spec.properties!).map(([name, property]) => [
    name,
    property.type === "object" ? { ...property, "x-kubernetes-map-type": "atomic" } : property,
  ]);
  return { ...spec, properties: Object.fromEntries(properties) as Record<string, OpenApi> };
}

const conditionColumn = (type: string, description: string): Column => ({
  name: type,
  type: "string",
  description,
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
});

const knownColumns = {
  tier: {
    name: "Tier",
    type: "string",
    description: "Whether it comes before the NetworkPolicies or after them.",
    jsonPath: ".spec.tier",
  },
  priority: {
    name: "Priority",
    type: "integer",
    description: "Its place in the order of the policies.",
    jsonPath: ".spec.priority",
  },
  verdict: {
    name: "Verdict",
    type: "string",
    description: "What must become of the connections.",
    jsonPath: ".spec.verdict",
  },
  Accepted: conditionColumn("Accepted", "Whether it is understood."),
  Programmed: conditionColumn("Programmed", "Whether the nodes enforce it."),
  Holds: conditionColumn("Holds", "Whether it holds in every cluster with these policies."),
} as const satisfies Record<string, Column>;

function columnsOf({ columns }: Naming): readonly Column[] {
  return [
    ...columns.map((name) => knownColumns[name]),
    {
      name: "Age",
      type: "date",
      description: "How long ago it was made.",
      jsonPath: ".metadata.creationTimestamp",
    },
  ];
}
