import { type EditedState, readEdited, type Removal } from "@tierwall/core/state";
import { readPaths } from "@tierwall/kube";
import { Progress } from "../output/progress.js";
import { type Loaded, readNamed, type StateFlags, stateOptions } from "./state.js";

/**
 * What the flags name, as it is and as it would be: with the objects of some files in the place of those of the same
 * name, and without those that are to be removed.
 */
export async function loadEdited(
  flags: StateFlags,
  apply: readonly string[],
  remove: readonly Removal[] = [],
): Promise<{ readonly before: Loaded; readonly after: Loaded; readonly edited: EditedState }> {
  const { options, diagnostics } = stateOptions(flags);
  const progress = new Progress();
  const { base: named, live } = await readNamed(flags, progress);
  const applied = readPaths(apply, flags.recursive ?? false, {
    bytesRead: progress.bytesRead,
    maxInput: flags.maxInput,
  });
  const edited = readEdited(
    named.sources,
    { apply: applied.sources, remove },
    { ...options, progress: progress.objectsRead },
  );
  progress.end();
  const outside = [...diagnostics, ...named.diagnostics, ...applied.diagnostics, ...edited.diagnostics];
  return {
    edited,
    before: { state: edited.before, live, sources: named.sources, diagnostics: edited.before.diagnostics },
    after: {
      state: edited.after,
      live,
      sources: [...applied.sources, ...named.sources],
      diagnostics: [...outside, ...edited.after.diagnostics],
    },
  };
}

/** What is wrong with how the input of a change was named. */
export function inputProblem(
  others: readonly string[],
  { filename = [], live = false }: StateFlags,
  apply: readonly string[] | undefined,
): string | undefined {
  if ([...others, ...(apply ?? []), ...filename].filter((path) => path === "-").length > 1)
    return "standard input can be read only once; name a file instead of the other `-`";
  if (apply !== undefined && live && filename.length > 0)
    return "a change is made to the cluster or to what -f names; leave one of -f and --live out";
  return undefined;
}
