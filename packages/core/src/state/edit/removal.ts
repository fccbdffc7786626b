import { clusterKinds } from "../../cluster/identity.js";
import { given } from "../../diagnostics/given.js";
import { ok, type Result, refused } from "../../diagnostics/result.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { policyKinds } from "../../dialects/registry.js";

/** Objects to be deleted, as a user names them. */
export interface Removal {
  /** As it was written. */
  readonly text: string;
  readonly kind: string;
  /** If two APIs have a kind of that name, the group. */
  readonly group?: string;
  readonly namespace?: string;
  /** Absent: all objects of the kind. */
  readonly name?: string;
}

const shortKinds: Readonly<Record<string, string>> = {
  netpol: "NetworkPolicy",
  anp: "AdminNetworkPolicy",
  banp: "BaselineAdminNetworkPolicy",
  ccnp: "CiliumClusterwideNetworkPolicy",
  ns: "Namespace",
  no: "Node",
  po: "Pod",
  svc: "Service",
  deploy: "Deployment",
};

const kinds: readonly { readonly group: string; readonly kind: string }[] = [
  ...policyKinds.map(({ group, kind }) => ({ group, kind })),
  ...Object.keys(clusterKinds).map((text) => {
    const [apiVersion, kind] = text.split(" ") as [string, string];
    return { group: apiVersion.includes("/") ? apiVersion.split("/")[0]! : "core", kind };
  }),
];

/** `KIND`, `KIND/NAME`, `KIND/NAMESPACE/NAME`; the kind as in kubectl, followed by `.GROUP` if needed. */
export function parseRemoval(text: string): Result<Removal> {
  const [word = "", ...names] = text.split("/");
  const dot = word.indexOf(".");
  const [written, group] = dot === -1 ? [word, undefined] : [word.slice(0, dot), word.slice(dot + 1)];
  const folded = written.toLowerCase();
  const kind = shortKinds[folded] ?? kinds.find((one) => spellings(one.kind).includes(folded))?.kind;
  const wrong = (why: string) => refused("TW1507", `\`${text}\` ${why}`);
  if (kind === undefined && /\.(?:ya?ml|json)$/.test(text))
    return wrong("is a file; name the objects to delete, such as `NetworkPolicy/shop/web`");
  if (kind === undefined) {
    const known = [...new Set(kinds.map((one) => one.kind))];
    return wrong(`cannot be deleted: \`${written}\` is not a known kind${didYouMean(written, known)}`);
  }
  const groups = [...new Set(kinds.filter((one) => one.kind === kind).map((one) => one.group))];
  if (group !== undefined && !groups.includes(group))
    return wrong(
      `cannot be deleted: ${kind} is a kind of ${groups.map((one) => `\`${one}\``).join(" and ")}`,
    );
  if (names.length > 2 || names.includes("") || (names.length === 2 && !isNamespaced(kind)))
    return wrong(`is not an object; write KIND, KIND/NAME, or KIND/NAMESPACE/NAME for kinds with namespaces`);
  const [first, second] = names;
  const namespace = second === undefined ? undefined : first;
  return ok({ text, kind, ...given({ group, namespace, name: second ?? first }) });
}

function spellings(kind: string): readonly string[] {
  const lower = kind.toLowerCase();
  return [lower, `${lower}s`, `${lower}es`, lower.replace(/y$/, "ies")];
}

const isNamespaced = (kind: string): boolean =>
  policyKinds.some((one) => one.kind === kind && one.scope === "Namespaced") ||
  Object.entries(clusterKinds).some(([text, scope]) => text.endsWith(` ${kind}`) && scope === "Namespaced");
