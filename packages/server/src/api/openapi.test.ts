import { readFileSync } from "node:fs";
import { readOptions } from "@tierwall/core/state";
import Ajv from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { dbPolicy, runPage, type Sent, shop, type TestPage } from "../../testing/running-page.js";
import { usualEventTimes } from "./events.js";
import { operations } from "./operations.js";

/* openapi.yaml says what the server does, all of it and nothing else. */

interface Described {
  readonly parameters?: readonly DescribedParameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface DescribedParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: { readonly type: string; readonly enum?: readonly string[] };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, DescribedParameter>> };
}

const text = readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8");
const description = parse(text) as Description;
const yaml = { "Content-Type": "application/yaml" };
const denyAll = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny-all, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress, Egress]}
`;
const brokenPolicy = dbPolicy.replace("podSelector", "podselector");
const adminPolicies = ["a", "b"]
  .map(
    (name) => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: 7
  subject: {namespaces: {}}
  ingress: [{name: all, action: ${name === "a" ? "Deny" : "Accept"}, from: [{namespaces: {}}]}]
`,
  )
  .join("---\n");

/** One of each result. */
const guarantees = [
  ["proven", "from: {namespaces: {}}, to: {external: true}, verdict: Deny, ports: [ICMP]"],
  ["refuted", "from: {namespaces: {}}, to: {namespaces: {}}, verdict: Deny, ports: [5432/TCP]"],
  ["refuted-by-a-node", "from: {nodes: {}}, to: {namespaces: {}}, verdict: Deny, ports: [ICMP]"],
  [
    "vacuous",
    "from: {namespaces: {}}, to: {namespaces: {}}, verdict: Deny, assuming: [{every: namespace, has: {matchExpressions: [{key: a, operator: Exists}, {key: a, operator: DoesNotExist}]}}]",
  ],
  [
    "not-asked",
    "from: {namespaces: {}}, to: {namespaces: {}}, verdict: Deny, assuming: [{namespaces: [gone], are: as-deployed}]",
  ],
  ["broken", "from: {namespaces: {}}, to: {namespaces: {}}, verdict: Never"],
]
  .map(
    ([name, spec]) =>
      `apiVersion: tierwall.dev/v1\nkind: Guarantee\nmetadata: {name: ${name}}\nspec: {${spec}}\n`,
  )
  .join("---\n");

interface Asked {
  readonly path: string;
  readonly status: number;
  readonly sent: Sent;
}

/** Questions of every kind, with answers that have as much in them as answers can have. */
const questions: readonly Asked[] = (
  [
    ["/state", 200],
    ["/state?x=1", 400],
    ["/events?x=1", 400],
    ["/summary", 200],
    ["/summary?x=1", 400],
    ["/endpoints", 200],
    ["/endpoints?search=db&limit=1", 200],
    ["/endpoints?limit=0", 400],
    ["/explain?from=shop/cart&to=shop/db&port=5432", 200],
    ["/explain?from=shop/cart&to=shop/db&port=80", 200],
    ["/explain?from=node:worker-1&to=shop/Deployment/web&port=ICMP", 200],
    ["/explain?from=shop/cart&to=shop/db", 200],
    ["/explain?from=shop/Deployment/web&to=10.0.0.2:5432/TCP", 200],
    ["/explain?from=203.0.113.1&to=shop/Service/db&port=5432", 200],
    ["/explain?from=new:team=a/app=x&to=2001:db8::1&port=53/UDP", 200],
    ["/explain?from=shop/missing&to=shop/db", 400],
    ["/explain?from=shop/cart", 400],
    ["/matrix", 200],
    [
      "/matrix?by=pod&denied=true&undecided=allow&port=5432&port=53/UDP&from=shop&to=shop/*&namespace=shop&selector=app",
      200,
    ],
    ["/matrix?by=namespace&from=0.0.0.0/0", 200],
    ["/matrix?by=people", 400],
    ["/matrix?selector=%3D", 400],
    ["/matrix?port=none!", 400],
    ["/lookup?of=shop/db", 200],
    ["/lookup?of=node:worker-1", 200],
    ["/lookup?of=203.0.113.1", 200],
    ["/lookup?of=?", 400],
    ["/policies", 200],
    ["/policies?x=1", 400],
    ["/lint", 200],
    ["/lint?x=1", 400],
    ["/guarantees", 200],
    ["/guarantees?x=1", 400],
    ["/preview", 200, { method: "POST", headers: yaml, body: denyAll }],
    ["/preview?by=pod", 200, { method: "POST", headers: yaml, body: adminPolicies }],
    ["/preview?by=namespace&delete=NetworkPolicy", 200, { method: "POST" }],
    [
      "/preview",
      200,
      {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"new"}}',
      },
    ],
    ["/preview?delete=NetworkPolicy/missing", 400, { method: "POST" }],
    ["/preview", 400, { method: "POST" }],
    ["/preview", 400, { method: "POST", headers: yaml, body: brokenPolicy }],
    ["/preview", 415, { method: "POST", headers: { "Content-Type": "text/plain" }, body: denyAll }],
    ["/preview", 413, { method: "POST", headers: yaml, body: "#".repeat(8 * 1024 * 1024 + 1) }],
    ["/diff", 200, { method: "POST", headers: yaml, body: `${shop}---${denyAll}` }],
    ["/diff?by=pod", 200, { method: "POST", headers: yaml, body: dbPolicy }],
    ["/diff", 400, { method: "POST" }],
    ["/diff", 400, { method: "POST", headers: yaml, body: "a: [" }],
    ["/openapi.yaml", 200],
    ["/openapi.yaml?x=1", 400],
  ] satisfies [string, number, Sent?][]
).map(([path, status, sent = {}]) => ({ path, status, sent }));

/** Every option there is. */
const state = readOptions({
  podCidrs: ["10.0.0.0/16", "fd00:10::/56"],
  serviceCidrs: ["10.96.0.0/16"],
  apiServer: ["192.168.0.9"],
  dns: [{ name: "example.com", addresses: ["203.0.113.1"] }],
  provenance: "file",
  ciliumEnforcement: "default",
  ciliumClusterName: "east",
  ciliumLabels: ["k8s:app"],
  keepGoing: false,
});

const validator = new Ajv({ schemaId: "auto" });
validator.addSchema(closed(parse(text)) as object, "openapi");

describe("openapi.yaml", () => {
  let page: TestPage;
  beforeAll(async () => {
    page = await runPage(
      { "cluster.yaml": shop, "db.yaml": dbPolicy, "guarantees.yaml": guarantees },
      { state },
    );
  });
  afterAll(async () => page.close());

  it("lists the operations there are, with their parameters", () => {
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        parameters: Object.fromEntries(parameters.map(asServed)),
      })),
    );
    const served = operations(usualEventTimes).map(({ method, path, parameters }) => ({
      method,
      path,
      parameters,
    }));
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    expect(served.toSorted(byPath)).toEqual(described.toSorted(byPath));
  });

  it.each(questions)("describes the answer to $path: $status", async ({ path, status, sent }) => {
    const got = await page.get(`/api/v1${path}`, sent);
    expect(got.status).toBe(status);
    expect(complaints(got, path, methodOf(sent))).toEqual([]);
  });

  it("is asked of everything that it describes, for an answer and for a problem", () => {
    for (const [path, methods] of Object.entries(description.paths))
      for (const method of Object.keys(methods)) {
        const asked = questions.filter((one) => pathOf(one.path) === path && methodOf(one.sent) === method);
        // The stream of events never ends: its own test reads it.
        const statuses = new Set(asked.map(({ status }) => status));
        expect([path, statuses.has(200) || path === "/events", statuses.has(400)]).toEqual([
          path,
          true,
          true,
        ]);
      }
  });

  it("describes what a state with errors is answered", async () => {
    const broken = await runPage({ "cluster.yaml": shop, "broken.yaml": brokenPolicy });
    const paths = [
      "/summary",
      "/lint",
      "/endpoints",
      "/explain?from=shop/cart&to=shop/db",
      "/matrix",
      "/lookup?of=shop/db",
      "/policies",
      "/guarantees",
    ];
    const statuses: number[] = [];
    for (const path of paths) {
      const got = await broken.get(`/api/v1${path}`);
      expect(complaints(got, path, "get")).toEqual([]);
      statuses.push(got.status);
    }
    await broken.close();
    expect(statuses).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
  });

  it("describes what a state with a file that cannot be read is answered", async () => {
    const policy = Buffer.from(dbPolicy, "utf16le").toString("latin1");
    const broken = await runPage({ "cluster.yaml": shop, "policy.yaml": policy });
    const values: Record<string, unknown> = {};
    for (const path of ["/summary", "/lint", "/policies"]) {
      const got = await broken.get(`/api/v1${path}`);
      expect(complaints(got, path, "get")).toEqual([]);
      values[path] = got.value();
    }
    await broken.close();
    const diagnostics = [{ code: "TW1011" }];
    expect(values).toMatchObject({
      "/summary": { usable: false, errors: 1 },
      "/lint": { complete: false, findings: diagnostics },
      "/policies": { status: 409, diagnostics },
    });
  });

  it("is served", async () => {
    expect((await page.get("/api/v1/openapi.yaml")).text).toBe(text);
  });
});

const pathOf = (question: string): string => question.split("?")[0]!;
const methodOf = ({ method = "GET" }: Sent): string => method.toLowerCase();

/** What is wrong with an answer, by its description. */
function complaints(
  { status, headers, text: body }: Awaited<ReturnType<TestPage["get"]>>,
  question: string,
  method: string,
): readonly string[] {
  const path = pathOf(question);
  const key = `${status}` in description.paths[path]![method]!.responses ? `${status}` : "default";
  const pointer = ["paths", path, method, "responses", key].map(escaped).join("/");
  const type = String(headers["content-type"]);
  const content = `openapi#/${key === "default" ? "components/responses/Problem" : pointer}/content/${escaped(type)}/schema`;
  const validate = validator.getSchema(content);
  if (validate === undefined) return [`${type} is not described at ${content}`];
  const value: unknown = type.endsWith("json") ? JSON.parse(body) : body;
  return validate(value) === true
    ? []
    : (validate.errors ?? []).map(
        ({ dataPath, message, params }) => `${dataPath} ${message} ${JSON.stringify(params)}`,
      );
}

const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Users may get fields that are new; we may not send any that are not described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const describesObject =
    inner.type === "object" && "properties" in inner && !("additionalProperties" in inner);
  return describesObject ? { ...inner, additionalProperties: false } : inner;
}

function asServed(parameter: DescribedParameter): [string, object] {
  const { name, required, schema } =
    parameter.$ref === undefined
      ? parameter
      : description.components.parameters[parameter.$ref.split("/").at(-1)!]!;
  const given = required === true ? "always" : schema.type === "array" ? "any-times" : "at-most-once";
  return [name, { given, ...(schema.enum === undefined ? {} : { choices: schema.enum }) }];
}
