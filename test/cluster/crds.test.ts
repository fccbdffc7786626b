import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dialects, type JsonObject, parseManifest, type Schema } from "@tierwall/core/manifest";
import { readState } from "@tierwall/core/state";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { type ApiAnswer, ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import {
  documentedDifferences,
  documentedLeniency,
  documentedLimits,
  isForDocumentedLimits,
} from "./crd-differences.js";
import { everyField } from "./every-field.js";
import { mutatedManifest } from "./mutated-manifest.js";
import { brokenSelectors, manifestOf, type PolicyManifest, policyManifests } from "./policy-manifests.js";

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const defaults = "/apis/netpol.networking.k8s.io/v1alpha1/clusterdefaultnetworkpolicies";
const clusterPolicies = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";
const adminPolicies = "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies";
const sharedName = "adminnetworkpolicies.policy.networking.k8s.io";
const noKubectl = spawnSync("kubectl", ["version", "--client"]).status !== 0;

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`CRDs on an API server${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    for (const folder of ["", "first-draft/"]) await install(folder);
  }, startTimeout);
  afterAll(async () => plane?.stop());

  async function install(folder: string) {
    for (const definition of definitionsIn(folder)) {
      await api.create(definitions, definition);
      await vi.waitUntil(async () => (await api.statusOf(collectionOf(definition))) === 200, patience);
    }
  }

  /** As `kubectl create` asks, but nothing is stored. */
  const tryOut = async (collection: string, object: JsonObject): Promise<ApiAnswer> =>
    api.ask({
      method: "POST",
      path: `${collection}?dryRun=All&fieldValidation=Strict`,
      body: JSON.stringify(object),
    });

  /** Undefined where both refuse it, or both take it and what is kept means what was written. */
  async function disagreement({ path, object, collection, errors }: PolicyManifest) {
    const { status, body } = await tryOut(collection, object);
    const ours = errors.join("; ") || "nothing is wrong";
    const difference = `${path}: we say ${ours}, the API server ${status} ${String(body.message)}`;
    if (![201, 400, 404, 422].includes(status)) throw new Error(difference);
    if (status === 201 && errors.length > 0 && errors.every(isDocumentedLeniency)) return undefined;
    if ((status === 201) !== (errors.length === 0)) return difference;
    if (status === 201 && meaningOf(object) !== meaningOf(body as JsonObject))
      return `${path}: what the API server keeps means something else: ${JSON.stringify(body)}`;
    return undefined;
  }

  it("are established under their own names", async () => {
    for (const { metadata } of [...definitionsIn(""), ...definitionsIn("first-draft/")]) {
      const { body } = await api.ask({ path: `${definitions}/${metadata.name}` });
      const { conditions } = body.status as { conditions: { type: string; status: string }[] };
      const held = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
      expect(held.toSorted()).toEqual(["Established", "NamesAccepted"]);
    }
  });

  /** The files of the suite on which we disagree. */
  async function differing(isKep: boolean): Promise<readonly string[]> {
    const suite = policyManifests().filter((manifest) => manifest.isKep === isKep);
    expect(suite.filter(({ errors }) => errors.length === 0).length).toBeGreaterThan(15);
    expect(suite.filter(({ errors }) => errors.length > 0).length).toBeGreaterThan(5);
    const found = new Set<string>();
    for (const manifest of suite) if ((await disagreement(manifest)) !== undefined) found.add(manifest.path);
    return [...found].toSorted();
  }

  it("take and refuse the policies of the suite as our own validation does, except for what is documented", async () => {
    expect(await differing(false)).toEqual(documentedDifferences);
  }, 1_200_000);

  it("S1.10: refuse the selectors that are wrong in a NetworkPolicy", async () => {
    const selectors = brokenSelectors();
    expect(selectors.length).toBeGreaterThan(10);
    for (const { path, selector } of selectors) {
      const spec = { tier: "Admin", priority: 1, subject: { namespaces: selector } };
      expect(await disagreement(manifestOf(path, { ...everyField[0]!, spec })!)).toBeUndefined();
    }
  });

  async function compareMutants(isKep: boolean) {
    const policies = everyField.filter((object) => manifestOf("", object)!.isKep === isKep);
    for (const policy of policies)
      expect(await disagreement(manifestOf("as it is", policy)!)).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(mutatedManifest(policies), async (object) => {
        const manifest = manifestOf("mutated", object)!;
        // One word can make it the other kind of the same name.
        if (manifest.isKep !== isKep) return;
        const found = await disagreement(manifest);
        expect(found === undefined || isForDocumentedLimits(found) ? undefined : found).toBeUndefined();
      }),
      { numRuns: Number(process.env.MUTANTS ?? 250) },
    );
  }

  it("do so for policies with every field in which one thing is another", onlyInFull, async () => {
    await compareMutants(false);
  });

  it("S6.5: keep keys with nothing after them, which isolate", async () => {
    const object = {
      apiVersion: "netpol.networking.k8s.io/v1alpha1",
      kind: "ClusterDefaultNetworkPolicy",
      metadata: { name: "zero-trust" },
      spec: { appliedTo: { namespaceSelector: {} }, ingress: null },
    };
    await api.create(defaults, object);
    const { body } = await api.ask({ path: `${defaults}/zero-trust` });
    expect(body.spec).toEqual({ appliedTo: { namespaceSelector: {} }, ingress: null });
    await api.ask({
      method: "PATCH",
      path: `${defaults}/zero-trust?fieldManager=test&force=true`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify({ ...object, spec: { ...object.spec, egress: null } }),
    });
    const applied = await api.ask({ path: `${defaults}/zero-trust` });
    expect(applied.body.spec).toEqual({ ...object.spec, egress: null });
  });

  it("S10.5: keep labels without a value, so that a selector does not select more", async () => {
    const [policy] = everyField as [JsonObject];
    const spec = policy.spec as JsonObject;
    const subject = { namespaces: { matchLabels: { app: null } } };
    const { body } = await tryOut(clusterPolicies, { ...policy, spec: { ...spec, subject } });
    expect(body.spec).toMatchObject({ subject });
  });

  it("have a status that only its own path writes, and show it in columns", async () => {
    const policy = { ...everyField[1]!, metadata: { name: "shown" } };
    const conditions = ["Accepted", "Programmed"].map((type) => ({
      type,
      status: type === "Accepted" ? "True" : "False",
      reason: "Reported",
      message: "as a test",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    }));
    await api.create(clusterPolicies, { ...policy, status: { conditions } });
    const path = `${clusterPolicies}/shown`;
    expect((await api.ask({ path })).body.status).toBeUndefined();
    await api.patch(`${path}/status`, { spec: { priority: 7 }, status: { conditions } });
    const { body } = await api.ask({ path });
    expect(body).toMatchObject({ spec: { priority: 1000 }, status: { conditions } });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = (await api.ask({ path, headers: { accept } })).body as unknown as Table;
    const shown = table.columnDefinitions.map(({ name }, i) => [name, table.rows[0]!.cells[i]]);
    expect(Object.fromEntries(shown)).toMatchObject({
      Name: "shown",
      Tier: "Baseline",
      Priority: 1000,
      Accepted: "True",
      Programmed: "False",
    });
  });

  it.each(upstreamObjects)(
    "take %s, as the definitions of the network-policy-api project do",
    async (_, spec) => {
      const policy = {
        ...everyField[0]!,
        spec: { tier: "Admin", priority: 1, subject: { namespaces: {} }, ...spec },
      };
      expect(await tryOut(clusterPolicies, policy)).toMatchObject({ status: 201 });
    },
  );

  it(
    "replace the annotations of upstream's definitions when they are applied over them",
    onlyInFull,
    async () => {
      const path = `${definitions}/baselineadminnetworkpolicies.policy.networking.k8s.io`;
      const key = (name: string) => `policy.networking.k8s.io/${name}`;
      const theirs = { [key("bundle-version")]: "v0.1.1", [key("channel")]: "standard" };
      await api.patch(path, { metadata: { annotations: theirs } });
      const own = definitionsIn("").find(({ metadata }) => path.endsWith(`/${metadata.name}`))!;
      const applied = async (force: boolean) =>
        api.ask({
          method: "PATCH",
          path: `${path}?fieldManager=kubectl&force=${force}`,
          headers: { "content-type": "application/apply-patch+yaml" },
          body: JSON.stringify(own),
        });
      expect(await applied(false)).toMatchObject({ status: 409, body: { reason: "Conflict" } });
      expect(await applied(true)).toMatchObject({
        status: 200,
        body: {
          metadata: { annotations: { [key("bundle-version")]: "v0.1.7", [key("channel")]: "experimental" } },
        },
      });
    },
  );

  it("validate the largest policy within their budget", onlyInFull, async () => {
    const peers = Array.from({ length: 100 }, (_, i) => ({ namespaces: { matchLabels: { app: `n${i}` } } }));
    const rules = Array.from({ length: 100 }, (_, i) => ({ name: `rule-${i}`, action: "Deny", from: peers }));
    const policy = { ...everyField[3]!, spec: { priority: 1, subject: { namespaces: {} }, ingress: rules } };
    expect(await tryOut(adminPolicies, policy)).toMatchObject({ status: 201 });
  });

  describe.skipIf(noKubectl)(`through kubectl${noKubectl ? " (skipped: there is none)" : ""}`, () => {
    const kubectl = (args: readonly string[], input = "") =>
      spawnSync("kubectl", ["--kubeconfig", plane.kubeconfig(), ...args], { input, encoding: "utf8" });

    it("explain their fields", async () => {
      const peer = await vi.waitUntil(() => {
        const { stdout } = kubectl(["explain", "adminnetworkpolicies.spec.egress.to"]);
        return stdout.includes("networks") ? stdout : undefined;
      }, patience);
      expect(peer).toContain("Where traffic goes: exactly one of these fields.");
      expect(peer.replaceAll(/\s+/g, " ")).toContain("They match external addresses, pods and nodes.");
    });

    it("S6.5: refuse a default policy whose bare keys were lost: only `--server-side` sends them", async () => {
      const text = `apiVersion: netpol.networking.k8s.io/v1alpha1
kind: ClusterDefaultNetworkPolicy
metadata: {name: bare}
spec:
  appliedTo: {namespaceSelector: {}}
  ingress:
  egress:
`;
      const lost = kubectl(["apply", "-f", "-"], text);
      expect(lost).toMatchObject({ status: 1, stdout: "" });
      expect(lost.stderr).toContain("spec.ingress: Required value");
      expect(kubectl(["apply", "--server-side", "-f", "-"], text)).toMatchObject({ status: 0 });
      const { body } = await api.ask({ path: `${defaults}/bare` });
      expect(body.spec).toMatchObject({ ingress: null, egress: null });
    });
  });

  it(
    "S4.4: the kind of KEP-2091 takes the place of the released one, and never unasked",
    onlyInFull,
    async () => {
      const [kep] = definitionsIn("kep-2091/") as [Definition];
      expect(kep.metadata.name).toBe(sharedName);
      const second = await api.ask({ method: "POST", path: definitions, body: JSON.stringify(kep) });
      expect(second).toMatchObject({ status: 409, body: { reason: "AlreadyExists" } });
      await api.delete(`${definitions}/${sharedName}`);
      await vi.waitUntil(async () => (await api.statusOf(`${definitions}/${sharedName}`)) === 404, patience);
      await install("kep-2091/");
      expect(await differing(true)).toEqual([]);
      await compareMutants(true);
    },
  );
});

const isDocumentedLeniency = (error: string): boolean => documentedLeniency.includes(error.split(" ")[0]!);

const many = (count: number) => Array.from({ length: count }, (_, i) => `label-${i}`);

/** Parts of a spec that upstream's definition of ClusterNetworkPolicy v0.2.0 admits. */
const upstreamObjects: readonly (readonly [string, JsonObject])[] = [
  [
    "200 labels and 200 expressions in a subject",
    {
      subject: {
        namespaces: {
          matchLabels: Object.fromEntries(many(200).map((key) => [key, "x"])),
          matchExpressions: many(200).map((key) => ({ key, operator: "Exists" })),
        },
      },
    },
  ],
  [
    "17 labels in a peer",
    {
      ingress: [
        {
          action: "Deny",
          from: [
            { pods: { podSelector: { matchLabels: Object.fromEntries(many(17).map((key) => [key, ""])) } } },
          ],
        },
      ],
    },
  ],
  [
    "a port name that no container has",
    {
      ingress: [
        {
          action: "Deny",
          from: [{ namespaces: {} }],
          protocols: [{ destinationNamedPort: "HTTP_over_something" }],
        },
      ],
    },
  ],
  [
    "domain names that begin with an underscore",
    { egress: [{ action: "Accept", to: [{ domainNames: ["_sip._tcp.example.com"] }] }] },
  ],
  [
    "the longest lists",
    {
      ingress: Array.from({ length: 25 }, () => ({
        action: "Pass",
        from: Array.from({ length: 25 }, () => ({ namespaces: {} })),
        protocols: Array.from({ length: 25 }, () => ({ tcp: { destinationPort: { number: 80 } } })),
      })),
    },
  ],
];

describe("docs/reference/crds.md", () => {
  it("has the limits that only definitions have", () => {
    const kinds = dialects.filter(({ group }) => /^(policy|netpol)\.networking\.k8s\.io$/.test(group));
    const limits = kinds.flatMap(({ spellings: [released] }) => ownLimits(released.schema));
    expect([...documentedLimits].toSorted()).toEqual([...new Set(limits)].toSorted());
  });
});

/** `networks 25`: fields, and how much a definition takes of what the API does not limit, or not so low. */
function ownLimits(schema: Schema): readonly string[] {
  if (schema.type === "list") return ownLimits(schema.items);
  if (schema.type !== "object") return [];
  return Object.entries(schema.fields).flatMap(([name, field]) => {
    const limit = field.type === "list" ? field.crdMaxItems : undefined;
    const isOwn = field.type === "list" && limit !== undefined && field.maxItems !== limit;
    return [...(isOwn ? [`${name} ${limit}`] : []), ...ownLimits(field)];
  });
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** As they are checked in. */
function definitionsIn(folder: string): readonly Definition[] {
  const root = new URL(`../../deploy/crds/${folder}`, import.meta.url);
  return readdirSync(root)
    .filter((name) => name.endsWith(".yaml"))
    .toSorted()
    .flatMap((name) => parseManifest(readFileSync(new URL(name, root), "utf8"), name).documents)
    .map(({ value }) => value as unknown as Definition);
}

const collectionOf = ({ spec }: Definition): string =>
  `/apis/${spec.group}/${spec.versions[0]!.name}/${spec.names.plural}`;

/** The rules that a policy comes to. The order of keys means nothing, and API servers sort them. */
function meaningOf(object: JsonObject): string {
  const { definitions: read } = readState([{ file: "", text: JSON.stringify(sorted(object)) }], {
    provenance: "file",
  });
  return JSON.stringify(
    read.map(({ lowered }) => lowered),
    (key, value: unknown) => (key === "origin" ? undefined : typeof value === "bigint" ? `${value}` : value),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
