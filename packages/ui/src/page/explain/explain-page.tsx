import { VerdictBadge } from "../frame/verdict.js";
import { EndpointField } from "../frame/endpoint-field.js";
import { PortField } from "../frame/port-field.js";
import { go, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";

export function ExplainPage() {
  const { from = "", to = "", port = "" } = useAddress().query;
  const asked = useAnswer("explain", { from, to, port });
  const answer = shown(asked);
  const change = (part: Record<string, string>) => go("explain", { from, to, port, ...part });
  return (
    <>
      <EndpointField label="From" role="source" value={from} onChoose={(value) => change({ from: value })} />
      <EndpointField label="To" role="destination" value={to} onChoose={(value) => change({ to: value })} />
      <PortField to={to} value={port} onChoose={(value) => change({ port: value })} />
      {asked.status === "failed" && asked.message}
      {answer?.kind === "refused" && answer.message}
      {answer?.kind === "explained" && <VerdictBadge verdict={answer.explanation.verdict} />}
    </>
  );
}
