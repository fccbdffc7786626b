import { expect, it } from "vitest";
import { StoredPolicies } from "./stored-policies.js";

const policy = (uid: string, version: number, status: string) => ({
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  metadata: { uid, resourceVersion: `${version}`, creationTimestamp: "2026-01-01T00:00:00Z" },
  status: { conditions: [{ type: "Accepted", status }] },
});
const of = (uid: string) => ({ stored: { uid, generation: 1 } });

it("knows policies by what the API server said last, and forgets those that are gone", () => {
  const changed: string[] = [];
  const stored = new StoredPolicies((uid) => changed.push(uid));
  stored.saw("guard", policy("a", 1, "True"));
  stored.saw("a pod", { apiVersion: "v1", metadata: { uid: "pod" } });
  expect(stored.of(of("a"))).toMatchObject({ uid: "a", created: "2026-01-01T00:00:00Z" });
  expect(stored.of(of("pod"))).toBeUndefined();
  // Another one of the same name.
  stored.saw("guard", policy("b", 5, "False"));
  expect([stored.of(of("a")), stored.of(of("b"))?.conditions[0]?.status]).toEqual([undefined, "False"]);
  stored.saw("guard", undefined);
  expect(stored.of(of("b"))).toBeUndefined();
  expect(changed).toEqual(["a", "b"]);
});

it("ignores what the watch delivers from the time before a write", () => {
  const stored = new StoredPolicies(() => undefined);
  const status = () => stored.of(of("a"))?.conditions[0]?.status;
  stored.saw("guard", policy("a", 1, "Unknown"));
  stored.wrote("a", policy("a", 4, "True"));
  stored.saw("guard", policy("a", 3, "Unknown"));
  expect(status()).toBe("True");
  stored.saw("guard", policy("a", 5, "False"));
  expect(status()).toBe("False");
});
