import "./matrix.css";
import type { Grain } from "@tierwall/core";
import { useEffect, useMemo, useState } from "react";
import { Caveats } from "../frame/caveats.js";
import { counted } from "../frame/counted.js";
import { Loading, Notice } from "../frame/notice.js";
import { useTheme } from "../frame/theme.js";
import { go, hrefOf, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import type { MatrixEndView } from "../worker/questions/matrix.js";
import { CellReason } from "./cell-reason.js";
import { byTier, byVerdict, type Colouring, countsOf } from "./colouring.js";
import { Legend } from "./legend.js";
import { MatrixTools } from "./matrix-tools.js";
import { MatrixView } from "./matrix-view.js";
import { pageTokens } from "./palette.js";
import type { CellPlace } from "./scene.js";

const grains: readonly Grain[] = ["namespace", "workload", "pod"];

/** All pairs at once: rows open connections to columns. */
export function MatrixPage() {
  const { by: wanted, port = "", colour = "" } = useAddress().query;
  const by = grains.find((grain) => grain === wanted) ?? "workload";
  const change = (part: Record<string, string>) => go("matrix", { by, port, colour, ...part }, "replace");
  const request = { by, port };
  const cells = useAnswer("matrix", request, "patient");
  const tiers = useAnswer("matrix-tiers", colour === "tier" ? request : undefined, "patient");
  const answer = shown(cells);
  const said = colour === "tier" ? shown(tiers) : undefined;
  const isBusy = cells.status === "asking" || (colour === "tier" && tiers.status === "asking");
  const failure = [cells, tiers].find((asked) => asked.status === "failed");
  const isOnePort = port !== "";
  const colouring = useMemo(
    () => (said?.kind === "tiers" ? byTier(said.verdicts, isOnePort) : byVerdict(isOnePort)),
    [said, isOnePort],
  );
  const tools = <MatrixTools by={by} port={port} colour={colour} isBusy={isBusy} onChange={change} />;
  if (failure?.status === "failed")
    return (
      <Notice title="The matrix could not be drawn" role="alert">
        {failure.message}
      </Notice>
    );
  if (answer === undefined)
    return (
      <div className="matrix">
        {tools}
        <Loading>Asking about all pairs…</Loading>
      </div>
    );
  if (answer.kind === "refused")
    return (
      <div className="matrix">
        {tools}
        <Notice title="That is not a port">{answer.message}</Notice>
      </div>
    );
  if (answer.kind === "crowded")
    return (
      <div className="matrix">
        {tools}
        <Notice title="Too many pods for one picture">
          {counted(answer.ends, "row")} by as many columns.{" "}
          <a href={hrefOf("matrix", { port, colour })}>Look at workloads</a>
        </Notice>
      </div>
    );
  if (answer.ends.length === 0)
    return (
      <Notice title="No endpoints">There are no pods and no nodes. Add manifests that have some.</Notice>
    );
  const codes =
    said?.kind === "tiers" && said.codes.length === answer.codes.length ? said.codes : answer.codes;
  return (
    <div className="matrix">
      {tools}
      <Caveats caveats={answer.caveats} />
      <Field request={request} ends={answer.ends} codes={codes} colouring={colouring} />
    </div>
  );
}

interface FieldProps {
  readonly request: { readonly by: Grain; readonly port: string };
  readonly ends: readonly MatrixEndView[];
  readonly codes: Uint8Array;
  readonly colouring: Colouring;
}

function Field({ request, ends, codes, colouring }: FieldProps) {
  const [cursor, setCursor] = useState<CellPlace>();
  const [opened, setOpened] = useState<CellPlace>();
  const counts = useMemo(() => countsOf(codes), [codes]);
  const theme = useTheme();
  const bands = useMemo(() => colouring.legend(counts, pageTokens()), [colouring, counts, theme]);
  useEffect(() => setCursor(undefined), [ends]);
  const place =
    cursor !== undefined && cursor.row < ends.length && cursor.column < ends.length ? cursor : undefined;
  return (
    <div className="matrix-body">
      <MatrixView
        ends={ends}
        codes={codes}
        paintsOf={colouring.paintsOf}
        cursor={place}
        onCursor={(next) => setCursor((last) => (isSame(last, next) ? last : next))}
        onOpen={setOpened}
        describedBy="matrix-keys"
      />
      <aside className="matrix-side">
        <CellReason
          request={request}
          ends={ends}
          codes={codes}
          colouring={colouring}
          cursor={place}
          opened={opened}
        />
        <Legend bands={bands} note={colouring.note} />
        <p id="matrix-keys" className="matrix-keys">
          Arrow keys move from cell to cell (with Shift, ten), <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom,{" "}
          <kbd>Enter</kbd> or a click explains. Drag to pan, wheel to zoom.
        </p>
      </aside>
    </div>
  );
}

const isSame = (a: CellPlace | undefined, b: CellPlace | undefined): boolean =>
  a?.row === b?.row && a?.column === b?.column;
