import type { MatrixReport } from "@tierwall/core/report";
import type { ShownReason } from "../page/matrix/reason-list.js";

/** What the list shows: all that can connect, everything, or one look. */
export type LookFilter = "open" | "" | MatrixReport["cells"][number][0];

export interface Filter {
  /** Each word is part of a name or of the ports; a number is a port. */
  readonly text: string;
  readonly look: LookFilter;
  /** A row and a column of the picture. */
  readonly pair?: { readonly row: number; readonly column: number } | undefined;
}

export const columns = ["from", "to", "ports"] as const;

export interface Order {
  readonly column: (typeof columns)[number];
  readonly isDescending: boolean;
}

/** The connections of a report, by number. */
export class Connections {
  readonly count: number;

  constructor(private readonly report: MatrixReport) {
    this.count = report.connections.length / 5;
  }

  from(i: number): MatrixReport["ends"][number] {
    return this.report.ends[this.numberOf(i, 0)]!;
  }

  to(i: number): MatrixReport["ends"][number] {
    return this.report.ends[this.numberOf(i, 1)]!;
  }

  cell(i: number): MatrixReport["cells"][number] {
    return this.report.cells[this.numberOf(i, 2)]!;
  }

  reasons(i: number): readonly ShownReason[] {
    const [from, to] = [this.from(i)[0], this.to(i)[0]];
    const all = this.report.more[i] ?? [[from, to, this.numberOf(i, 3), this.numberOf(i, 4)] as const];
    return all.map(([source, destination, egress, ingress]) => ({
      source,
      destination,
      egress: this.parts(egress),
      ingress: this.parts(ingress),
    }));
  }

  /** The numbers of those that pass the filter. A cell of the picture shows all of its connections. */
  search({ text, look, pair }: Filter, order?: Order): readonly number[] {
    const words = text
      .toLowerCase()
      .split(" ")
      .filter((word) => word !== "");
    // Each word is looked for once in all names and ports, however many connections have them.
    const tests = words.map((word) => ({ ends: this.endsWith(word), cells: this.cellsWith(word) }));
    const isLookedFor = (i: number) => {
      if (pair !== undefined) return this.from(i)[2] === pair.row && this.to(i)[2] === pair.column;
      const [own] = this.cell(i);
      return look === "" || own === look || (look === "open" && own !== "none");
    };
    const found: number[] = [];
    for (let i = 0; i < this.count; i++) {
      const isNamed = tests.every(
        ({ ends, cells }) =>
          ends[this.numberOf(i, 0)] || ends[this.numberOf(i, 1)] || cells[this.numberOf(i, 2)],
      );
      if (isNamed && isLookedFor(i)) found.push(i);
    }
    return order === undefined ? found : this.sorted(found, order);
  }

  private sorted(found: readonly number[], { column, isDescending }: Order): readonly number[] {
    const textOf = {
      from: (i: number) => this.from(i)[0],
      to: (i: number) => this.to(i)[0],
      ports: (i: number) => this.cell(i)[1],
    }[column];
    const sign = isDescending ? -1 : 1;
    return found.toSorted((a, b) => {
      const [x, y] = [textOf(a), textOf(b)];
      return x === y ? a - b : x < y ? -sign : sign;
    });
  }

  private endsWith(word: string): readonly boolean[] {
    return this.report.ends.map(([name]) => name.toLowerCase().includes(word));
  }

  /** A number is a port, and finds all that may use it: 8443 is in 8000-9000/TCP and in any, not in any but 8443/TCP. */
  private cellsWith(word: string): readonly boolean[] {
    const asked = /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(word);
    return this.report.cells.map(([, text, ...ports]) =>
      asked === null
        ? text.toLowerCase().includes(word)
        : ports.some((groups) => holdsPort(groups, Number(asked[1]), asked[2]?.toUpperCase())),
    );
  }

  private parts(reason: number): ShownReason["egress"] {
    return this.report.reasons[reason]!.map(([ports, decision]) => ({
      ports,
      ...this.report.decisions[decision]!,
    }));
  }

  private numberOf(i: number, part: number): number {
    return this.report.connections[5 * i + part]!;
  }
}

/** Whether `80,443/TCP all UDP` has this port. */
function holdsPort(groups: string, port: number, protocol: string | undefined): boolean {
  const isAsked = (found: string) => protocol === undefined || found === protocol;
  return groups.split(" ").some((group, i, all) => {
    if (group === "any") return true;
    if (all[i - 1] === "all") return isAsked(group);
    const [ranges, found] = group.split("/");
    if (found === undefined || !isAsked(found)) return false;
    return ranges!.split(",").some((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return first! <= port && port <= last!;
    });
  });
}
