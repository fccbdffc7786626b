import { grouped } from "../../collections/maps.js";
import { type Path, parsePath } from "../../diagnostics/place.js";
import { valueAt } from "../../manifest/document.js";
import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import type { PlacedRule } from "../../policy/assemble.js";
import type { Action, Direction, Peer, PodSelection, PortMatch, RuleOrigin } from "../../policy/model.js";
import type { PolicyDefinition } from "../../state/state.js";

/*
 * What is to be written, in terms of the one model, before it is expressed in the target API. Parts know the path they
 * came from, so that comments can be carried over.
 */

export interface Sourced<T> {
  readonly what: T;
  /** Its path in the object it came from. */
  readonly from: Path | undefined;
}

export interface DraftRule {
  readonly name: string | undefined;
  readonly action: Action;
  readonly peers: readonly Sourced<Peer>[];
  readonly ports: "every" | readonly Sourced<PortMatch>[];
  readonly origin: RuleOrigin;
}

export type DraftRules = Readonly<Record<Direction, readonly DraftRule[]>>;

/** A cluster-wide policy; its place in its tier is that of its slot. */
export interface Draft {
  readonly definition: PolicyDefinition;
  /** Other policies that some of its rules come from. */
  readonly also?: readonly PolicyDefinition[];
  /** What its name has in addition to that of the policy it comes from. */
  readonly suffixes: readonly string[];
  readonly subject: PodSelection;
  readonly rules: DraftRules;
  /** Comments to put before it. */
  readonly remarks: readonly string[];
}

/** A policy of one namespace; it isolates in the directions it has a list for. */
export interface NamespacedDraft extends Pick<Draft, "definition" | "suffixes"> {
  readonly namespace: string;
  readonly pods: PodSelection["pods"];
  readonly rules: Partial<DraftRules>;
}

export type OrderedTier = "admin" | "baseline";

/** New objects, and the policies they take the place of. */
export interface Made {
  readonly objects: readonly CommentedObject[];
  readonly replaced: readonly PolicyDefinition[];
}

/** The rules of a policy that satisfy a condition, as one draft for each subject; a Cilium policy may have several. */
export function draftsOf(
  definition: PolicyDefinition,
  isMeant: (rule: PlacedRule) => boolean,
  suffixes: readonly string[] = [],
): readonly Draft[] {
  const bySubject = grouped(definition.lowered.rules.filter(isMeant), ({ rule }) => rule.subject);
  return [...bySubject].map(([subject, placed], i, all) => ({
    definition,
    suffixes: all.length > 1 ? [...suffixes, String(i + 1)] : suffixes,
    subject,
    rules: rulesOf(definition, placed),
    remarks: [],
  }));
}

export function rulesOf(definition: PolicyDefinition, placed: readonly PlacedRule[]): DraftRules {
  const of = (direction: Direction) =>
    placed.filter(({ rule }) => rule.origin.direction === direction).map((one) => draftRule(definition, one));
  return { ingress: of("ingress"), egress: of("egress") };
}

function draftRule({ object }: PolicyDefinition, { rule }: PlacedRule): DraftRule {
  const { origin, action, peers, ports } = rule;
  const path = parsePath(origin.path);
  const sourced = <T>(list: readonly T[], fields: readonly Path[]): readonly Sourced<T>[] => {
    const field = fields.find((one) => {
      const written = valueAt(object.value, [...path, ...one]);
      return Array.isArray(written) && written.length === list.length;
    });
    return list.map((what, i) => ({ what, from: field && [...path, ...field, i] }));
  };
  return {
    name: origin.name,
    action,
    origin,
    peers: sourced(peers, [["from"], ["to"]]),
    ports: ports === "every" ? ports : sourced(ports, [["ports"], ["protocols"], ["l4Selector", "ports"]]),
  };
}

export function isEmptyDraft({ rules }: Draft): boolean {
  return rules.ingress.length + rules.egress.length === 0;
}

export function mapRules(rules: DraftRules, change: (rule: DraftRule) => readonly DraftRule[]): DraftRules {
  return { ingress: rules.ingress.flatMap(change), egress: rules.egress.flatMap(change) };
}
