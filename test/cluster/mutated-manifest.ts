import type { Json, JsonObject } from "@tierwall/core/manifest";
import fc from "fast-check";

/* Policies with something wrong in them, or something unusual: at one place of the spec, one thing is another. */

const long = (length: number) => "a".repeat(length);

/** Limits of names, keys, values, ranges and choices. */
const texts = [
  ["", " ", "a", "A", "a.b", "a_b", "-a", "a-", "a--b", "ä", "a\n", "80", "8a", long(15), long(16)],
  [long(63), long(64), "x.y/Z", "X.y/z", "a/b/c", "/a", "a/", "a..b/c", `${long(253)}/a`, `${long(254)}/a`],
  ["10.0.0.0/8", "10.0.0.1/8", "10.0.0.0", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0/33", "::/0", "fd00::/129"],
  ["::ffff:10.0.0.0/104", "64:ff9b::192.0.2.1/96", "fe80::1%eth0/64", "FD00::/8", "1:2:3:4:5:6:7::/64"],
  ["example.com", "Example.com.", "*.example.com", "*.com", "a.*.com", "example..com", `${long(64)}.com`],
  ["Allow", "Accept", "Deny", "Pass", "Empower", "In", "NotIn", "Exists", "DoesNotExist", "in"],
  ["Admin", "Baseline", "TCP", "SCTP", "ICMP", "Self", "Selector", "SameLabels"],
].flat();

const numbers = [-1, 0, 1, 80, 81, 1000, 1001, 65535, 65536, 1.5, 2 ** 31, 1e30];

const others = [null, true, false, [], {}, [null], [""], ["a"], ["a", "a"], [{}], { a: "b" }, { a: null }];

type Mutation =
  | { readonly kind: "put"; readonly value: Json }
  /** As before, for texts and numbers. */
  | { readonly kind: "alter"; readonly text: string; readonly number: number }
  | { readonly kind: "rename"; readonly key: string }
  | { readonly kind: "drop" }
  | { readonly kind: "repeat"; readonly times: number }
  | { readonly kind: "add"; readonly key: string; readonly value: Json };

/** A policy like one of these, each of which is right. */
export function mutatedManifest(policies: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
  const specs = policies.map(({ spec }) => spec!);
  const parts = specs.flatMap((spec) =>
    placesIn(spec).map((path) => ({ key: path.at(-1)!, value: at(spec, path) })),
  );
  const keys = [...new Set(parts.map(({ key }) => key).filter((key) => typeof key === "string")), "unknown"];
  const ofParts = fc.constantFrom(...parts).map(({ value }) => value);
  const text = fc.constantFrom(...texts);
  const number = fc.constantFrom(...numbers);
  const value = fc.oneof(text, number, fc.constantFrom<Json>(...others), ofParts);
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    fc.record({ kind: fc.constant("put" as const), value }),
    fc.record({ kind: fc.constant("alter" as const), text, number }),
    fc.record({ kind: fc.constant("rename" as const), key: fc.oneof(text, fc.constantFrom(...keys)) }),
    fc.constant({ kind: "drop" as const }),
    fc.record({ kind: fc.constant("repeat" as const), times: fc.constantFrom(2, 16, 26, 101) }),
    fc.record({ kind: fc.constant("add" as const), key: fc.constantFrom(...keys), value }),
  );
  return fc.tuple(fc.constantFrom(...policies), fc.nat(), mutation).map(([policy, place, change]) => {
    const mutated = JSON.parse(JSON.stringify(policy)) as { spec: Json };
    const places = placesIn(mutated.spec);
    mutate(mutated.spec, places[place % places.length]!, change);
    return mutated;
  });
}

type Place = readonly (string | number)[];

function placesIn(value: Json): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = Array.isArray(value) ? Number(name) : name;
    return [[key], ...placesIn(inner).map((path) => [key, ...path])];
  });
}

const at = (value: Json, path: Place): Json =>
  path.reduce<Json>((inner, key) => (inner as Record<string | number, Json>)[key]!, value);

function mutate(root: Json, path: Place, change: Mutation): void {
  const holder = at(root, path.slice(0, -1)) as Record<string | number, Json>;
  const key = path.at(-1)!;
  const here = holder[key]!;
  switch (change.kind) {
    case "put":
      holder[key] = change.value;
      return;
    case "alter":
      if (typeof here === "string") holder[key] = change.text;
      if (typeof here === "number") holder[key] = change.number;
      return;
    case "rename":
      if (Array.isArray(holder)) return;
      delete holder[key];
      holder[change.key] = here;
      return;
    case "drop":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case "repeat":
      if (Array.isArray(here))
        holder[key] = Array.from({ length: change.times }, () => here as Json[])
          .flat()
          .slice(0, change.times);
      return;
    case "add":
      if (typeof here === "object" && here !== null && !Array.isArray(here))
        (here as Record<string, Json>)[change.key] = change.value;
  }
}
