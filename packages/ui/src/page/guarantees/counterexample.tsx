import "./counterexample.css";
import { useCluster } from "../frame/cluster/cluster-state.js";
import { go, hrefOf } from "../frame/use-address.js";
import { VerdictBadge } from "../frame/verdict.js";
import { download } from "../editor/export.js";
import type { PolicyEdit } from "../worker/questions/edit-desk.js";
import type {
  CounterexampleView,
  DecisionView,
  EndView,
  PartView,
} from "../worker/questions/guarantee/proof-view.js";

export interface CounterexampleProps {
  /** The name of the guarantee that does not hold. */
  readonly guarantee: string;
  readonly counterexample: CounterexampleView;
  /** The edit of a policy that it was found for. */
  readonly edit?: PolicyEdit | undefined;
}

/** A cluster of two endpoints in which a guarantee does not hold: the connection, what decides it, and what is essential. */
export function Counterexample({ guarantee, counterexample, edit }: CounterexampleProps) {
  const { from, to, port, portNames, isAllowed, egress, ingress } = counterexample;
  const { facts, essential, incidental } = counterexample;
  return (
    <section className="counterexample" aria-label={`Counterexample to ${guarantee}`}>
      <p>
        In this cluster the connection is <strong>{isAllowed ? "allowed" : "not allowed"}</strong>:
      </p>
      <div className="cx-flow">
        <Endpoint role="client" end={from} direction="egress" decision={egress} />
        <p className="cx-arrow">
          <span aria-hidden="true">→</span>
          <span className="unseen">opens a connection on</span>
          <code>{port}</code>
          {portNames.length > 0 && <span>named {portNames.map((name) => `“${name}”`).join(", ")}</span>}
        </p>
        <Endpoint role="server" end={to} direction="ingress" decision={ingress} />
      </div>
      <dl className="cx-facts">
        {facts.length > 0 && <Terms title="If" texts={facts} />}
        {essential.length > 0 && <Terms title="Essential" texts={essential} />}
        {incidental.length > 0 && <Terms title="Not essential" texts={incidental} />}
      </dl>
      <p className="cx-actions">
        <OpenInExplain guarantee={guarantee} counterexample={counterexample} edit={edit} />
        <button
          type="button"
          title="Save the two endpoints as manifests"
          onClick={() => download(counterexample.manifests, guarantee)}
        >
          Download manifests
        </button>
      </p>
    </section>
  );
}

/** Shows the cluster of the counterexample instead of the input's, and asks about its connection. */
export function OpenInExplain({ guarantee, counterexample, edit }: CounterexampleProps) {
  const { state, open } = useCluster();
  const { manifests, drops, question } = counterexample;
  const show = () => {
    if (state.status !== "ready") return;
    const found = { guarantee, manifests, drops, ...(edit === undefined ? {} : { edit }) };
    void open({ ...state.source, counterexample: found }).then(() => go("explain", { ...question }));
  };
  return (
    <button type="button" className="primary" onClick={show}>
      Open in Explain
    </button>
  );
}

const kinds = {
  pod: "pod",
  "host-network pod": "host-network pod",
  node: "node",
  external: "address outside the cluster",
} as const;

function Endpoint({
  role,
  end,
  direction,
  decision,
}: {
  readonly role: "client" | "server";
  readonly end: EndView;
  readonly direction: "egress" | "ingress";
  readonly decision: DecisionView;
}) {
  const { kind, labels, namespace, nodeLabels, account, address } = end;
  return (
    <div className="cx-end">
      <p className="cx-title">
        <span className="cx-role">{role}</span> {kinds[kind]}
        {address !== undefined && (
          <>
            {" "}
            <code>{address}</code>
          </>
        )}
      </p>
      {kind === "pod" && <Labels labels={labels} none="no labels needed" />}
      {account !== undefined && (
        <p>
          service account <code>{account}</code>
        </p>
      )}
      {namespace !== undefined && (
        <p>
          in namespace <code>{namespace.name}</code> <Labels labels={namespace.labels} none="" />
        </p>
      )}
      {(kind === "node" || kind === "host-network pod") && (
        <Labels labels={nodeLabels} none="no node labels needed" />
      )}
      <p className="cx-decision">
        <span className="cx-direction">{direction}</span> <VerdictBadge verdict={decision.verdict} />{" "}
        <Reason decision={decision} />
      </p>
    </div>
  );
}

function Labels({ labels, none }: { readonly labels: readonly string[]; readonly none: string }) {
  if (labels.length === 0) return none === "" ? null : <span className="cx-none">{none}</span>;
  return (
    <>
      {labels.map((label) => (
        <code key={label} className="cx-label">
          {label}
        </code>
      ))}
    </>
  );
}

function Reason({ decision: { by, why, conditions, isOwners } }: { readonly decision: DecisionView }) {
  return (
    <>
      {why ?? "by "}
      {by.map((part, i) => (
        <span key={part.title}>
          {i > 0 && ", "}
          <Part part={part} />
        </span>
      ))}
      {isOwners && " (which the owner of the namespace may write)"}
      {conditions.length > 0 && ` (${conditions.join("; ")})`}
    </>
  );
}

/** A rule, with a link to it and its place. */
export function Part({ part: { title, policy, rule, place } }: { readonly part: PartView }) {
  if (policy === undefined) return <span>{title}</span>;
  return (
    <>
      <a href={hrefOf("policies", { policy: policy.key, rule: rule ?? "" })}>{title}</a>
      {place !== undefined && (
        <>
          {" "}
          <code className="place">
            {place.file}:{place.line}
          </code>
        </>
      )}
    </>
  );
}

function Terms({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
  return (
    <div>
      <dt>{title}</dt>
      {texts.map((text) => (
        <dd key={text}>{text}</dd>
      ))}
    </div>
  );
}
