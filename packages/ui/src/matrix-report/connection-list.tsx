import { useEffect, useState } from "react";
import { figure } from "../page/frame/counted.js";
import { columns, type Connections, type Filter, type LookFilter, type Order } from "./connections.js";

export interface ConnectionListProps {
  readonly connections: Connections;
  readonly filter: Filter;
  readonly found: readonly number[];
  readonly chosen: number | undefined;
  readonly order: Order | undefined;
  readonly onFilter: (filter: Filter) => void;
  readonly onOrder: (order: Order) => void;
  readonly onChoose: (connection: number) => void;
}

const looks: readonly { readonly value: LookFilter; readonly text: string }[] = [
  { value: "open", text: "what can connect" },
  { value: "", text: "everything" },
  { value: "all", text: "every port" },
  { value: "some", text: "some ports" },
  { value: "partly", text: "some pods only" },
  { value: "undecided", text: "undecided" },
  { value: "none", text: "nothing" },
];

/** More rows than these at once take a browser long. */
const rowsAtOnce = 200;

export function ConnectionList(props: ConnectionListProps) {
  const { connections, filter, found, chosen, order, onFilter, onOrder, onChoose } = props;
  const [most, setMost] = useState(rowsAtOnce);
  useEffect(() => setMost(rowsAtOnce), [filter]);
  return (
    <section className="report-list" aria-label="Connections">
      <form className="tools" role="search" onSubmit={(event) => event.preventDefault()}>
        <label className="tool report-search">
          <span className="unseen">Search connections</span>
          <input
            type="search"
            placeholder="Search: shop/cart 8443"
            autoComplete="off"
            value={filter.text}
            onChange={(event) => onFilter({ ...filter, text: event.target.value })}
          />
        </label>
        <label className="tool">
          <span className="unseen">Show</span>
          <select
            value={filter.look}
            onChange={(event) => onFilter({ ...filter, look: event.target.value as LookFilter })}
          >
            {looks.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {filter.pair !== undefined && (
          <button type="button" onClick={() => onFilter({ ...filter, pair: undefined })}>
            this cell only ×
          </button>
        )}
        <output>
          {figure(found.length)} of {figure(connections.count)} connections
        </output>
      </form>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {found.slice(0, most).map((i) => {
            const [look, ports] = connections.cell(i);
            return (
              <tr
                key={i}
                tabIndex={0}
                className={`look-${look}`}
                aria-selected={i === chosen}
                onClick={() => onChoose(i)}
                onKeyDown={(event) => event.key === "Enter" && onChoose(i)}
              >
                <td>{connections.from(i)[0]}</td>
                <td>{connections.to(i)[0]}</td>
                <td>{ports === "-" ? "nothing" : ports}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + 5 * rowsAtOnce)}>
          Show more
        </button>
      )}
    </section>
  );
}

interface HeadingProps extends Pick<ConnectionListProps, "order" | "onOrder"> {
  readonly column: (typeof columns)[number];
}

/** Sorts by its column; once more, the other way round. */
function Heading({ column, order, onOrder }: HeadingProps) {
  const isSorted = order?.column === column;
  return (
    <th aria-sort={isSorted ? (order.isDescending ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        onClick={() => onOrder({ column, isDescending: isSorted && !order.isDescending })}
      >
        {column}
      </button>
    </th>
  );
}
