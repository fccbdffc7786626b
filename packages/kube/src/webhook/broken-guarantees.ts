import type { Readable } from "@tierwall/core/analysis";
import { type EditWarning, visibleWithin } from "@tierwall/core/report";
import { guaranteeKind } from "../cluster/kinds.js";
import type { Affected } from "../guarantees/cluster-guarantees.js";

/** What is reported of guarantees that an edit would break. */
export interface Broken {
  /** Not empty: the edit is refused. */
  readonly refusals: readonly string[];
  readonly warnings: readonly EditWarning[];
}

const longestRefusal = 1000;
const mostNamed = 5;
const remedy = "delete the Guarantee or set its `spec.onBreak` to `Warn` to make this change anyway";

/** `affected` is undefined where there was no answer in time. */
export function brokenBy(affected: readonly Affected[] | undefined, readable: Readable): Broken {
  if (affected === undefined) return { refusals: [], warnings: [] };
  const mayRead = (kind: string) => readable === "everything" || readable.get(kind) === "all";
  const isReadable = mayRead(`${guaranteeKind.group} ${guaranteeKind.kind}`);
  const text = ({ name, kinds, counterexample = "" }: Affected): string => {
    if (!isReadable) return "breaks a Guarantee that you cannot read";
    const shown = kinds.every(mayRead)
      ? counterexample
      : "policies that you cannot read decide what is allowed";
    return `breaks Guarantee ${name}: ${shown}`;
  };
  const broken = affected.filter(({ counterexample }) => counterexample !== undefined);
  const undecided = affected.filter(({ counterexample }) => counterexample === undefined);
  const [refusing, warning] = [
    broken.filter(({ onBreak }) => onBreak === "Refuse"),
    broken.filter(({ onBreak }) => onBreak === "Warn"),
  ];
  const rest = refusing.length - mostNamed;
  return {
    refusals:
      refusing.length === 0
        ? []
        : [
            ...refusing.slice(0, mostNamed).map((one) => visibleWithin(text(one), longestRefusal)),
            ...(rest > 0 ? [`and ${rest} more`] : []),
            ...(isReadable ? [remedy] : []),
          ],
    warnings: [
      ...warning.map((one): EditWarning => ({ about: "guarantee", text: text(one) })),
      ...(undecided.length === 0 ? [] : [undecidedWarning(undecided, isReadable)]),
    ],
  };
}

/** Also where the guarantee refuses: a slow proof must not block every change of a policy. */
function undecidedWarning(undecided: readonly Affected[], isReadable: boolean): EditWarning {
  const names = undecided.slice(0, mostNamed).map(({ name }) => name);
  const more = undecided.length > names.length ? ` and ${undecided.length - names.length} more` : "";
  const which = isReadable ? `: ${names.join(", ")}${more}` : "";
  const isAdmitted = undecided.some(({ onBreak }) => onBreak === "Refuse")
    ? "; the change is admitted, although `onBreak` is `Refuse`"
    : "";
  const text = `it was not decided in time whether guarantees still hold${which}${isAdmitted}`;
  return { about: "guarantee", text };
}
