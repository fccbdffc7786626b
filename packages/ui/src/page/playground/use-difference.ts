import { useEffect, useRef, useState } from "react";
import { useCluster } from "../frame/cluster/cluster-state.js";
import { ask } from "../worker/ask.js";
import type { PolicyEdit } from "../worker/questions/edit-desk.js";
import type { CheckView, OutlineView } from "../worker/questions/playground.js";
import type { DifferenceView } from "./difference-view.js";

/** What is known of a text so far: first what is wrong with it, then how much it changes, then why. */
export interface Progress {
  readonly check?: CheckView;
  readonly outline?: OutlineView;
  readonly difference?: DifferenceView;
  readonly failure?: string;
  /** Whether more is on its way. */
  readonly isBusy: boolean;
  /** Whether it is about the text before, which stays in sight until more is known of this one. */
  readonly isOld: boolean;
}

/** Milliseconds without a key before a text is evaluated. */
const pause = 200;
/** Up to here everything is known at once, and one thread is enough. */
const fewPods = 300;

export function useDifference({ text, deleted }: PolicyEdit, wantsLarge: boolean): Progress {
  const { state } = useCluster();
  const generation = state.status === "ready" ? state.generation : 0;
  const isSmall = state.status === "ready" && state.summary.pods <= fewPods;
  const [progress, setProgress] = useState<Progress>({ isBusy: true, isOld: false });
  const isFirst = useRef(true);
  useEffect(() => {
    if (generation === 0) return undefined;
    const wanted = new AbortController();
    const { signal } = wanted;
    const edit: PolicyEdit = { text: deleted === undefined ? text : "", deleted };
    setProgress((last) => ({ ...last, isBusy: true, isOld: true }));
    const work = async () => {
      const check = await ask("playground-check", edit, { signal });
      // The difference of the last valid text stays visible: the user is in the middle of a word.
      if (!isSound(check)) return setProgress((last) => ({ ...last, check, isBusy: false, isOld: true }));
      setProgress((last) => ({ ...last, check }));
      let known: Progress = { check, isBusy: true, isOld: false };
      if (!isSmall) {
        const outline = await ask("playground-outline", edit, { signal });
        known = { ...known, outline, isBusy: !outline.isLarge || wantsLarge };
        setProgress(known);
      }
      if (!known.isBusy) return;
      const lane = isSmall ? "quick" : "patient";
      const difference = await ask("playground-difference", edit, { signal, lane });
      setProgress({ ...known, difference, isBusy: false });
    };
    const timer = setTimeout(
      () => {
        work().catch((error: Error) => {
          if (!signal.aborted) setProgress({ failure: error.message, isBusy: false, isOld: false });
        });
      },
      isFirst.current ? 0 : pause,
    );
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      wanted.abort();
    };
  }, [text, deleted, generation, isSmall, wantsLarge]);
  return progress;
}

/** Whether a text says something that can be compared. */
export function isSound({ problems, edits }: CheckView): boolean {
  return edits.length > 0 && !problems.some(({ severity }) => severity === "error");
}
