import { type Range, RangeSet } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tokensOf } from "../frame/yaml/yaml-tokens.js";

/** The lines in sight, coloured as YAML is everywhere on the page. */
export const yamlColours = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;

    constructor(view: EditorView) {
      this.marks = marksIn(view);
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.marks = marksIn(view);
    }
  },
  { decorations: ({ marks }) => marks },
);

const kinds = {
  key: Decoration.mark({ class: "yaml-key" }),
  value: Decoration.mark({ class: "yaml-value" }),
  comment: Decoration.mark({ class: "yaml-comment" }),
  punctuation: Decoration.mark({ class: "yaml-punctuation" }),
};

function marksIn({ state, visibleRanges }: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      let start = line.from;
      for (const { kind, text } of tokensOf(line.text)) {
        if (kind !== "plain") marks.push(kinds[kind].range(start, start + text.length));
        start += text.length;
      }
      at = line.to + 1;
    }
  return RangeSet.of(marks, true);
}
