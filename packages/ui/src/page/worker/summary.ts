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
  /** Whether questions are answered: there are no errors, or what has them is left out as asked for. */
  readonly usable: boolean;
  /** Other for other contents: what was found out about one state says nothing about another. */
  readonly contents: string;
}

export interface Problem extends Pick<Diagnostic, "code" | "message"> {
  readonly file?: string;
  readonly line?: number;
}

export function summaryOf({ given, state, errors, usable }: HeldState): Summary {
  const { cluster, policies } = state;
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
    errors: errors.map(problemOf),
    usable,
    contents: `${given.revision} ${given.dropped ?? ""}`,
  };
}

function problemOf({ code, message, place }: Diagnostic): Problem {
  return { code, message, ...(place === undefined ? {} : { file: place.file, line: place.line }) };
}
