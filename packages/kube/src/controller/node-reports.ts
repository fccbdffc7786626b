import type { JsonObject } from "@tierwall/core/manifest";
import type { Connection } from "../cluster/connection.js";
import type { WatchedKind } from "../cluster/kinds.js";
import { textAt } from "../cluster/object-fields.js";
import { type KindHealth, Reflector, type ReflectorListener } from "../cluster/reflector.js";
import { nodeOfLease, programmedAnnotation, programmedIn, shadowAnnotation } from "./programmed-report.js";

/** The latest report of the agent of a node. */
export interface NodeReport {
  /** Digests of the policies that the kernel holds. */
  readonly programmed: ReadonlySet<string>;
  /** It denies nothing. */
  readonly shadow: boolean;
  /** When the agent last reported, by its own clock. */
  readonly renewed: string;
}

/** The reports of the agents, by node. */
export class NodeReports implements ReflectorListener {
  private readonly byNode = new Map<string, NodeReport & { readonly text: string }>();
  private readonly reflector: Reflector;

  constructor(
    connection: Connection,
    namespace: string,
    private readonly onChange: () => void,
  ) {
    this.reflector = new Reflector(leasesIn(namespace), connection, this);
  }

  start(): void {
    this.reflector.start();
  }

  async stop(): Promise<void> {
    await this.reflector.stop();
  }

  get health(): KindHealth {
    return this.reflector.health;
  }

  get all(): ReadonlyMap<string, NodeReport> {
    return this.byNode;
  }

  keyOf(object: JsonObject): string {
    return textAt(object, "metadata", "name");
  }

  set(_kind: WatchedKind, name: string, object: JsonObject): void {
    const node = nodeOfLease(name);
    if (node === undefined) return;
    const text = textAt(object, "metadata", "annotations", programmedAnnotation);
    const shadow = textAt(object, "metadata", "annotations", shadowAnnotation) === "true";
    const known = this.byNode.get(node);
    const programmed = known?.text === text ? known.programmed : programmedIn(text);
    const renewed = textAt(object, "spec", "renewTime");
    this.byNode.set(node, { text, programmed, shadow, renewed });
    // That it is alive changes nothing.
    if (known?.text !== text || known.shadow !== shadow) this.onChange();
  }

  remove(_kind: WatchedKind, name: string): void {
    const node = nodeOfLease(name);
    if (node !== undefined && this.byNode.delete(node)) this.onChange();
  }

  healthChanged(): void {
    this.onChange();
  }
}

const leasesIn = (namespace: string): WatchedKind => ({
  kind: "Lease",
  group: "coordination.k8s.io",
  versions: ["v1"],
  plural: "leases",
  namespace,
  isNamespaced: true,
  isBuiltIn: true,
  keep: (object) => object,
});
