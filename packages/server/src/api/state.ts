import { writtenOptions } from "@tierwall/core/state";
import { Representation } from "../representation.js";
import type { Call, Operation } from "./operation.js";

/** All that the page needs: it reads the manifests itself, and computes every answer without another request. */
export function stateOperation(): Operation {
  let kept: { readonly revision: string; readonly body: Representation } | undefined;
  return {
    method: "GET",
    path: "/state",
    parameters: {},
    answer: async ({ request, state }) => {
      const { revision } = state;
      if (kept?.revision !== revision) kept = { revision, body: written(state) };
      return kept.body.answer(request);
    },
  };
}

function written(state: Call["state"]): Representation {
  const { revision } = state;
  const { title, provenance, sources, options, unread = [] } = state.shown;
  const value = {
    version: 1,
    title,
    revision,
    provenance,
    sources,
    options: writtenOptions(options),
    ...(unread.length === 0 ? {} : { unread: unread.map(({ code, message }) => ({ code, message })) }),
  };
  return new Representation(new TextEncoder().encode(JSON.stringify(value)), {
    type: "application/json",
    cache: "no-cache",
    version: revision,
    effort: 4,
  });
}
