import { Cluster, type Grain } from "@tierwall/core";
import { readState } from "@tierwall/core/state";
import { problemResponse } from "../problem.js";
import { troubleIn } from "../reading.js";
import { grainParameter, json, type Operation, refused } from "./operation.js";
import { sentManifests } from "./sent-manifests.js";

/** What another state allows differently: the JSON of `tierwall diff -o json`. */
export const diffOperation: Operation = {
  method: "POST",
  path: "/diff",
  parameters: { by: grainParameter },
  answer: async ({ request, query, state: { reading, shown } }) => {
    const sent = await sentManifests(request);
    if (!sent.ok) return problemResponse(sent.problem);
    if (sent.sources.length === 0)
      return problemResponse({ status: 400, detail: "send the manifests of the other state as the body" });
    const after = readState(sent.sources, shown.options);
    const trouble = troubleIn(after) ?? reading.trouble;
    if (trouble !== undefined) return problemResponse(trouble);
    const by = (query.get("by") ?? "workload") as Grain;
    const compared = reading.cluster.diff(new Cluster({ state: after }), by);
    return compared.ok ? json(request, compared.value.json()) : problemResponse(refused(compared.diagnostic));
  },
};
