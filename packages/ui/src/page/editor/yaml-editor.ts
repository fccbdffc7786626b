import {
  autocompletion,
  type Completion as Offer,
  type CompletionContext,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { type Diagnostic as Mark, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { ask } from "../worker/ask.js";
import type { ProblemMark } from "../worker/questions/problem-marks.js";
import type { EditedKinds } from "./language/kinds.js";
import type { Completion } from "./language/completions.js";
import { look } from "./editor-look.js";
import { yamlColours } from "./yaml-colours.js";

export interface YamlEditorOptions {
  /** For screen readers. */
  readonly label: string;
  /** Which kinds completion offers. */
  readonly kinds: EditedKinds;
  readonly onChange: (text: string) => void;
}

/** An editor of YAML that knows our APIs. It asks the engine's thread what can be written where, and what words mean. */
export class YamlEditor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, text: string, { label, kinds, onChange }: YamlEditorOptions) {
    // Styles that scripts add to the page itself are forbidden; a shadow tree has style sheets of its own.
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root,
      parent: root,
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        yaml(),
        yamlColours,
        look,
        autocompletion({ override: [(context) => offers(context, kinds)], icons: false }),
        hoverTooltip((view, offset) => meaning(view, offset, kinds)),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        // Editable is focusable; the number says so to tools that check whether the keyboard can scroll a long text.
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    });
  }

  /** Another text, which can be undone. */
  replace(text: string): void {
    const { state } = this.view;
    if (state.doc.toString() === text) return;
    this.view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: 0 },
    });
  }

  /** Marks what is wrong. The text may be another by now: marks beyond its end are at its end. */
  mark(problems: readonly ProblemMark[]): void {
    const { length } = this.view.state.doc;
    const marks = problems.map(
      ({ from, to, severity, code, message, hint }): Mark => ({
        from: Math.min(from, length),
        to: Math.min(to, length),
        severity: severity === "note" ? "info" : severity,
        source: code,
        message: hint === undefined ? message : `${message}\n${hint}`,
      }),
    );
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Puts the cursor there, and shows it. */
  goTo(offset: number): void {
    const anchor = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}

async function offers({ state, pos, explicit }: CompletionContext, kinds: EditedKinds) {
  const text = state.doc.toString();
  // After a finished word no completion is expected.
  if (!explicit && /[\w}\]"'] $/.test(text.slice(Math.max(0, pos - 2), pos))) return null;
  const found = await ask("playground-completions", { text, offset: pos, kinds }).catch(() => undefined);
  if (found === undefined) return null;
  return { from: found.from, to: found.to, options: found.options.map(offer), validFor: /^[\w./-]*$/ };
}

function offer({ label, apply, detail, info, type, isRequired }: Completion): Offer {
  return {
    label,
    type,
    ...(apply === undefined ? {} : { apply }),
    ...(detail === undefined ? {} : { detail }),
    ...(info === undefined ? {} : { info }),
    ...(isRequired ? { boost: 10 } : {}),
  };
}

async function meaning(view: EditorView, offset: number, kinds: EditedKinds) {
  const found = await ask("playground-hover", { text: view.state.doc.toString(), offset, kinds }).catch(
    () => undefined,
  );
  if (found === undefined) return null;
  const { from, to, title, text } = found;
  return {
    pos: from,
    end: to,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-meaning";
      const [heading, body] = [document.createElement("strong"), document.createElement("p")];
      heading.textContent = title;
      body.textContent = text;
      dom.append(heading, body);
      return { dom };
    },
  };
}
