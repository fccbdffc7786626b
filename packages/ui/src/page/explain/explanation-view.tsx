import { useEffect, useState } from "react";
import { Caveats } from "../frame/caveats.js";
import { VerdictBadge } from "../frame/verdict.js";
import type { ConnectionView, ExplanationView } from "../worker/questions/explain.js";
import { firstSelection, type Selection } from "./selection.js";
import { NearestAllow } from "./nearest-allow.js";
import { PortTable } from "./port-table.js";
import { reasonOf } from "./reason.js";
import { RuleYaml } from "./rule-yaml.js";
import { Stairs } from "./stairs.js";
import type { Selecting } from "./step.js";

/** The answer first, then the reason, then the place, then what to do. */
export function ExplanationPanel({ explanation }: { readonly explanation: ExplanationView }) {
  const { from, to, port, verdict, caveats, connections } = explanation;
  const [selected, setSelected] = useState<Selection>();
  useEffect(() => setSelected(firstSelection(connections)), [connections]);
  const [only] = connections;
  return (
    <>
      <div className="answer" role="status">
        <h2>
          <VerdictBadge
            verdict={verdict}
            size="headline"
            {...(isPartly(explanation) && { word: "partly allowed" })}
          />
          <span className="ends">
            {from} <span aria-label="to">→</span> {to} {port}
          </span>
        </h2>
        <Caveats caveats={caveats} />
        {connections.length === 1 && only !== undefined && <p>{reasonOf(only)}</p>}
        {connections.length > 1 && <p>The connections that this can mean do not agree:</p>}
      </div>
      <div className={selected === undefined ? "walks" : "walks with-yaml"}>
        <div className="connections">
          {connections.map((connection) => (
            <Connection
              key={`${connection.source} ${connection.destination} ${connection.family} ${portOf(connection)}`}
              connection={connection}
              isOnly={connections.length === 1}
              selected={selected}
              onSelect={setSelected}
            />
          ))}
        </div>
        {selected !== undefined && <RuleYaml selection={selected} />}
      </div>
    </>
  );
}

/** On some ports, that is; of pods that do not agree it depends on which of them it is. */
const isPartly = ({ verdict, connections }: ExplanationView): boolean =>
  verdict === "Mixed" &&
  connections.some(
    ({ answer }) => answer.kind === "ports" && answer.rows.some((row) => row.verdict === "Allow"),
  );

const portOf = ({ answer }: ConnectionView): string => (answer.kind === "walks" ? answer.port : "");

function Connection({
  connection,
  isOnly,
  ...selecting
}: { readonly connection: ConnectionView; readonly isOnly: boolean } & Selecting) {
  const { source, destination, family, verdict, answer } = connection;
  return (
    <section className="connection">
      {!isOnly && (
        <header>
          <h3>
            <VerdictBadge verdict={verdict} />
            <span className="ends">
              {source} → {destination} {portOf(connection)}
              {family !== undefined && ` over IPv${family}`}
            </span>
          </h3>
          <p>{reasonOf(connection)}</p>
        </header>
      )}
      {answer.kind === "ports" ? (
        <PortTable rows={answer.rows} />
      ) : (
        <>
          <Stairs walk={answer.egress} {...selecting} />
          <Stairs walk={answer.ingress} {...selecting} />
          {answer.nearest !== undefined && <NearestAllow nearest={answer.nearest} {...selecting} />}
        </>
      )}
    </section>
  );
}
