// The two editors: the kernel with its marks, and the small one for the arguments.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python, pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";
import { CUDA_NAMES } from "./names.mjs";

const colors = HighlightStyle.define([
  { tag: t.keyword, color: "var(--code-keyword)" },
  { tag: [t.number, t.bool, t.null], color: "var(--code-number)" },
  { tag: t.string, color: "var(--code-string)" },
  { tag: t.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [t.function(t.definition(t.variableName)), t.meta], color: "var(--code-name)" },
  { tag: t.operator, color: "var(--code-operator)" },
]);

// Lines that are marked: the one that is chosen, and the one the stepper stands at.
const markLine = StateEffect.define();
const looks = { chosen: Decoration.line({ class: "line-chosen" }), step: Decoration.line({ class: "line-step" }) };
const marked = StateField.define({
  create: () => ({}),
  update(value, change) {
    let next = value;
    if (change.docChanged) {
      next = Object.fromEntries(Object.entries(next).map(([kind, at]) => [kind, change.changes.mapPos(at)]));
    }
    for (const effect of change.effects) {
      if (effect.is(markLine)) next = { ...next, ...effect.value };
    }
    return next;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (value) => (view) => {
      const ends = Object.entries(value).filter(([, at]) => at !== null && at <= view.state.doc.length);
      return Decoration.set(
        ends.map(([kind, at]) => looks[kind].range(view.state.doc.lineAt(at).from)),
        true,
      );
    }),
});

export function markLines(view, lines) {
  const places = Object.entries(lines).map(([kind, line]) => [
    kind,
    line && line <= view.state.doc.lines ? view.state.doc.line(line).from : null,
  ]);
  view.dispatch({ effects: markLine.of(Object.fromEntries(places)) });
}

function completeCuda(context) {
  const word = context.matchBefore(/cuda\.[\w.]*/);
  return word && { from: word.from, options: CUDA_NAMES.map((name) => ({ label: name, type: "function" })) };
}

// Tab moves on while the focus only passes through; after a click or a letter it indents.
const passing = [
  EditorView.domEventHandlers({
    focus(event, view) {
      view.setTabFocusMode(!view.dom.matches(":active"));
    },
    mousedown(event, view) {
      view.setTabFocusMode(false);
    },
  }),
  EditorView.updateListener.of((update) => {
    if (update.docChanged && update.view.hasFocus) update.view.setTabFocusMode(false);
  }),
];

// After Escape, the next Tab leaves, whatever else Escape closes.
function leaveNext(view) {
  view.setTabFocusMode(2000);
  return false;
}

// An editor in `parent`. `onEdit` hears of changes by the reader, `onLine` of the cursor's line,
// `onRun` of Ctrl+Enter.
export function makeEditor(parent, { label, isSmall, extensions = [], onEdit, onLine, onRun }) {
  const keys = [
    { key: "Mod-Enter", run: () => onRun() ?? true, preventDefault: true },
    { key: "Escape", run: leaveNext },
    ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap,
    ...completionKeymap, ...lintKeymap, indentWithTab,
  ];
  const whole = [
    Prec.highest(keymap.of(keys.slice(0, 2))),
    keymap.of(keys.slice(2)),
    isSmall ? [] : [lineNumbers(), highlightActiveLine(), highlightSelectionMatches(), lintGutter()],
    history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
    indentUnit.of("    "), EditorState.tabSize.of(4),
    python(), syntaxHighlighting(colors), marked, passing,
    isSmall ? [] : [autocompletion(), pythonLanguage.data.of({ autocomplete: completeCuda })],
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some((one) => one.isUserEvent("set"))) onEdit();
      if (onLine && update.selectionSet && !update.docChanged) onLine(cursorLine(update.view));
    }),
    extensions,
  ];
  return new EditorView({ parent, state: EditorState.create({ extensions: whole }) });
}

export const cursorLine = (view) => view.state.doc.lineAt(view.state.selection.main.head).number;
export const textOf = (view) => view.state.doc.toString();

export function setText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "set" });
}

export function goTo(view, line) {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "nearest", yMargin: 40 }) });
}

// Underline faults and findings: { line, column, text, severity, message }; a text that is on the
// line is underlined alone, else the whole line.
export function underline(view, faults) {
  const found = faults
    .filter(({ line }) => line >= 1 && line <= view.state.doc.lines)
    .map(({ line, column, text, severity, message }) => {
      const { from, to, text: whole } = view.state.doc.line(line);
      const start = text ? whole.indexOf(text) : -1;
      if (start >= 0) return { from: from + start, to: from + start + text.length, severity, message };
      const first = from + Math.max(column || 0, whole.length - whole.trimStart().length);
      return { from: Math.min(first, to), to: Math.max(to, first), severity, message };
    })
    .map((one) => ({ ...one, from: Math.min(one.from, view.state.doc.length), to: Math.min(one.to, view.state.doc.length) }));
  view.dispatch(setDiagnostics(view.state, found));
}
