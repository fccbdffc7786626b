import { EndpointField } from "../frame/fields/endpoint-field.js";
import { PortField } from "../frame/fields/port-field.js";
import type { ExplainRequest } from "../worker/questions/explain.js";

/** Two endpoints and a port. Each choice asks at once. */
export function QuestionBar({
  question,
  onAsk,
}: {
  readonly question: ExplainRequest;
  readonly onAsk: (question: ExplainRequest) => void;
}) {
  const { from, to, port } = question;
  return (
    <search className="question" aria-label="The question">
      <EndpointField
        label="From"
        role="source"
        value={from}
        onChoose={(value) => onAsk({ ...question, from: value })}
      />
      <button
        type="button"
        className="swap"
        aria-label="Swap the endpoints"
        title="Swap the endpoints"
        onClick={() => onAsk({ from: to, to: from, port })}
      >
        <span aria-hidden="true">⇄</span>
      </button>
      <EndpointField
        label="To"
        role="destination"
        value={to}
        onChoose={(value) => onAsk({ ...question, to: value })}
      />
      <PortField to={to} value={port} onChoose={(value) => onAsk({ ...question, port: value })} />
    </search>
  );
}
