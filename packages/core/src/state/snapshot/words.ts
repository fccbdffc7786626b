import { globMatches } from "../../net/glob.js";
import { identityLabels } from "../../dialects/cilium/identity-labels.js";
import { isObject, type Json } from "../../manifest/document.js";

/*
 * The replacements of names, labels and domain names in a redacted snapshot. A word always has the same one, and two words
 * never share one, so that comparisons have the same results as before.
 */

/** Words with a meaning in Kubernetes or Tierwall, which are not private. */
const plainWords: ReadonlySet<string> = new Set([
  "",
  "default",
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "kubernetes",
  "kube-dns",
  "coredns",
]);

const plainKeys = /^(k8s-app|pod-template-hash|job-name|([a-z0-9.-]+\.)?(kubernetes|k8s)\.io\/.*)$/;
/** S7.15: the name of a key decides whether Cilium reads the label. */
const cilium = identityLabels([]);

const source = /^[a-z][a-z0-9-]*:/;
const namespaceLabelPrefix = "io.cilium.k8s.namespace.labels.";
const ciliumKeys = /^(io\.kubernetes\.pod\.namespace$|io\.cilium\.k8s)/;

export class Words {
  private readonly ranks: ReadonlyMap<string, string>;
  /** For single labels. */
  private readonly wildcards: readonly string[];

  /**
   * `hash`: hexadecimal, of a text and a secret that is not stored. `policyNames`: all there are, as their order decides where
   * priorities are the same. `patterns`: values that may contain wildcards for domain names.
   */
  constructor(
    private readonly hash: (text: string) => string,
    policyNames: Iterable<string>,
    patterns: readonly Json[],
  ) {
    const sorted = [...new Set(policyNames)].toSorted();
    const width = String(sorted.length).length;
    this.ranks = new Map(sorted.map((name, i) => [name, String(i + 1).padStart(width, "0")]));
    this.wildcards = [...new Set(patterns.flatMap(wildcardLabels))];
  }

  word(text: string): string {
    return plainWords.has(text) ? text : `x${this.hash(text)}`;
  }

  /** Policies stay in the order of their names. */
  policyName(name: string): string {
    const rank = this.ranks.get(name);
    return rank === undefined ? this.word(name) : `p${rank}-${this.hash(name)}`;
  }

  /** A ReplicaSet is named after its Deployment and the hash of its template, which is how one is found from the other. */
  objectName(name: string, templateHash: unknown): string {
    if (typeof templateHash !== "string" || !name.endsWith(`-${templateHash}`)) return this.word(name);
    return `${this.word(name.slice(0, -templateHash.length - 1))}-${this.word(templateHash)}`;
  }

  labelKey(key: string): string {
    const [prefix] = source.exec(key) ?? [""];
    const plain = key.slice(prefix.length);
    // S7.13: reserved labels are words of Cilium's own.
    if (prefix === "reserved:") return key;
    if (plain.startsWith(namespaceLabelPrefix))
      return `${prefix}${namespaceLabelPrefix}${this.labelKey(plain.slice(namespaceLabelPrefix.length))}`;
    const isKept = plainKeys.test(plain) || ciliumKeys.test(plain) || !cilium.has(plain);
    return prefix + (isKept ? plain : this.word(plain));
  }

  /** Label by label, so that subdomains stay subdomains. Labels that a wildcard matches in part are kept. */
  domain(name: string): string {
    return name
      .toLowerCase()
      .split(".")
      .map((label) => this.domainLabel(label))
      .join(".");
  }

  private domainLabel(label: string): string {
    const isSpokenOf = (text: string) =>
      !text.includes(".") && this.wildcards.some((wildcard) => globMatches(wildcard, text));
    if (label.includes("*") || isSpokenOf(label)) return label;
    let called = this.word(label);
    while (isSpokenOf(called)) called = this.word(called);
    return called;
  }
}

/** `api-*` of `api-*.example.com`: more than a whole label. */
function wildcardLabels(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(wildcardLabels);
  if (isObject(value)) return Object.values(value).flatMap(wildcardLabels);
  if (typeof value !== "string" || !/^[-\w*]+(\.[-\w*]+)*\.?$/.test(value)) return [];
  return value
    .toLowerCase()
    .split(".")
    .filter((label) => label.includes("*") && !/^\*+$/.test(label));
}
