import { getOrInsert } from "../../collections/maps.js";
/*
 * Which labels are part of a Cilium identity (S7.15): Cilium drops the others before it evaluates policies. An
 * expression includes keys, or excludes them (`!`); it must match at the beginning of the key, and where both match, the
 * longest inclusion is compared with the shortest exclusion. An inclusion that is added to the default ones leaves out
 * everything that nothing includes.
 */

/** `[SOURCE:][!]EXPRESSION`, as in Cilium's option `labels`. */
export interface LabelExpression {
  /** Empty for any source. */
  readonly source: string;
  readonly isExcluded: boolean;
  readonly expression: RegExp;
}

export interface IdentityLabels {
  /** Whether a label of a pod, or one that Cilium derives for it, with this key counts. */
  readonly has: (key: string) => boolean;
}

/** The longest expression, and the most repetitions in one. */
const [longest, mostRepetitions] = [256, 2];

/** As in Cilium 1.20; reserved labels are always part of an identity. */
const defaults = [
  String.raw`io\.kubernetes\.pod\.namespace`,
  String.raw`io\.cilium\.k8s\.namespace\.labels`,
  String.raw`app\.kubernetes\.io`,
  String.raw`io\.cilium\.k8s\.policy\.cluster`,
  String.raw`io\.cilium\.k8s\.policy\.serviceaccount`,
  String.raw`!io\.kubernetes`,
  String.raw`!kubernetes\.io`,
  String.raw`!statefulset\.kubernetes\.io/pod-name`,
  String.raw`!apps\.kubernetes\.io/pod-index`,
  String.raw`!batch\.kubernetes\.io/job-completion-index`,
  String.raw`!batch\.kubernetes\.io/controller-uid`,
  String.raw`!.*beta\.kubernetes\.io`,
  String.raw`!k8s\.io`,
  "!pod-template-generation",
  "!pod-template-hash",
  "!controller-revision-hash",
  "!controller-uid",
  "!annotation.*",
  "!etcd_node",
  String.raw`!topology\.kubernetes\.io`,
].map((text) => parseLabelExpression(text)!);

/** Undefined where it is empty, or not a regular expression of the kind that is supported. */
export function parseLabelExpression(text: string): LabelExpression | undefined {
  const [, source = "", rest = ""] = /^(?:([^:]*):)?(.*)$/s.exec(text) ?? [];
  const isExcluded = rest.startsWith("!");
  const written = isExcluded ? rest.slice(1) : rest;
  try {
    return isBounded(written) ? { source, isExcluded, expression: new RegExp(written) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Cilium matches in time linear in the length of a key. JavaScript does not: with groups or many repetitions it may try
 * exponentially many ways, and the expression may come from an author who is not trusted (tierwall.yaml).
 */
function isBounded(expression: string): boolean {
  const plain = expression.replaceAll(/\\./gsu, "x").replaceAll(/\[[^\]]*\]/gu, "x");
  const repetitions = plain.match(/[*+?{]/gu)?.length ?? 0;
  return (
    expression !== "" &&
    expression.length <= longest &&
    !/[()]/u.test(plain) &&
    repetitions <= mostRepetitions * plain.split("|").length
  );
}

/** The default ones, and more; the reader of the options reports invalid ones. */
export function identityLabels(added: readonly string[]): IdentityLabels {
  const more = added.flatMap((text) => parseLabelExpression(text) ?? []);
  const all = [...defaults, ...more].filter(({ source }) => source === "" || source === "k8s");
  // Also one of another source makes the list an inclusive one.
  const mustBeIncluded = more.some(({ isExcluded }) => !isExcluded);
  const known = new Map<string, boolean>();
  const decide = (key: string): boolean => {
    const lengths = (excluded: boolean) =>
      all
        .filter(({ isExcluded }) => isExcluded === excluded)
        .flatMap(({ expression }) => matched(expression, key));
    const included = Math.max(0, ...lengths(false));
    const excluded = lengths(true).filter((length) => length > 0);
    const shortest = excluded.length === 0 ? 0 : Math.min(...excluded);
    return (!mustBeIncluded && shortest === 0) || included > shortest;
  };
  return {
    has: (key) => {
      return getOrInsert(known, key, () => decide(key));
    },
  };
}

/** How much of the beginning of a key an expression matches, if it does. */
function matched(expression: RegExp, key: string): readonly number[] {
  const found = expression.exec(key);
  return found?.index === 0 ? [found[0].length] : [];
}
