import type { Grain } from "@tierwall/core";
import { implementationCaveatsOfAll, preview } from "@tierwall/core/analysis";
import { caveatsJson, previewJson } from "@tierwall/core/report";
import { caveatsOfAll, mergedCaveats, parseRemoval, readEdited, type Removal } from "@tierwall/core/state";
import { problemResponse } from "../problem.js";
import { troubleIn } from "../reading.js";
import { grainParameter, json, type Operation, refused, remarks } from "./operation.js";
import { sentManifests } from "./sent-manifests.js";

/** What applying or deleting objects would change: the JSON of `tierwall preview -o json`. Nothing is changed. */
export const previewOperation: Operation = {
  method: "POST",
  path: "/preview",
  parameters: { delete: { given: "any-times" }, by: grainParameter },
  answer: async ({ request, query, state }) => {
    const sent = await sentManifests(request);
    if (!sent.ok) return problemResponse(sent.problem);
    const remove: Removal[] = [];
    for (const text of query.getAll("delete")) {
      const removal = parseRemoval(text);
      if (!removal.ok) return problemResponse(refused(removal.diagnostic));
      remove.push(removal.value);
    }
    if (sent.sources.length + remove.length === 0)
      return problemResponse({
        status: 400,
        detail: "nothing to preview; send manifests as the body, or name an object with `delete`",
      });
    const { sources, options } = state.shown;
    const edited = readEdited(sources, { apply: sent.sources, remove }, options);
    const [complaint] = edited.diagnostics;
    if (complaint !== undefined)
      return problemResponse({ ...refused(complaint), diagnostics: edited.diagnostics });
    // What the edit leaves out may be what is wrong with the state: then that is reported.
    const trouble = troubleIn(edited.after) ?? state.reading.trouble ?? troubleIn(edited.before);
    if (trouble !== undefined) return problemResponse(trouble);
    const found = preview(edited, (query.get("by") ?? "workload") as Grain);
    const caveats = mergedCaveats(
      caveatsOfAll(edited.after),
      caveatsOfAll(edited.before),
      implementationCaveatsOfAll(edited.after),
    );
    return json(request, {
      ...previewJson(found),
      caveats: caveatsJson(caveats),
      remarks: remarks(edited.after.diagnostics),
    });
  },
};
