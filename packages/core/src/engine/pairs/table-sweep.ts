import type { View } from "../compile/view.js";
import { EgressAnswers } from "./egress-answers.js";
import type { EndGroup, Grouping } from "./end-groups.js";
import { IngressAnswers } from "./ingress-answers.js";
import { OutcomeAnswers } from "./outcome-answers.js";
import { type Part, shareOf, whole } from "./part.js";
import { PodSweep } from "./pod-sweep.js";

/** All pairs from tables, which keep what each tier says to all columns. */
export function tableSweep(
  view: View,
  { layers }: Grouping,
  pods: readonly EndGroup[],
  part: Part = whole,
): PodSweep {
  const answers = new OutcomeAnswers(view);
  const egress = new EgressAnswers(view, layers.egress, pods, answers);
  const ingress = new IngressAnswers(view, layers.ingress, pods, answers);
  // Those that have most in common come one after the other.
  const orderOf = (group: EndGroup) => `${ingress.orderOf(group)}${`${egress.numberOf(group)}`.padStart(8)}`;
  const order = new Map(pods.map((group) => [group, orderOf(group)]));
  const ordered = pods.toSorted((a, b) => compare(order.get(a)!, order.get(b)!));
  return new PodSweep(view, pods, shareOf(ordered, part), egress, ingress, {
    toHost: ({ classes }, host) => view.answer("egress", classes[0]!, host),
    fromHost: (host, { classes }) => view.fromHost(classes[0]!, host),
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
