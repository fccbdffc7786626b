import fc from "fast-check";

/*
 * The few words that all generated clusters and policies are written in. There are so few of them that rules really
 * meet each other, and every word has one meaning only, so that a law may rename them all (laws/renaming.test.ts).
 */

/** A Kubernetes object as written in a file. */
export interface Manifest<S = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: S;
  readonly specs?: readonly S[];
}

/** A policy that has no name yet: sets of policies are named by `arbitrary-policies.ts`. */
export type Unnamed<S> = Omit<Manifest<S>, "metadata"> & { readonly namespace?: string };

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

export type LabelWords = Readonly<Record<string, readonly [string, ...string[]]>>;

export const namespaceNames = ["alpha", "beta", "gamma", "delta"] as const;
export const accounts = ["default", "robot"] as const;
export const nodeNames = ["node-1", "node-2"] as const;

/** `team` is a label of everything, so that confusing the labels of different objects is noticed. */
export const labelWords = {
  namespace: { team: ["red", "blue"], env: ["prod", "dev"] },
  pod: { team: ["red", "blue"], app: ["web", "db"] },
  node: { team: ["red", "blue"], zone: ["east", "west"] },
} as const satisfies Record<string, LabelWords>;

export const namespaceNameKey = "kubernetes.io/metadata.name";

/** Like `fc.record`, with the optional fields apart, and ordinary objects. */
export function fields<R extends object, O extends object = object>(
  required: { [K in keyof R]: fc.Arbitrary<R[K]> },
  optional: { [K in keyof O]: fc.Arbitrary<O[K]> } = {} as never,
): fc.Arbitrary<R & Partial<O>> {
  const model = { ...required, ...optional } as unknown as Record<string, fc.Arbitrary<unknown>>;
  const requiredKeys = Object.keys(required);
  return fc.record(model, { requiredKeys, noNullPrototype: true }) as unknown as fc.Arbitrary<R & Partial<O>>;
}

export const anyOf = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);

/** Arbitraries by weight. */
export const often = <T>(...choices: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Some of all labels. */
export function someLabels(words: LabelWords): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fields(
    {},
    Object.fromEntries(Object.entries(words).map(([key, values]) => [key, anyOf(...values)])),
  );
}

/** Selectors over the given words; a good part of them select everything. */
export function selectorOver(words: LabelWords): fc.Arbitrary<Selector> {
  const pairs = Object.entries(words);
  const label = anyOf(...pairs.flatMap(([key, values]) => values.map((value) => ({ [key]: value }))));
  const expression = anyOf<NonNullable<Selector["matchExpressions"]>[number]>(
    ...pairs.flatMap(([key, values]) => [
      { key, operator: "In" as const, values: [values[0]] },
      { key, operator: "In" as const, values: [...values] },
      { key, operator: "NotIn" as const, values: [values[0]] },
      { key, operator: "Exists" as const },
      { key, operator: "DoesNotExist" as const },
    ]),
  );
  return often<Selector>(
    [4, fc.constant({})],
    [4, label.map((matchLabels) => ({ matchLabels }))],
    [3, expression.map((e) => ({ matchExpressions: [e] }))],
    [
      1,
      fc
        .tuple(label, label, expression)
        .map(([a, b, e]) => ({ matchLabels: { ...a, ...b }, matchExpressions: [e] })),
    ],
  );
}

/** Where things are: mostly together, so that policies find pods and pods find each other. */
export const anyNamespaceName = often<string>(
  [4, fc.constant("alpha")],
  [3, fc.constant("beta")],
  [1, anyOf("gamma", "delta")],
);

/** For subjects: a policy that selects no pods wastes a run. */
export const broadly = (selector: fc.Arbitrary<Selector>): fc.Arbitrary<Selector> =>
  often<Selector>([2, fc.constant({})], [1, selector]);

export const podSelector = selectorOver(labelWords.pod);
export const nodeSelector = selectorOver(labelWords.node);
export const namespaceSelector = selectorOver({
  ...labelWords.namespace,
  [namespaceNameKey]: ["alpha", "beta"],
});

/** Pod `i` is 10.0.0.(i+1) and fd00::(i+1); these ranges contain only them. */
export const podRange = { 4: "10.0.0.0/29", 6: "fd00::/125" } as const;
export const externalAddresses = ["203.0.113.1", "203.0.113.9", "198.51.100.7", "2001:db8::1"] as const;

/** Each range with parts of it that may be excluded. */
export const ranges: readonly (readonly [cidr: string, ...parts: string[]])[] = [
  ["0.0.0.0/0", "10.0.0.0/29", "10.0.0.0/30", "203.0.113.0/29", "192.168.0.1/32"],
  ["::/0", "fd00::/125", "fd00::2/127", "2001:db8::/32"],
  ["10.0.0.0/8", "10.0.0.0/30", "10.0.0.4/30"],
  ["10.0.0.0/29", "10.0.0.2/31", "10.0.0.1/32"],
  ["10.0.0.0/30", "10.0.0.1/32"],
  ["10.0.0.4/30", "10.0.0.5/32"],
  ["10.0.0.2/32"],
  ["fd00::/125", "fd00::/126"],
  ["fd00::/126", "fd00::1/128"],
  ["192.168.0.0/24", "192.168.0.2/32"],
  ["192.168.0.1/32"],
  ["203.0.113.0/24", "203.0.113.0/29", "203.0.113.9/32"],
  ["203.0.113.0/29"],
  ["2001:db8::/32", "2001:db8::1/128"],
];

export const anyCidr = anyOf(...ranges.map(([range]) => range));
/** Three times out of four with an exception, if there is one. */
export const cidrWithParts = fc.tuple(anyOf(...ranges), fc.nat(3)).chain(([[range, ...parts], some]) =>
  fields({
    cidr: fc.constant(range),
    except: fc.subarray(parts, { minLength: some > 0 && parts.length > 0 ? 1 : 0 }),
  }),
);

export const portNumbers = [53, 80, 81, 443, 8080] as const;
export const portNames = ["http", "dns", "none"] as const;
export const transports = ["TCP", "UDP", "SCTP"] as const;
export type Transport = (typeof transports)[number];

/** TCP twice: most rules are about it, and most questions too. */
export const transport = anyOf<Transport>("TCP", "TCP", "UDP", "SCTP");
export const anyPortNumber = anyOf(...portNumbers);
export const anyPortName = anyOf(...portNames);
export const portRange = anyOf([80, 81], [1, 100], [81, 443], [443, 65535], [1, 65535]);
export const domainNames = ["example.com", "www.example.com", "a.b.example.com", "other.org"] as const;
