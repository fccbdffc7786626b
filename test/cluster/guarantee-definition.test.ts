import type { JsonObject } from "@tierwall/core/manifest";
import { readGuarantees } from "@tierwall/core/prove";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { definitionsIn, install } from "./policy-cluster.js";

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
const collection = "/apis/tierwall.dev/v1/guarantees";

vi.setConfig({ testTimeout });

const selector = {
  matchLabels: { pci: "true" },
  matchExpressions: [{ key: "team", operator: "NotIn", values: ["a", "b"] }],
};
const guarantee = (spec: JsonObject): JsonObject => ({
  apiVersion: "tierwall.dev/v1",
  kind: "Guarantee",
  metadata: { name: "tried" },
  spec: { from: [{ namespaces: {} }], to: [{ external: true }], verdict: "Deny", ...spec },
});
const everyField = guarantee({
  given: ["policies.yaml"],
  from: [
    { namespaces: selector },
    { namespaces: { self: true } },
    { namespaces: { notSelf: true } },
    { namespaces: { sameLabels: ["tenant"] } },
    { namespaces: { notSameLabels: ["tenant"] } },
    { pods: { namespaceSelector: selector, podSelector: selector } },
    { networks: ["10.0.0.0/8", "fd00::/8"] },
  ],
  to: [{ nodes: selector }, { external: true }, { hostNetworkPods: true }],
  exceptPorts: ["443/TCP", "8000-8999/UDP", "ICMP", "53"],
  verdict: "Deny",
  whatever: { networkPolicies: "more", ciliumNetworkPolicies: "as-written" },
  assuming: [
    { every: "namespace", with: selector, has: selector },
    { only: ["monitoring"], namespacesWith: selector },
    { namespaces: ["kube-system"], are: "as-deployed" },
    { podCidrs: ["10.244.0.0/16"], nodeCidrs: ["10.0.0.0/24"] },
  ],
  onBreak: "Refuse",
});

const wrong: readonly (readonly [what: string, spec: JsonObject, message: RegExp])[] = [
  ["no end", { from: [] }, /spec.from/],
  ["an end of two kinds", { to: [{ external: true, hostNetworkPods: true }] }, /exactly one/],
  ["an end of no kind", { to: [{}] }, /exactly one/],
  [
    "a relation and a selector",
    { from: [{ namespaces: { self: true, matchLabels: {} } }] },
    /mutually exclusive/,
  ],
  ["both lists of ports", { ports: ["1/TCP"], exceptPorts: ["2/TCP"] }, /mutually exclusive/],
  ["a port that does not exist", { ports: ["http"] }, /spec.ports/],
  ["a range without a prefix", { to: [{ networks: ["10.0.0.0"] }] }, /not a CIDR/],
  ["another verdict", { verdict: "Undecided" }, /spec.verdict/],
  ["another onBreak", { onBreak: "Delete" }, /spec.onBreak/],
  ["half an assumption", { assuming: [{ only: ["a"] }] }, /requires `namespacesWith`/],
  [
    "two assumptions in one",
    { assuming: [{ every: "pod", has: {}, podCidrs: ["10.0.0.0/8"] }] },
    /mutually exclusive/,
  ],
  ["a field that does not exist", { fromm: [] }, /unknown field/],
  [
    "a selector without values",
    { to: [{ nodes: { matchExpressions: [{ key: "a", operator: "In" }] } }] },
    /values/,
  ],
];

describe.skipIf(noControlPlane)(`the definition of Guarantee on an API server${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(
      api,
      definitionsIn("").filter(({ spec }) => spec.group === "tierwall.dev"),
    );
  }, startTimeout);
  afterAll(async () => plane?.stop());

  const tryOut = async (object: JsonObject) =>
    api.ask({
      method: "POST",
      path: `${collection}?dryRun=All&fieldValidation=Strict`,
      body: JSON.stringify(object),
    });
  const complaintsOf = (object: JsonObject) => readGuarantees(JSON.stringify(object), "g.yaml").diagnostics;

  it("accepts every field, as our own validation does, and keeps it", async () => {
    expect(complaintsOf(everyField)).toEqual([]);
    const { status, body } = await tryOut(everyField);
    expect([status, body.message]).toEqual([201, undefined]);
    expect(body.spec).toEqual(everyField.spec);
  });

  it("has defaults", async () => {
    const { body } = await tryOut(guarantee({ whatever: {} }));
    expect(body.spec).toMatchObject({ onBreak: "Warn", whatever: { networkPolicies: "anything" } });
  });

  it.each(wrong)("refuses %s, as our own validation does", async (_, spec, message) => {
    expect(complaintsOf(guarantee(spec))).not.toEqual([]);
    const { status, body } = await tryOut(guarantee(spec));
    expect([400, 422]).toContain(status);
    expect(body.message).toMatch(message);
  });

  it("refuses one end without a list, which files may have, and names the field", async () => {
    const single = guarantee({ from: { namespaces: {} } });
    expect(complaintsOf(single)).toEqual([]);
    // kubectl asks for strict validation.
    const strict = await tryOut(single);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      expect.stringContaining('unknown field "spec.from.namespaces"'),
    ]);
    const path = `${collection}?dryRun=All&fieldValidation=Ignore`;
    const { status, body } = await api.ask({ method: "POST", path, body: JSON.stringify(single) });
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining("spec.from in body must be of type array"),
    ]);
  });

  it("keeps status on a path of its own", async () => {
    const status = { restsOn: ["a rule"] };
    await api.create(collection, { ...guarantee({}), status });
    const { body } = await api.ask({ path: `${collection}/tried` });
    expect(body.status).toBeUndefined();
    await api.patch(`${collection}/tried/status`, { status });
    expect((await api.ask({ path: `${collection}/tried` })).body).toMatchObject({ status });
  });
});
