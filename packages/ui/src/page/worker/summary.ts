import type { Diagnostic } from "@tierwall/core";
import type { GivenState, HeldState } from "./held-state.js";

/** What there is, in figures, and what is wrong with it. */
export interface Summary extends Pick<GivenState, "title" | "revision" | "provenance"> {
  readonly files: readonly string[];
  readonly namespaces: number;
  readonly pods: number;
  readonly workloads: number;
  readonly nodes: number;
  readonly services: number;
  readonly policies: number;
  readonly errors: readonly Problem[];
}

export interface Problem extends Pick<Diagnostic, "code" | "message"> {
  readonly file?: string;
  readonly line?: number;
}

export function summaryOf({ given, state }: HeldState): Summary {
  const { cluster, policies, diagnostics } = state;
  return {
    title: given.title,
    revision: given.revision,
    provenance: given.provenance,
    files: given.sources.map(({ file }) => file),
    namespaces: cluster.namespaces.size,
    pods: cluster.pods.size,
    workloads: cluster.workloads.length,
    nodes: cluster.nodes.size,
    services: cluster.services.length,
    policies: policies.length,
    errors: diagnostics.filter(({ severity }) => severity === "error").map(problemOf),
  };
}

function problemOf({ code, message, place }: Diagnostic): Problem {
  return { code, message, ...(place === undefined ? {} : { file: place.file, line: place.line }) };
}
