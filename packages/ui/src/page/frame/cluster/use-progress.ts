import { useSyncExternalStore } from "react";
import { progressNow, subscribeToProgress } from "./progress.js";

/** How many objects of the state that is being read have been. */
export const useProgress = (): number => useSyncExternalStore(subscribeToProgress, progressNow);
