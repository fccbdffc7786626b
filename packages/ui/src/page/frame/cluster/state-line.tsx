import type { Summary } from "../../worker/summary.js";
import { serverState } from "./begin.js";
import type { StateSource } from "../../worker/given-state.js";
import { type Cluster, useCluster } from "./cluster-state.js";
import { go } from "../use-address.js";
import { counted } from "../counted.js";
import { ErrorList } from "./error-list.js";

/** What the page is about, in one line, and what is wrong with it. */
export function StateLine() {
  const { state, open } = useCluster();
  if (state.status !== "ready") return <div className="state-line" />;
  const { summary, source } = state;
  return (
    <div className="state-line">
      {summary.usable && summary.errors.length > 0 && <Errors summary={summary} />}
      <span className="state-title" title={summary.files.join("\n")}>
        {summary.title}
      </span>
      <span className="state-figures">
        {counted(summary.pods, "pod")} · {counted(summary.policies, "policy", "policies")}
      </span>
      <Back source={source} open={open} />
    </div>
  );
}

/** From a counterexample to the state that it was found for; from dropped files to the server's. */
function Back({ source, open }: { readonly source: StateSource; readonly open: Cluster["open"] }) {
  const { counterexample, ...before } = source;
  if (counterexample !== undefined)
    return (
      <button type="button" onClick={() => void open(before).then(() => go("guarantees"))}>
        Close the counterexample
      </button>
    );
  if (source.files.length === 0) return null;
  return (
    <button type="button" onClick={() => void open(serverState)}>
      Back to the server’s files
    </button>
  );
}

/** With --keep-going, what has errors was left out: the rest must not pass for the whole. */
function Errors({ summary: { errors } }: { readonly summary: Summary }) {
  return (
    <details className="state-errors">
      <summary>⚠ {counted(errors.length, "error")}</summary>
      <div className="state-errors-list">
        <p>What has errors was left out. The answers are about the rest.</p>
        <ErrorList errors={errors} />
      </div>
    </details>
  );
}
