import { EditorView } from "@codemirror/view";

/* The editor in the colours of the page: its variables reach into the shadow tree, and change with the theme. */

const raised = {
  border: "1px solid var(--line)",
  borderRadius: "var(--round)",
  backgroundColor: "var(--raised)",
  color: "var(--ink)",
  boxShadow: "var(--shadow)",
};

export const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { border: "none", backgroundColor: "var(--surface)", color: "var(--muted)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.75rem", padding: "0 0.75rem 0 0.5rem" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-wash)",
    outline: "1px solid var(--accent)",
  },
  ".cm-tooltip": { ...raised, maxWidth: "30rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "15rem" },
  ".cm-tooltip-autocomplete > ul > li": { display: "flex", gap: "1rem", padding: "0.15rem 0.5rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-wash)",
    color: "var(--ink)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": {
    flex: "1",
    marginLeft: "0",
    color: "var(--muted)",
    fontFamily: "var(--sans)",
    fontStyle: "normal",
    textAlign: "right",
  },
  ".cm-tooltip.cm-completionInfo": {
    ...raised,
    padding: "0.5rem 0.75rem",
    fontFamily: "var(--sans)",
    width: "18rem",
  },
  ".cm-meaning": { padding: "0.5rem 0.75rem", fontFamily: "var(--sans)" },
  ".cm-meaning strong": { fontFamily: "var(--mono)" },
  ".cm-meaning p": { margin: "0.25rem 0 0" },
  ".cm-diagnostic": { padding: "0.375rem 0.75rem", whiteSpace: "pre-wrap", fontFamily: "var(--sans)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--ink)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--strong-line)" },
  ".cm-diagnostic-info": { borderLeft: "4px solid var(--line)" },
  ".cm-diagnosticSource": { color: "var(--muted)", opacity: "1" },
  ".cm-lintRange": {
    backgroundImage: "none",
    textDecoration: "underline wavy 1.5px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-error": { textDecorationColor: "var(--ink)", backgroundColor: "var(--hover)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--strong-line)" },
  ".cm-lintRange-info": { textDecorationColor: "var(--line)" },
  ".yaml-key": { color: "var(--yaml-key)" },
  ".yaml-value": { color: "var(--yaml-value)" },
  ".yaml-comment": { color: "var(--yaml-comment)", fontStyle: "italic" },
  ".yaml-punctuation": { color: "var(--muted)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
});
