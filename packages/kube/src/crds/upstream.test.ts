import { describe, expect, it } from "vitest";
import { definitionsOf } from "./bundles.js";
import type { OpenApi } from "./structural.js";

/*
 * What the definitions of the network-policy-api project limit, as facts. Ours must not refuse an object that theirs
 * admit and that has a meaning: none of our limits may be missing here, or be lower.
 */

const numbers = {
  priority: "0..1000",
  number: "1..65535",
  port: "1..65535",
  start: "1..65535",
  end: "1..65535",
};
const admin = {
  release: "v0.1.7",
  items: {
    ingress: "0..100",
    egress: "0..100",
    from: "1..100",
    to: "1..100",
    ports: "1..100",
    networks: "1..25",
    domainNames: "1..25",
  },
};
const upstream: Readonly<
  Record<string, { readonly release: string; readonly items: Readonly<Record<string, string>> }>
> = {
  ClusterNetworkPolicy: {
    release: "v0.2.0",
    items: {
      ingress: "0..25",
      egress: "0..25",
      from: "1..25",
      to: "1..25",
      protocols: "1..25",
      networks: "1..25",
      domainNames: "1..25",
    },
  },
  AdminNetworkPolicy: admin,
  BaselineAdminNetworkPolicy: admin,
};
const lengths: Readonly<Record<string, number>> = { name: 100, "networks[]": 43 };

/** Values that no implementation can interpret: Kubernetes itself refuses such selectors everywhere else. */
const meaningless = ["key", "values[]", "matchLabels{}"];
/** Patterns of upstream, which ours follow for every name that DNS can hold. */
const sharedPatterns = ["domainNames[]"];
/** The smallest limit that the wording of the API has, if not its definition: the empty text is no name. */
const notEmpty = ["namedPort", "destinationNamedPort"];

interface Found {
  readonly path: string;
  readonly name: string;
  readonly schema: Partial<OpenApi>;
}

function below(schema: Partial<OpenApi>, path: string): readonly Found[] {
  const inner: readonly (readonly [string, OpenApi])[] = [
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [`.${name}`, one] as const),
    ...(schema.items === undefined ? [] : [["[]", schema.items] as const]),
    ...(schema.additionalProperties === undefined ? [] : [["{}", schema.additionalProperties] as const]),
  ];
  return inner.flatMap(([step, one]) => {
    const at = `${path}${step}`;
    return [{ path: at, name: /[^.]+$/.exec(at)![0], schema: one }, ...below(one, at)];
  });
}

describe.each(definitionsOf("released").map((one) => [one.spec.names.kind, one] as const))(
  "%s",
  (kind, definition) => {
    const { spec } = definition.spec.versions[0]!.schema.openAPIV3Schema.properties;
    const found = below(spec, "");
    const { release, items } = upstream[kind]!;

    it("names the release of the API that it follows, and its channel", () => {
      expect(definition.metadata.annotations).toMatchObject({
        "policy.networking.k8s.io/bundle-version": release,
        "policy.networking.k8s.io/channel": "experimental",
      });
    });

    it("limits lists as upstream does, and no other list", () => {
      const limited = found.flatMap(({ path, name, schema: { minItems, maxItems } }) =>
        minItems === undefined && maxItems === undefined
          ? []
          : [[path, `${minItems ?? 0}..${maxItems}`, items[name]]],
      );
      expect(limited.length).toBeGreaterThan(5);
      expect(limited.filter(([, own, theirs]) => own !== theirs)).toEqual([]);
    });

    it("limits no map: upstream takes any number of labels", () => {
      expect(found.filter(({ schema }) => "maxProperties" in schema)).toEqual([]);
    });

    it("limits numbers and the length of texts as upstream does", () => {
      const odd = found.filter(({ name, schema: { minimum, maximum, maxLength } }) =>
        [
          minimum !== undefined && `${minimum}..${maximum}` !== numbers[name as keyof typeof numbers],
          maxLength !== undefined && maxLength !== lengths[name],
        ].includes(true),
      );
      expect(odd).toEqual([]);
    });

    it("has patterns only for values that mean nothing without them", () => {
      const patterned = found.filter(({ schema }) => schema.pattern !== undefined);
      const unknown = patterned.filter(
        ({ name }) => ![...meaningless, ...sharedPatterns, ...notEmpty].includes(name),
      );
      expect(unknown).toEqual([]);
      for (const { schema, path } of patterned.filter(({ name }) => notEmpty.includes(name)))
        expect([
          path,
          [schema.pattern, ...(schema.allOf ?? [])].length,
          new RegExp(schema.pattern!).test("HTTP_8"),
        ]).toEqual([path, 1, true]);
    });

    it.each(["_sip.example.com", "*.Example.org.", `${"a".repeat(63)}.example`, "_.example.com"])(
      "takes the domain name %s, as upstream does",
      (domain) => {
        const names = found.filter(({ name }) => name === "domainNames[]");
        expect(names.every(({ schema }) => new RegExp(schema.pattern!).test(domain))).toBe(true);
      },
    );
  },
);
