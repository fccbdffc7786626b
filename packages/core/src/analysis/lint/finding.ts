import type { Pod } from "../../cluster/model.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import type { Place } from "../../diagnostics/place.js";
import { visible } from "../../diagnostics/visible.js";
import type { Code } from "../../diagnostics/table.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";

/** A diagnostic with its meaning, related places, and a fix where there is one. */
export interface Finding extends Diagnostic {
  /** Something of this very cluster that shows it. */
  readonly witness?: Witness;
  readonly related?: readonly Related[];
  readonly fix?: Fix;
}

export type Witness =
  /** A connection, and what is said about it; `text` where the verdict alone does not tell why it is shown. */
  | { readonly kind: "flow"; readonly flow: Flow; readonly verdict: Verdict; readonly text?: string }
  /** Pods that are concerned: the first few, and how many there are. */
  | { readonly kind: "pods"; readonly pods: readonly Pod[]; readonly count: number };

/** Another place that has to do with it, and what stands there: `ClusterNetworkPolicy guard, rule 2`. */
export interface Related {
  readonly place?: Place;
  readonly text: string;
}

/** Changes to the text of manifests that mend a finding, and nothing else. */
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
