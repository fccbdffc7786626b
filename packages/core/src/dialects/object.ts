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
  object("metadata", "Standard metadata of Kubernetes objects.", {
    name: optional(string("The name of the object.", { format: objectName })),
    ...(scope === "Namespaced"
      ? { namespace: optional(string("The namespace of the object.", { format: namespaceName })) }
      : { namespace: optional(string("Ignored: the object is cluster-wide.")) }),
    labels: optional({
      type: "map",
      description: "Labels of the object itself.",
      keys: labelKey,
      values: labelValue,
    }),
    annotations: optional(any("Annotations of the object.")),
    generateName: optional(string("A prefix from which the API server generates a name.")),
    ownerReferences: optional(any("The owners of the object.")),
    finalizers: optional(list("Finalizers, which delay deletion.", string("A finalizer."))),
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
      status: optional(any("Reported by implementations; ignored.")),
    },
    constraints,
  ) satisfies ObjectSchema;
}
