import type { ManifestObject } from "../manifest/object.js";
import type { Lowered } from "../policy/assemble.js";
import type { PolicyRef } from "../policy/model.js";

/** A policy and the manifest object that defines it. */
export interface WrittenPolicy {
  readonly policy: PolicyRef;
  readonly object: ManifestObject;
}

/** A policy that was understood, and what it contributes to the tiers. */
export interface PolicyDefinition extends WrittenPolicy {
  readonly lowered: Lowered;
}
