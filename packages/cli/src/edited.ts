import { type EditedState, readEdited, type Removal } from "@tierwall/core";
import { readPaths } from "@tierwall/kube";
import { Progress } from "./progress.js";
import { type Loaded, readNamed, type StateFlags, stateOptions } from "./state.js";

/**
 * What the flags name, as it is and as it would be: with the objects of some files in the place of those of the same
 * name, and without those that are to be removed.
 */
export function loadEdited(
  flags: StateFlags,
  apply: readonly string[],
  remove: readonly Removal[] = [],
): { readonly before: Loaded; readonly after: Loaded; readonly edited: EditedState } {
  const { options, diagnostics } = stateOptions(flags);
  const progress = new Progress();
  const named = readNamed(flags, progress);
  const applied = readPaths(apply, flags.recursive ?? false, progress.bytesRead);
  const edited = readEdited(
    named.sources,
    { apply: applied.sources, remove },
    { ...options, progress: progress.objectsRead },
  );
  progress.end();
  const outside = [...diagnostics, ...named.diagnostics, ...applied.diagnostics, ...edited.diagnostics];
  return {
    edited,
    before: { state: edited.before, sources: named.sources, diagnostics: edited.before.diagnostics },
    after: {
      state: edited.after,
      sources: [...applied.sources, ...named.sources],
      diagnostics: [...outside, ...edited.after.diagnostics],
    },
  };
}
