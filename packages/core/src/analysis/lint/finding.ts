import type { Pod } from "../../cluster/model.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import type { Place } from "../../diagnostics/place.js";
import { visible } from "../../diagnostics/visible.js";
import type { Code } from "../../diagnostics/table.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Confirmed } from "../../prove/world/index.js";

/** A diagnostic with its meaning, related places, and a fix where there is one. */
export interface Finding extends Diagnostic {
  /** Something that shows it. */
  readonly witness?: Witness;
  readonly related?: readonly Related[];
  readonly fix?: Fix;
}

export type Witness =
  /** A connection of this cluster, and its verdict; `text` if the verdict alone does not show why. */
  | { readonly kind: "flow"; readonly flow: Flow; readonly verdict: Verdict; readonly text?: string }
  /** Pods of this cluster: the first few, and how many there are. */
  | { readonly kind: "pods"; readonly pods: readonly Pod[]; readonly count: number }
  /** A connection in a small cluster that could exist, confirmed by the evaluator. */
  | { readonly kind: "cluster"; readonly confirmed: Confirmed; readonly text: string };

/** Another place that is concerned, and what is there: `ClusterNetworkPolicy guard, rule 2`. */
export interface Related {
  readonly place?: Place;
  readonly text: string;
}

/** Changes to the text of manifests that fix a finding, and nothing else. */
export interface Fix {
  /** What it does, in the imperative: `write 10.0.0.0/8`. */
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

export type TextEdit =
  | { readonly kind: "replace"; readonly place: Place; readonly text: string }
  /** From the first to the last line, counted from 1. */
  | { readonly kind: "delete-lines"; readonly file: string; readonly first: number; readonly last: number };

export function finding(
  code: Code,
  message: string,
  more: Omit<Partial<Finding>, "code" | "message" | "place"> & { readonly place?: Place | undefined } = {},
): Finding {
  const { place, related, fix, witness, ...rest } = more;
  return {
    ...diagnostic(code, message, place === undefined ? rest : { ...rest, place }),
    ...(witness === undefined ? {} : { witness }),
    ...(related === undefined
      ? {}
      : { related: related.map((one) => ({ ...one, text: visible(one.text) })) }),
    ...(fix === undefined ? {} : { fix }),
  };
}
