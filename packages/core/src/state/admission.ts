import { type Diagnostic, hasErrors } from "../diagnostics/diagnostic.js";
import { readPolicy } from "../dialects/read.js";
import type { ManifestObject } from "../manifest/object.js";
import type { PolicyRef } from "../policy/model.js";
import { kindOf } from "./object-kind.js";

/** Whether a policy object may enter a cluster. */
export type Admission =
  /** No policy. */
  | { readonly what: "ignored" }
  | { readonly what: "refused"; readonly policy: PolicyRef; readonly diagnostics: readonly Diagnostic[] }
  | { readonly what: "taken"; readonly policy: PolicyRef; readonly diagnostics: readonly Diagnostic[] };

/** The diagnostics about the object alone, without its effects on the cluster. */
export function admissionOf(object: ManifestObject): Admission {
  const kind = kindOf(object);
  if (kind.what !== "policy") return { what: "ignored" };
  const { policy, diagnostics } = readPolicy(kind.kind, object, "admission");
  return { what: hasErrors(diagnostics) ? "refused" : "taken", policy, diagnostics };
}
