import { useEffect, useState } from "react";
import { useCluster } from "../frame/cluster/cluster-state.js";
import { ask } from "../worker/ask.js";
import type { PolicyEdit } from "../worker/questions/edit-desk.js";
import type { GuaranteeCheck } from "../worker/questions/guarantee/guarantees.js";
import type { ProofView } from "../worker/questions/guarantee/proof-view.js";

/** What has been proven or refuted so far. */
export interface Proofs {
  readonly byKey: ReadonlyMap<string, ProofView>;
  /** Whether more is on its way. */
  readonly isBusy: boolean;
  /** Whether it is about the text or the policies before the last change. */
  readonly isOld: boolean;
  readonly failure?: string;
}

/** Seconds for one guarantee: in a list, and while a text is being written. */
export const usualBudget = 5;
export const liveBudget = 2;

const nothing: Proofs = { byKey: new Map(), isBusy: false, isOld: false };
/** Milliseconds without a key before a text is proven. */
const pause = 250;

/** Proves guarantees one after the other; another question about the same state does not wait for all of them. */
export function useProofs(keys: readonly string[] | undefined, budget: number, edit?: PolicyEdit): Proofs {
  const request = keys && JSON.stringify({ keys, budget, edit });
  return useSteps(request, edit === undefined ? 0 : pause, async (signal, show) => {
    const byKey = new Map<string, ProofView>();
    for (const key of keys ?? []) {
      const proof = await ask(
        "guarantee-proof",
        { key, budget, ...(edit === undefined ? {} : { edit }) },
        { signal, lane: "patient" },
      );
      if (proof !== undefined) byKey.set(key, proof);
      show({ byKey: new Map(byKey), isBusy: true, isOld: false });
    }
    show({ byKey, isBusy: false, isOld: false });
  });
}

export interface WrittenProofs extends Proofs {
  readonly check?: GuaranteeCheck;
}

/** Checks a text with guarantees, and proves each, while it is being written. */
export function useWrittenProofs(text: string, budget: number): WrittenProofs {
  return useSteps<WrittenProofs>(JSON.stringify({ text, budget }), pause, async (signal, show) => {
    const check = await ask("guarantee-check", { text }, { signal });
    const byKey = new Map<string, ProofView>();
    show({ check, byKey, isBusy: check.guarantees.length > 0, isOld: false });
    for (const [index, { key }] of check.guarantees.entries()) {
      const request = { text, index, budget };
      const proof = await ask("guarantee-written-proof", request, { signal, lane: "patient" });
      if (proof !== undefined) byKey.set(key, proof);
      show({ check, byKey: new Map(byKey), isBusy: true, isOld: false });
    }
    show({ check, byKey, isBusy: false, isOld: false });
  });
}

/** Runs steps whenever the request or the state changes, and shows what each brings. Only the last request is continued. */
function useSteps<P extends Proofs>(
  request: string | undefined,
  delay: number,
  steps: (signal: AbortSignal, show: (proofs: P) => void) => Promise<void>,
): P {
  const { state } = useCluster();
  const generation = state.status === "ready" ? state.generation : 0;
  const key = `${generation} ${request}`;
  const [last, setLast] = useState<{ readonly key: string; readonly proofs: P }>();
  useEffect(() => {
    if (generation === 0 || request === undefined) return undefined;
    const wanted = new AbortController();
    const { signal } = wanted;
    const show = (proofs: P) => {
      if (!signal.aborted) setLast({ key, proofs });
    };
    const begin = () => {
      steps(signal, show).catch((error: Error) => show({ ...(nothing as P), failure: error.message }));
    };
    // The first answer is not waited for.
    const timer = setTimeout(begin, last === undefined ? 0 : delay);
    return () => {
      clearTimeout(timer);
      wanted.abort();
    };
    // The key says all that the steps depend on.
  }, [key]);
  if (last === undefined) return { ...(nothing as P), isBusy: request !== undefined };
  // Without a request nothing is on its way: the text has errors, and the last results stay.
  return last.key === key ? last.proofs : { ...last.proofs, isBusy: request !== undefined, isOld: true };
}
