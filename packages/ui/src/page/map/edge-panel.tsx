import { counted } from "../frame/counted.js";
import { defaultTier, tierWords } from "../frame/tiers.js";
import { hrefOf } from "../frame/use-address.js";
import { useAnswer } from "../frame/use-answer.js";
import { shortPorts } from "../frame/short-ports.js";
import type { MapRequest } from "../worker/questions/map.js";
import type { EdgeRule } from "../worker/questions/map-edge.js";
import { lookText } from "./edge-look.js";
import { type Graph, type GraphEdge, titleOf } from "./graph.js";

export interface EdgePanelProps {
  readonly graph: Graph;
  readonly edge: GraphEdge;
  readonly request: MapRequest;
  readonly onFocus: (key: string) => void;
  readonly onClose: () => void;
}

/** The rules behind an edge, and its connections. */
export function EdgePanel({ graph, edge, request, onFocus, onClose }: EdgePanelProps) {
  const [from, to] = [graph.nodes[edge.from]!, graph.nodes[edge.to]!];
  const denied = edge.look.verdict === "denied";
  const asked = useAnswer("map-edge", { ...request, from: from.key, to: to.key, denied }, "patient");
  const answer = asked.status === "answered" ? asked.answer : undefined;
  const isAbout = answer?.from === from.key && answer.to === to.key;
  return (
    <section className="edge-panel" aria-label="Connection" aria-live="polite">
      <button type="button" className="close" aria-label="Close" onClick={onClose}>
        ×
      </button>
      <h2>
        {titleOf(from)} <span aria-label="to">→</span> {titleOf(to)}
      </h2>
      <p className="edge-ports">{shortPorts(lookText(edge.look))}</p>
      {!isAbout && <p className="edge-wait">Looking for the rules…</p>}
      {isAbout && (
        <>
          {(["Allow", "Deny", "Undecided"] as const).map((verdict) => (
            <RulesOf
              key={verdict}
              verdict={verdict}
              from={titleOf(from)}
              to={titleOf(to)}
              rules={answer.rules.filter((rule) => rule.verdict === verdict)}
            />
          ))}
          {answer.isPartial && (
            <p className="edge-wait">Rules of the first pairs only; open the namespaces for the others.</p>
          )}
          <h3>{counted(answer.pairs, "pair")}</h3>
          <ul className="edge-pairs">
            {answer.examples.map((pair) => (
              <li key={`${pair.from} ${pair.to}`}>
                <a href={hrefOf("explain", { ...pair.question, port: request.port })}>
                  {pair.from} → {pair.to}
                </a>{" "}
                <span className="pair-ports">{shortPorts(pair.ports)}</span>
              </li>
            ))}
            {answer.pairs > answer.examples.length && (
              <li>…and {answer.pairs - answer.examples.length} more</li>
            )}
          </ul>
        </>
      )}
      <p className="edge-focus">
        <button type="button" onClick={() => onFocus(from.key)}>
          Focus on {from.name}
        </button>
        <button type="button" onClick={() => onFocus(to.key)}>
          Focus on {to.name}
        </button>
      </p>
    </section>
  );
}

const headings = {
  Allow: "Allowed by",
  Deny: "Denied by",
  Undecided: "Undecided; may be decided by",
} as const;

interface RulesOfProps {
  readonly verdict: EdgeRule["verdict"];
  readonly from: string;
  readonly to: string;
  readonly rules: readonly EdgeRule[];
}

function RulesOf({ verdict, from, to, rules }: RulesOfProps) {
  if (rules.length === 0) return null;
  return (
    <>
      <h3>{headings[verdict]}</h3>
      <Rules title={`leaving ${from}`} rules={rules.filter(({ direction }) => direction === "egress")} />
      <Rules title={`entering ${to}`} rules={rules.filter(({ direction }) => direction === "ingress")} />
    </>
  );
}

/** Rules beyond these are for Policies. */
const mostRules = 6;

function Rules({ title, rules }: { readonly title: string; readonly rules: readonly EdgeRule[] }) {
  if (rules.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="edge-rules">
        {rules.slice(0, mostRules).map(({ by, ports, pairs }) => (
          <li key={by.text}>
            <span className="rule-tier">
              {(by.tier === undefined ? defaultTier : tierWords[by.tier]).title}
            </span>{" "}
            {by.text === "default" ? "no rule matches" : by.text}
            <span className="rule-ports">
              {shortPorts(ports)}
              {pairs > 1 && ` · ${counted(pairs, "pair")}`}
            </span>
          </li>
        ))}
        {rules.length > mostRules && <li>…and {rules.length - mostRules} more</li>}
      </ul>
    </>
  );
}
