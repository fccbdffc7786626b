import { describe, expect, it } from "vitest";
import { type BundleName, definitionFiles, definitionsOf } from "./bundles.js";
import type { OpenApi } from "./structural.js";

const bundles: readonly BundleName[] = ["released", "first-draft", "kep-2091"];
const policies = bundles.flatMap((bundle) => definitionsOf(bundle));
const [guarantee] = definitionsOf("guarantees");
const all = [...policies, guarantee!];

/** The schemas below one, by their paths: `.spec.ingress[].from`. */
function below(
  schema: Partial<OpenApi>,
  path: string,
): readonly (readonly [path: string, Partial<OpenApi>])[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [`${path}.${name}`, one] as const),
    ...(schema.items === undefined ? [] : [[`${path}[]`, schema.items] as const]),
    ...(schema.additionalProperties === undefined
      ? []
      : [[`${path}{}`, schema.additionalProperties] as const]),
  ];
  return inner.flatMap(([at, one]) => [[at, one] as const, ...below(one, at)]);
}

function fieldsOf(definition: (typeof all)[number]) {
  const schema: object = definition.spec.versions[0]!.schema.openAPIV3Schema;
  return below(schema, "");
}

describe.each(all.map((definition) => [definition.metadata.name, definition] as const))(
  "%s",
  (_, definition) => {
    it("describes every field", () => {
      const silent = fieldsOf(definition).filter(([, schema]) => (schema.description ?? "").length < 5);
      // API servers take no description of metadata but their own.
      expect(silent.map(([path]) => path)).toEqual([".metadata"]);
    });

    it("has a list type for each list", () => {
      const open = fieldsOf(definition).filter(
        ([, schema]) => schema.type === "array" && schema["x-kubernetes-list-type"] === undefined,
      );
      expect(open).toEqual([]);
    });

    it("has a status of its own path, and columns", () => {
      const [version] = definition.spec.versions;
      expect(version!.subresources).toEqual({ status: {} });
      const columns = version!.additionalPrinterColumns.map(({ name }) => name);
      if (definition === guarantee) expect(columns).toEqual(["Holds", "Verdict", "Age"]);
      else expect(columns).toEqual(expect.arrayContaining(["Accepted", "Programmed", "Age"]));
    });

    it("names the channel and the approval of groups of the Kubernetes project", () => {
      const approved = {
        "policy.networking.k8s.io/channel": "experimental",
        "api-approved.kubernetes.io": expect.stringMatching(/^unapproved, /) as string,
      };
      if (definition === guarantee) expect(definition.metadata).not.toHaveProperty("annotations");
      else expect(definition.metadata.annotations).toMatchObject(approved);
    });
  },
);

describe("the bundles", () => {
  it("share one name, and that one only: KEP-2091's kind or the released one", () => {
    const names = all.map(({ metadata }) => metadata.name);
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    expect(twice).toEqual(["adminnetworkpolicies.policy.networking.k8s.io"]);
  });

  it("S6.5: only a default policy of the first draft has directions that may be null", () => {
    const nullable = all.flatMap((definition) =>
      fieldsOf(definition)
        .filter(([path, schema]) => schema.nullable === true && !path.endsWith("{}"))
        .map(([path]) => `${definition.spec.names.kind}${path}`),
    );
    expect(nullable).toEqual([
      "ClusterDefaultNetworkPolicy.spec.ingress",
      "ClusterDefaultNetworkPolicy.spec.egress",
    ]);
  });

  it("are files: what is opt-in is in a folder of its own, where applying the others does not find it", () => {
    expect(Object.keys(definitionFiles())).toEqual([
      "policy.networking.k8s.io_clusternetworkpolicies.yaml",
      "policy.networking.k8s.io_adminnetworkpolicies.yaml",
      "policy.networking.k8s.io_baselineadminnetworkpolicies.yaml",
      "tierwall.dev_guarantees.yaml",
      "first-draft/netpol.networking.k8s.io_clusternetworkpolicies.yaml",
      "first-draft/netpol.networking.k8s.io_clusterdefaultnetworkpolicies.yaml",
      "kep-2091/policy.networking.k8s.io_adminnetworkpolicies.yaml",
    ]);
  });
});
