import { describe, expect, it } from "vitest";
import { formatPolicy } from "../../policy/model.js";
import { deletePolicy, editPolicies } from "./edited-policies.js";
import { readState } from "../state.js";

const policy = (name: string, spec = "{podSelector: {}}") =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: ${name}, namespace: shop}, spec: ${spec}}`;
const pod = "{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}}";
const before = readState([
  { file: "cluster.yaml", text: [pod, policy("web"), policy("db")].join("\n---\n") },
]);
const edited = (...documents: readonly string[]) =>
  editPolicies(before, { file: "edit.yaml", text: documents.join("\n---\n") });
const names = ({ after }: ReturnType<typeof edited>) => after.policies.map(formatPolicy).toSorted();

describe("a policy that is taken away", () => {
  it("leaves the others as they are", () => {
    const web = before.policies.find(({ name }) => name === "web")!;
    const found = deletePolicy(before, web);
    expect(names(found)).toEqual(["NetworkPolicy shop/db"]);
    expect(found.edits).toEqual([{ what: "deleted", object: "NetworkPolicy shop/web", policy: web }]);
    expect(before.policies).toHaveLength(2);
  });
});

describe("policies put into a state that has been read", () => {
  it("come in the place of those of the same kind and name, or are added", () => {
    const found = edited(policy("web", "{podSelector: {}, policyTypes: [Egress]}"), policy("cache"));
    expect(found.edits.map(({ what, object }) => `${what} ${object}`)).toEqual([
      "replaced NetworkPolicy shop/web",
      "added NetworkPolicy shop/cache",
    ]);
    expect(names(found)).toEqual(["cache", "db", "web"].map((name) => `NetworkPolicy shop/${name}`));
  });

  it("keep all other rules as the same objects, as the engine requires", () => {
    const kept = (state: typeof before) => state.tiers.ingress.flatMap(({ isolation }) => isolation);
    expect(kept(edited(policy("web")).after)).toContain(
      kept(before).find(({ origin }) => isOf(origin, "db")),
    );
  });

  it("are left out where they have errors, with the exact place", () => {
    const found = edited(policy("web", "{podselector: {}}"));
    expect(found.edits).toEqual([]);
    expect(found.diagnostics).toMatchObject([{ code: "TW1204", place: { line: 1, length: 11 } }]);
    expect(names(found)).toEqual(["NetworkPolicy shop/db", "NetworkPolicy shop/web"]);
  });

  it("say so where their namespace is not in the cluster", () => {
    expect(edited(policy("web")).diagnostics).toEqual([]);
    expect(edited(policy("web").replace("shop", "shpo")).diagnostics).toMatchObject([
      { code: "TW3001", severity: "note", place: { line: 1, length: 4 } },
    ]);
  });

  it("are read as files are, also where they were copied from a cluster: S3.6", () => {
    const copied = policy("web", "{podSelector: {}, new: 1}").replace("{name:", "{uid: u, name:");
    expect(edited(copied).diagnostics).toMatchObject([{ code: "TW1204", severity: "error" }]);
  });

  it("contain no pods: those are named and skipped", () => {
    const found = edited(pod.replace("cart", "web"), policy("web"));
    expect(found.others).toEqual(["Pod shop/web"]);
    expect(found.after.cluster).toBe(before.cluster);
  });
});

const isOf = (origin: { readonly kind: string }, name: string): boolean =>
  "policy" in origin && (origin.policy as { readonly name: string }).name === name;
