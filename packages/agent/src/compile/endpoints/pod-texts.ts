import type { Pod } from "@tierwall/core/model";
import type { PeerVocabulary } from "./peer-vocabulary.js";

/** The properties of pods that rules use, except addresses, as a text: rules do not distinguish pods with the same text. */
export class PodTexts {
  private readonly keys: readonly string[];
  private readonly portTexts = new WeakMap<Pod["ports"], string>();

  constructor(private readonly vocabulary: PeerVocabulary) {
    this.keys = [...vocabulary.podKeys.keys()].toSorted();
  }

  of({ namespace, labels, serviceAccount, ports }: Pod): string {
    let text = namespace;
    for (const key of this.keys) {
      const value: unknown = labels[key];
      // A value that is not a text is not a label, but a property that every object inherits.
      if (typeof value === "string") text += ` ${key}=${value}`;
    }
    if (this.vocabulary.accounts) text += ` account ${serviceAccount}`;
    return this.vocabulary.portNames.size > 0 ? text + this.textOfPorts(ports) : text;
  }

  /** Replicas share the object with their ports. */
  private textOfPorts(ports: Pod["ports"]): string {
    const known = this.portTexts.get(ports);
    if (known !== undefined) return known;
    const named = ports.filter(({ name }) => name !== undefined && this.vocabulary.portNames.has(name));
    const made = ` ports ${named
      .map(({ name, protocol, port }) => `${name}:${protocol}:${port}`)
      .toSorted()
      .join()}`;
    this.portTexts.set(ports, made);
    return made;
  }
}
