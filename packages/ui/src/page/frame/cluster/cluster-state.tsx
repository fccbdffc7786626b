import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from "react";
import { load } from "../../worker/ask.js";
import type { StateSource } from "../../worker/given-state.js";
import type { Summary } from "../../worker/summary.js";
import { begun, serverState } from "./begin.js";
import { reportProgress } from "./progress.js";

/** The state that the page shows, from the request for it until it is replaced. */
export type ClusterState =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly message: string }
  | {
      readonly status: "ready";
      readonly summary: Summary;
      /** Another number for each state that was loaded. */
      readonly generation: number;
      readonly source: StateSource;
    };

export interface Cluster {
  readonly state: ClusterState;
  /** Shows another state. Resolves once it is shown, or cannot be. */
  readonly open: (source: StateSource) => Promise<void>;
}

const ClusterContext = createContext<Cluster>({ state: { status: "loading" }, open: async () => undefined });

export const useCluster = (): Cluster => use(ClusterContext);

export function ClusterProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<ClusterState>({ status: "loading" });
  const generation = useRef(0);
  const follow = useCallback((loading: Promise<Summary>, source: StateSource) => {
    const own = ++generation.current;
    return loading.then(
      (summary) => {
        if (own === generation.current) setState({ status: "ready", summary, generation: own, source });
      },
      (error: Error) => {
        if (own === generation.current) setState({ status: "failed", message: error.message });
      },
    );
  }, []);
  const open = useCallback((source: StateSource) => follow(load(source, reportProgress), source), [follow]);
  useEffect(() => void follow(begun, serverState), [follow]);
  useServerEvents(state, open);
  return <ClusterContext value={{ state, open }}>{children}</ClusterContext>;
}

/** The server sends an event when its state changes; it is fetched again then, unless the page shows only dropped files. */
function useServerEvents(state: ClusterState, open: Cluster["open"]): void {
  const present = useRef(state);
  useEffect(() => {
    present.current = state;
  }, [state]);
  useEffect(() => {
    const events = new EventSource(new URL("api/v1/events", document.baseURI));
    events.addEventListener("state", ({ data }: MessageEvent<string>) => {
      const now = present.current;
      if (now.status === "failed") void open(serverState);
      if (now.status !== "ready" || now.source.server === undefined) return;
      const { revision } = JSON.parse(data) as { readonly revision: string };
      if (revision !== now.summary.revision) void open(now.source);
    });
    return () => events.close();
  }, [open]);
}
