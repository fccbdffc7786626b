import type { ForeignKind } from "../../foreign/kinds.js";
import { type ForeignObject, readForeign } from "../../foreign/object.js";
import type { JsonObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { compareText } from "../../policy/assemble.js";
import type { PolicyRef } from "../../policy/model.js";
import { isDerived } from "../foreign-remarks.js";
import { sameValue } from "./same-value.js";

/** Objects of APIs that are not evaluated (S9.3). They are not part of the tiers: S9.7. */
export class LiveForeign {
  private readonly objects = new Map<string, { readonly value: JsonObject; readonly read: ForeignObject }>();
  private sorted: readonly ForeignObject[] | undefined = [];
  private given: readonly ForeignObject[] = [];
  private besides: readonly PolicyRef[] = [];

  set(key: string, kind: ForeignKind, object: ManifestObject): void {
    if (sameValue(this.objects.get(key)?.value, object.value)) return;
    this.objects.set(key, { value: object.value, read: readForeign(kind, object) });
    this.sorted = undefined;
  }

  remove(key: string): void {
    if (this.objects.delete(key)) this.sorted = undefined;
  }

  /** Without those that only repeat an evaluated policy; the same list as long as nothing changes. */
  settle(policies: readonly PolicyRef[]): readonly ForeignObject[] {
    if (this.sorted !== undefined && policies === this.besides) return this.given;
    this.besides = policies;
    this.sorted ??= [...this.objects].toSorted(([a], [b]) => compareText(a, b)).map(([, { read }]) => read);
    const own = this.sorted.filter((object) => !isDerived(object, policies));
    const isSame = own.length === this.given.length && own.every((object, i) => object === this.given[i]);
    if (!isSame) this.given = own;
    return this.given;
  }
}
