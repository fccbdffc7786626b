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
import type { ProblemView } from "../worker/questions/playground.js";
import type { Completion } from "./editing/completions.js";
import { look } from "./editor-look.js";
import { yamlColours } from "./yaml-colours.js";

/** An editor of YAML that knows our APIs. It asks the engine's thread what may stand where, and what words mean. */
export class YamlEditor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, text: string, label: string, onChange: (text: string) => void) {
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
        autocompletion({ override: [offers], icons: false }),
        hoverTooltip(meaning),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        // Editable is focusable, and the number tells so to whoever looks for a place to scroll a long text from.
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
  mark(problems: readonly ProblemView[]): void {
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

async function offers({ state, pos, explicit }: CompletionContext) {
  const text = state.doc.toString();
  // Behind what is finished, nobody waits for more.
  if (!explicit && /[\w}\]"'] $/.test(text.slice(Math.max(0, pos - 2), pos))) return null;
  const found = await ask("playground-completions", { text, offset: pos }).catch(() => undefined);
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

async function meaning(view: EditorView, offset: number) {
  const found = await ask("playground-hover", { text: view.state.doc.toString(), offset }).catch(
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
