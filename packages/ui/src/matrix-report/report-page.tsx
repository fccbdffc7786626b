import "../page/frame/tools.css";
import "../page/matrix/matrix.css";
import "./report.css";
import type { MatrixReport } from "@tierwall/core/report";
import { useMemo, useState } from "react";
import { Caveats } from "../page/frame/caveats.js";
import { byVerdict, countsOf } from "../page/matrix/colouring.js";
import { looks } from "../page/matrix/looks.js";
import { Legend } from "../page/matrix/legend.js";
import { MatrixView } from "../page/matrix/matrix-view.js";
import { pageTokens } from "../page/matrix/palette.js";
import type { CellPlace } from "../page/matrix/scene.js";
import { useTheme } from "../page/frame/theme.js";
import { ConnectionDetails } from "./connection-details.js";
import { ConnectionList } from "./connection-list.js";
import { Connections, type Filter, type Order } from "./connections.js";

const colouring = byVerdict(false);

/** The picture, a list to search and sort, and the rules that decide each connection. */
export function ReportPage({ report }: { readonly report: MatrixReport }) {
  const { ends, cells } = report.picture;
  const connections = useMemo(() => new Connections(report), [report]);
  const codes = useMemo(
    () => Uint8Array.from(cells, (cell) => looks.indexOf(report.cells[cell]?.[0] ?? "itself")),
    [cells, report],
  );
  const theme = useTheme();
  const bands = useMemo(() => colouring.legend(countsOf(codes), pageTokens()), [codes, theme]);
  const [filter, setFilter] = useState<Filter>(filterInAddress);
  const [order, setOrder] = useState<Order>();
  const found = useMemo(() => connections.search(filter, order), [connections, filter, order]);
  const [chosen, setChosen] = useState(() => (filter.pair === undefined ? undefined : found[0]));
  const [cursor, setCursor] = useState<CellPlace>();
  const choosePair = (pair: CellPlace) => {
    const next = { ...filter, pair };
    setFilter(next);
    setChosen(connections.search(next, order)[0]);
  };
  return (
    <>
      <header className="report-header">
        <h1>Who can reach whom</h1>
        <p>{report.headline}</p>
      </header>
      <Caveats caveats={report.caveats} />
      <main className="report">
        <div className="report-picture">
          <MatrixView
            ends={ends}
            codes={codes}
            paintsOf={colouring.paintsOf}
            cursor={cursor ?? filter.pair}
            onCursor={setCursor}
            onOpen={choosePair}
            describedBy="matrix-keys"
          />
        </div>
        <ConnectionList
          connections={connections}
          filter={filter}
          found={found}
          chosen={chosen}
          order={order}
          onFilter={setFilter}
          onOrder={setOrder}
          onChoose={setChosen}
        />
        <aside className="matrix-side report-side">
          <p className="report-pointed" role="status">
            {cursor !== undefined && pointedText(report, cursor)}
          </p>
          <section className="cell-reason" aria-label="Connection" aria-live="polite">
            {chosen !== undefined ? (
              <ConnectionDetails connections={connections} connection={chosen} />
            ) : (
              <p className="cell-hint">{hint(report, filter)}</p>
            )}
          </section>
          <Legend bands={bands} note="Rows open connections to columns." />
          <p id="matrix-keys" className="matrix-keys">
            Arrow keys move from cell to cell (with Shift, ten), <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom,{" "}
            <kbd>Enter</kbd> or a click lists the connections of a cell. Drag to pan, wheel to zoom.
          </p>
        </aside>
      </main>
    </>
  );
}

/** `shop/web → payments/api: 443/TCP`. */
function pointedText(
  { picture: { ends, cells }, cells: known }: MatrixReport,
  { row, column }: CellPlace,
): string {
  const [look, ports] = known[cells[row * ends.length + column] ?? -1] ?? ["itself", ""];
  const words = look === "itself" || look === "none" ? colouring.wordsOf(looks.indexOf(look)) : ports;
  return `${ends[row]!.name} → ${ends[column]!.name}: ${words}`;
}

function hint({ denied }: MatrixReport, { pair }: Filter): string {
  if (pair === undefined)
    return "Choose a connection, or a cell of the picture, to see which rules decide about it.";
  return denied
    ? "There are no two endpoints to connect here."
    : "Nothing is allowed here. Ask tierwall explain which rule denies it.";
}

/** `#q=WORDS` and `#cell=ROW,COLUMN`: a place in the page that can be shared as a link. */
function filterInAddress(): Filter {
  const place = new URLSearchParams(location.hash.slice(1));
  const [row, column] = place.get("cell")?.split(",").map(Number) ?? [];
  return {
    text: place.get("q") ?? "",
    look: "open",
    pair: row === undefined || column === undefined ? undefined : { row, column },
  };
}
