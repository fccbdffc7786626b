import { labelKey, labelValue, namespaceName, objectName } from "../schema/formats.js";
import {
  any,
  type Constraint,
  type Fields,
  integer,
  list,
  object,
  type ObjectSchema,
  required,
  string,
} from "../schema/schema.js";

const metadata = (scope: "Cluster" | "Namespaced") =>
  object("metadata", "Standard metadata of Kubernetes objects.", {
    name: string("The name of the object.", { format: objectName }),
    ...(scope === "Namespaced"
      ? { namespace: string("The namespace of the object.", { format: namespaceName }) }
      : { namespace: string("Ignored: the object is cluster-wide.") }),
    labels: {
      type: "map",
      description: "Labels of the object itself.",
      keys: labelKey,
      values: labelValue,
    },
    annotations: any("Annotations of the object."),
    generateName: string("A prefix from which the API server generates a name."),
    ownerReferences: any("The owners of the object."),
    finalizers: list("Finalizers, which delay deletion.", string("A finalizer.")),
    uid: string("Set by the API server; marks an object that was read from a cluster."),
    resourceVersion: any("Set by the API server."),
    generation: integer("Set by the API server."),
    creationTimestamp: any("Set by the API server."),
    deletionTimestamp: any("Set by the API server."),
    deletionGracePeriodSeconds: integer("Set by the API server."),
    managedFields: any("Set by the API server."),
    selfLink: string("Set by old API servers."),
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
    withArticle(kind),
    description,
    {
      apiVersion: required(string("The API group and version.")),
      kind: required(string("The kind of object.")),
      metadata: metadata(scope),
      ...fields,
      status: any("Reported by implementations; ignored."),
    },
    constraints,
  ) satisfies ObjectSchema;
}

/** The same for kinds with one spec. */
export const policyWithSpec = <F extends Fields>(
  kind: string,
  description: string,
  scope: "Cluster" | "Namespaced",
  specDescription: string,
  specFields: F,
  specConstraints: readonly Constraint[] = [],
  constraints: readonly Constraint[] = [],
) => {
  const spec = required(object(`${withArticle(kind)}'s spec`, specDescription, specFields, specConstraints));
  return policyObject(kind, description, scope, { spec }, constraints);
};

const withArticle = (kind: string): string => `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
