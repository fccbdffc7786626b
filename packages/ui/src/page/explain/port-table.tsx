import type { PortRow } from "@tierwall/core/report";
import { hrefOf, useAddress } from "../frame/use-address.js";
import { VerdictBadge } from "../frame/verdict.js";

/** Every port: those that get the same verdict for the same reason on one line. */
export function PortTable({ rows }: { readonly rows: readonly PortRow[] }) {
  const { query } = useAddress();
  return (
    <table className="ports">
      <thead>
        <tr>
          <th scope="col">Verdict</th>
          <th scope="col">Ports</th>
          <th scope="col">Because</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ verdict, ports, reason }) => (
          <tr key={`${verdict} ${reason}`}>
            <td>
              <VerdictBadge verdict={verdict} />
            </td>
            <td>
              <a
                href={hrefOf("explain", { ...query, port: firstPort(ports) })}
                title="Explain one of these ports"
              >
                {ports}
              </a>
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One of the ports with the same verdict: `TCP 80, 443` is shown for port 80. */
export function firstPort(ports: string): string {
  const [, protocol, port] = /\b(TCP|UDP|SCTP) (\d+|all)/.exec(ports) ?? [];
  if (protocol !== undefined) return `${port === "all" ? 80 : port}/${protocol}`;
  return ports === "ICMP" ? "ICMP" : "80/TCP";
}
