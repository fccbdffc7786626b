import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { type CommentedObject, writeYaml } from "../../manifest/yaml/write-yaml.js";
import type { PolicyRef } from "../../policy/model.js";
import type { Budget } from "../../prove/sat/index.js";
import { isKnownVersion } from "../../dialects/registry.js";
import { ownPolicies, type PolicyDefinition, readState, type State } from "../../state/state.js";
import { withWholeComments } from "./comments.js";
import { Findings } from "./findings.js";
import { type Proof, proveConversion } from "./proof.js";
import { type Target, targets } from "./targets.js";

/*
 *   policies ─► drafts ─► order ─► words and limits of the API ─► priorities, names ─► objects ─┐
 *   (state)     draft     order    expressible, limits            cluster-scoped      written-… │
 *                                                                                               ▼
 *   engine ─► what every pod may do ─► selectors that hold just them ─────────────► objects ─► text
 *   (to NetworkPolicy: downgrade/)                                                              │
 *                                                     proof ◄── engines of both ◄── read back ◄─┘
 */

export interface ConvertOptions {
  readonly to: Target;
  /** Which policies; all that the target can take the place of where it is not given. */
  readonly only?: (policy: PolicyRef) => boolean;
  /** For the comparison in every cluster. */
  readonly budget?: Budget;
}

export interface Conversion {
  readonly to: Target;
  /** The policies that the new ones take the place of. */
  readonly replaced: readonly PolicyRef[];
  readonly policies: readonly CommentedObject[];
  /** The new policies as YAML, which was read back for the proof. */
  readonly text: string;
  /** What is worth knowing about the result. */
  readonly remarks: readonly string[];
  /** Why there is none. */
  readonly refusals: readonly Diagnostic[];
  /** Absent where there is nothing to prove. */
  readonly proof?: Proof;
  /** The cluster with the new policies in it. */
  readonly after?: State;
}

/** Writes policies in another API, reads them back, and compares what the cluster would do with what it does. */
export function convert(given: State, { to, only = () => true, budget }: ConvertOptions): Conversion {
  const state = ownPolicies(given); // S9.7
  const target = targets[to];
  const findings = new Findings();
  const chosen = new Set(
    state.definitions.filter((definition) => target.takes(definition) && only(definition.policy)),
  );
  for (const definition of chosen) refuseWhatIsNotUnderstood(definition, findings);
  const made = findings.refusals.length > 0 ? undefined : target.convert(state, chosen, findings);
  const { refusals } = findings;
  const replaced = (made?.replaced ?? [...chosen]).map(({ policy }) => policy);
  const nothing = { to, replaced, policies: [], text: "", remarks: findings.remarks, refusals };
  if (made === undefined || refusals.length > 0 || replaced.length === 0) return nothing;

  const { header, objects } = withWholeComments(made.objects, state.definitions);
  const written = writeYaml(objects);
  const text = header.length === 0 ? written : `${header.join("\n")}\n---\n${written}`;
  const readBack = readState([{ file: "converted.yaml", text }], { provenance: "file" });
  const errors = readBack.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { ...nothing, refusals: errors };
  for (const { severity, message, object } of readBack.diagnostics)
    if (severity === "warning") findings.remark(message, object);
  const after = state.withDefinitions([
    ...state.definitions.filter((definition) => !made.replaced.includes(definition)),
    ...readBack.definitions,
  ]);
  const { remarks } = findings;
  return {
    to,
    replaced,
    policies: objects,
    text,
    remarks,
    refusals,
    proof: proveConversion(state, after, budget),
    after,
  };
}

// S3.6, S3.10: what fails closed is not what was written, and what was written is not known.
function refuseWhatIsNotUnderstood({ lowered, policy }: PolicyDefinition, findings: Findings): void {
  if (!isKnownVersion(policy))
    findings.refusePolicy(policy, `version \`${policy.group}/${policy.version}\` is not known`);
  for (const { rule } of lowered.rules)
    if (rule.failedClosed !== undefined)
      findings.refuseRule(rule.origin, "has parts that are not understood");
}
