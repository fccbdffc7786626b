import { ReasonList } from "../page/matrix/reason-list.js";
import type { Connections } from "./connections.js";

export interface ConnectionDetailsProps {
  readonly connections: Connections;
  /** By its number. */
  readonly connection: number;
}

/** The ports of a connection, the rules that decide in both directions, and the command that shows every rule. */
export function ConnectionDetails({ connections, connection }: ConnectionDetailsProps) {
  const [[from, source], [to, destination]] = [connections.from(connection), connections.to(connection)];
  const [, , wholly, partly, undecided] = connections.cell(connection);
  const ports = [
    { text: wholly, words: "allowed" },
    { text: partly, words: "allowed for some of their pods or addresses only" },
    { text: undecided, words: "undecided: depends on missing information" },
  ].filter(({ text }) => text !== "");
  return (
    <>
      <h2>
        {from} <span aria-label="to">→</span> {to}
      </h2>
      {ports.length === 0 && <p className="cell-words">nothing is allowed</p>}
      <dl className="report-ports">
        {ports.map(({ text, words }) => (
          <div key={words}>
            <dt className="cell-ports">{text}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <ReasonList reasons={connections.reasons(connection)} isWhole />
      {source !== "" && destination !== "" && (
        <>
          <h3>every rule that was looked at</h3>
          <code className="report-command">
            tierwall explain -f … --from {source} --to {destination}
          </code>
        </>
      )}
    </>
  );
}
