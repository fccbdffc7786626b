import type { Verdict } from "@tierwall/core";
import type { ChangeOutline, Preview } from "@tierwall/core/analysis";
import { type Endpoint, type Flow, formatAddress } from "@tierwall/core/model";
import {
  beforeText,
  byResponsible,
  flowText,
  onlyFamily,
  PartyNames,
  portsText,
  remarksOf,
  changeSections,
  whoText,
} from "@tierwall/core/report";

/** What an edit would change, ready to be shown. */
export interface DifferenceView {
  /** Connections by their new verdict, the most important first; only those that there are. */
  readonly sections: readonly SectionView[];
  /** Lockouts, overrides, ambiguities. */
  readonly remarks: readonly RemarksView[];
  readonly caveats: readonly string[];
  /** What was not checked, because the input does not contain its addresses. */
  readonly unchecked: readonly string[];
}

export interface SectionView {
  readonly verdict: Verdict;
  readonly title: string;
  readonly connections: number;
  /** The namespaces that they come from, most first. */
  readonly sources: readonly SourceView[];
  readonly moreSources: number;
  readonly groups: readonly GroupView[];
  readonly moreGroups: number;
}

export interface SourceView {
  readonly name: string;
  readonly connections: number;
}

/** What the same rule brings about. */
export interface GroupView {
  readonly by: string;
  readonly rows: readonly RowView[];
  readonly moreRows: number;
}

export interface RowView {
  /** Undefined for one example among many. */
  readonly connections?: number;
  readonly from: string;
  readonly to: string;
  readonly ports: string;
  readonly before?: string;
  readonly question: QuestionView;
}

/** One of the connections, as a question for Explain. */
export interface QuestionView {
  readonly from: string;
  readonly to: string;
  readonly port: string;
}

export interface RemarksView {
  readonly title: string;
  readonly remarks: readonly { readonly text: string; readonly more: readonly string[] }[];
  readonly moreRemarks: number;
}

/** A screen or two; the command line has it all. */
const shown = { sources: 6, groups: 8, rows: 6, names: 4, remarks: 5 };

export function differenceView(preview: Preview, caveats: readonly string[]): DifferenceView {
  const { changes, lockouts } = preview;
  const names = new PartyNames(changes);
  return {
    sections: changeSections.flatMap(({ verdict, title }) => {
      const { connections, bySource } = changes.totals[verdict];
      if (connections === 0) return [];
      const groups = byResponsible(changes.rows.filter(({ after }) => after === verdict));
      return {
        verdict,
        title,
        connections,
        ...sourcesView(bySource),
        groups: groups.slice(0, shown.groups).map(({ text, rows }) => ({
          by: text,
          rows: rows.slice(0, shown.rows).map((row) => ({
            connections: row.connections,
            from: names.of(row.from, shown.names),
            to: names.of(row.to, shown.names),
            ports: `${portsText(row.ports).trim()}${onlyFamily(row)}${row.partly ? " (some of their pods)" : ""}`,
            ...given("before", beforeText(row)),
            question: questionOf(row.example),
          })),
          moreRows: Math.max(0, rows.length - shown.rows),
        })),
        moreGroups: Math.max(0, groups.length - shown.groups),
      };
    }),
    remarks: remarksOf(preview, names).map(({ title, remarks }) => ({
      title,
      remarks: remarks.slice(0, shown.remarks),
      moreRemarks: Math.max(0, remarks.length - shown.remarks),
    })),
    unchecked: lockouts.unchecked,
    caveats,
  };
}

/** How many there are, and some of them: what is known at once. */
export function outlineView(outline: ChangeOutline): readonly SectionView[] {
  return changeSections.flatMap(({ verdict, title }) => {
    const { connections, bySource, examples } = outline[verdict];
    if (connections === 0) return [];
    const rows = examples.map(({ flow, before, after }): { by: string; row: RowView } => {
      const [now, then] = [deciders(after), deciders(before)];
      const [from = "", rest = ""] = flowText(flow).split(" → ");
      const [to = "", ...ports] = rest.split(" ");
      return {
        by: `for example, by ${now}`,
        row: { from, to, ports: ports.join(" "), before: `until now by ${then}`, question: questionOf(flow) },
      };
    });
    const groups = [...new Set(rows.map(({ by }) => by))].map((by) => ({
      by,
      rows: rows.filter((one) => one.by === by).map(({ row }) => row),
      moreRows: 0,
    }));
    return { verdict, title, connections, ...sourcesView(bySource), groups, moreGroups: 0 };
  });
}

/** The rules that decided, in the directions that determine the verdict. */
function deciders({ verdict, egress, ingress }: ChangeOutline["Deny"]["examples"][number]["after"]): string {
  const decisive = [egress, ingress].filter((one) => verdict === "Allow" || one.verdict === verdict);
  return whoText(decisive.flatMap((one) => one.deciders));
}

function sourcesView(bySource: ReadonlyMap<string, number>): Pick<SectionView, "sources" | "moreSources"> {
  const all = [...bySource].map(([name, connections]) => ({ name, connections }));
  const sources = all.slice(0, shown.sources);
  return { sources, moreSources: all.length - sources.length };
}

function questionOf({ source, destination, protocol, port }: Flow): QuestionView {
  return {
    from: refOf(source),
    to: refOf(destination),
    port: protocol === "ICMP" ? "ICMP" : `${port}/${protocol}`,
  };
}

function refOf(end: Endpoint): string {
  switch (end.kind) {
    case "pod":
      return `${end.pod.namespace}/${end.pod.name}`;
    case "node":
      return `node:${end.node.name}`;
    case "external":
      return formatAddress(end.address);
  }
}

const given = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> =>
  value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);
