import type { Labels, Requirement } from "../../labels/requirement.js";
import type { JsonObject } from "../../manifest/document.js";
import { writeYaml } from "../../manifest/yaml/write-yaml.js";
import type { Assumption } from "./claim.js";

/*
 * A ValidatingAdmissionPolicy with which an API server keeps an assumption true. It validates objects that are created or
 * changed; existing objects are in the input, which satisfies the assumption (S11.4).
 */

/** What an API server has to check, as an expression of CEL; undefined where it cannot: nothing decides where addresses are. */
export function admissionExpression(assumption: Assumption): string | undefined {
  switch (assumption.kind) {
    case "every":
      return implication(all(assumption.with), all(assumption.has));
    case "only":
      return implication(all(assumption.with), `object.metadata.name in ${literal(assumption.namespaces)}`);
    case "as-deployed":
      return [...assumption.namespaces]
        .map(([name, labels]) =>
          implication(
            `object.metadata.name == ${literal(name)}`,
            `object.metadata.labels == ${mapLiteral(labels)}`,
          ),
        )
        .join(" && ");
    case "addresses":
      return undefined;
  }
}

/** The policy and its binding, as YAML. */
export function admissionPolicyText(assumption: Assumption, name: string): string | undefined {
  const expression = admissionExpression(assumption);
  if (expression === undefined) return undefined;
  const resources = resourcesOf[assumption.kind === "every" ? assumption.scope : "namespace"];
  const apiVersion = "admissionregistration.k8s.io/v1";
  const objects: readonly JsonObject[] = [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources },
          ],
        },
        validations: [{ expression, message: `guarantees assume that ${assumption.text}` }],
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
  return writeYaml(objects.map((value) => ({ value, comments: [] })));
}

/** Labels can also be changed through subresources that are meant for something else. */
const resourcesOf = {
  namespace: ["namespaces", "namespaces/status", "namespaces/finalize"],
  pod: ["pods", "pods/status"],
  node: ["nodes", "nodes/status"],
} as const;

const implication = (premise: string, conclusion: string): string =>
  premise === "true" ? conclusion : `!(${premise}) || (${conclusion})`;

const all = (requirements: readonly Requirement[]): string =>
  requirements.length === 0 ? "true" : requirements.map(holds).join(" && ");

function holds({ key, operator, values }: Requirement): string {
  const labels = "object.metadata.labels";
  const exists = `has(${labels}) && ${literal(key)} in ${labels}`;
  const isOne = `${exists} && ${labels}[${literal(key)}] in ${literal(values)}`;
  switch (operator) {
    case "In":
      return isOne;
    case "NotIn":
      return `!(${isOne})`;
    case "Exists":
      return exists;
    case "DoesNotExist":
      return `!(${exists})`;
  }
}

/** Strings and lists of CEL are written as those of JSON. */
const literal = (value: string | readonly string[]): string => JSON.stringify(value);

const mapLiteral = (labels: Labels): string =>
  `{${Object.entries(labels)
    .map(([key, value]) => `${literal(key)}: ${literal(value)}`)
    .join(", ")}}`;
