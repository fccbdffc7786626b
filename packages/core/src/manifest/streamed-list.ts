import { diagnostic } from "../diagnostics/diagnostic.js";
import type { Path, Place } from "../diagnostics/place.js";
import { type Document, isObject, type Json, type JsonObject, MovedDocument } from "./document.js";
import { isListKind, type ListKind, listKindOf, takeApart } from "./list.js";
import type { Receiver } from "./object.js";

/** An item that was read alone, and the line it begins on where that is known. */
export interface ListItem {
  readonly value: Json;
  readonly document: Document;
  readonly line?: number;
}

/**
 * A list whose items come one by one. `kubectl` writes the list's kind behind them: items that have a kind
 * are delivered at once; from the first that needs the list's kind, they wait for it.
 */
export class StreamedList {
  private readonly waiting: (readonly [ListItem, number])[] = [];
  private readonly known: Known | undefined;
  private count = 0;

  constructor(
    head: JsonObject,
    private readonly receiver: Receiver,
  ) {
    this.known = kindIn(head);
  }

  add(item: ListItem): void {
    const index = this.count++;
    if (this.waiting.length > 0 || (this.known === undefined && needsKind(item.value)))
      this.waiting.push([item, index]);
    else this.receive(item, index, this.known?.list);
  }

  /** With all fields but the items, and where the list begins. */
  end(fields: JsonObject, place: Place): void {
    const kind = kindIn(fields);
    if (kind === undefined)
      this.receiver.report(
        diagnostic("TW1005", "this object has `items`, but its `kind` is not a list", { place }),
      );
    for (const [item, index] of this.waiting) this.receive(item, index, kind?.list);
  }

  private receive({ value, document, line }: ListItem, index: number, kind: ListKind): void {
    const placed = new MovedDocument(document, withinItem);
    takeApart(value, placed, ["items", index], kind, this.receiver, line);
  }
}

/** Without `items` and the index. */
const withinItem = (path: Path): Path => path.slice(2);

interface Known {
  readonly list: ListKind;
}

/** What the fields of a list state about its items; undefined if this is not a list. */
function kindIn({ apiVersion, kind }: JsonObject): Known | undefined {
  if (typeof kind !== "string" || !isListKind(kind)) return undefined;
  return { list: listKindOf(typeof apiVersion === "string" ? apiVersion : "", kind) };
}

/** Whether fields before `items` leave it open that this is a list. */
export const mayBeList = (head: JsonObject): boolean => !("kind" in head) || kindIn(head) !== undefined;

const needsKind = (value: Json): boolean =>
  isObject(value) && !(typeof value.kind === "string" && typeof value.apiVersion === "string");
