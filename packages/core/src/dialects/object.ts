import { labelKey, labelValue, namespaceName, objectName } from "../schema/formats.js";
import {
  any,
  type Constraint,
  type Fields,
  integer,
  list,
  object,
  type ObjectSchema,
  optional,
  required,
  string,
} from "../schema/schema.js";

const metadata = (scope: "Cluster" | "Namespaced") =>
  object("metadata", "What every Kubernetes object carries.", {
    name: optional(string("The name of the object.", { format: objectName })),
    ...(scope === "Namespaced"
      ? { namespace: optional(string("The namespace the object lives in.", { format: namespaceName })) }
      : { namespace: optional(string("Ignored: the object is cluster-wide.")) }),
    labels: optional({
      type: "map",
      description: "Labels of the object itself.",
      keys: labelKey,
      values: labelValue,
    }),
    annotations: optional(any("Notes for tools.")),
    generateName: optional(string("A prefix from which the API server makes a name.")),
    ownerReferences: optional(any("The objects this one belongs to.")),
    finalizers: optional(list("What must happen before deletion.", string("A finalizer."))),
    uid: optional(string("Set by the API server; marks an object that was read from a cluster.")),
    resourceVersion: optional(any("Set by the API server.")),
    generation: optional(integer("Set by the API server.")),
    creationTimestamp: optional(any("Set by the API server.")),
    deletionTimestamp: optional(any("Set by the API server.")),
    deletionGracePeriodSeconds: optional(integer("Set by the API server.")),
    managedFields: optional(any("Set by the API server.")),
    selfLink: optional(string("Set by old API servers.")),
  });

/** The whole object around the fields of one policy kind. */
export function policyObject<F extends Fields>(
  kind: string,
  description: string,
  scope: "Cluster" | "Namespaced",
  fields: F,
  constraints: readonly Constraint[] = [],
) {
  return object(
    `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`,
    description,
    {
      apiVersion: required(string("The API group and version.")),
      kind: required(string("The kind of object.")),
      metadata: optional(metadata(scope)),
      ...fields,
      status: optional(any("What implementations report; not read.")),
    },
    constraints,
  ) satisfies ObjectSchema;
}
