import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import type { PolicyDefinition } from "../../state/state.js";

/** New objects, and the policies they take the place of. */
export interface Made {
  readonly objects: readonly CommentedObject[];
  readonly replaced: readonly PolicyDefinition[];
}
