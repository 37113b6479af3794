/**
 * The text editor for souls: Markdown with YAML front matter, and problems
 * shown under the line they are on.
 *
 * Loaded only when a soul is opened. Its colours are the theme's tokens.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { yamlFrontmatter } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  WidgetType,
  drawSelection,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A note is a warning: nothing keeps the text from being saved. */
export type Problem = { line: number; column: number; message: string; kind: 'problem' | 'note' };
export type Place = { line: number; column: number };

export type Editor = {
  setText: (text: string) => void;
  setProblems: (problems: readonly Problem[]) => void;
  setLabel: (label: string) => void;
  goTo: (place: Place) => void;
  focus: () => void;
  destroy: () => void;
};

type Listeners = { onchange: (text: string) => void; oncursor: (place: Place) => void; onsave: () => void };

/** Puts an editor into an element. */
export function openEditor(parent: HTMLElement, text: string, label: string, on: Listeners): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        yamlFrontmatter({ content: markdown() }),
        syntaxHighlighting(colours),
        looks,
        shownProblems,
        labelOf.init(() => label),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (on.onsave(), true) },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) on.onchange(update.state.doc.toString());
          if (update.docChanged || update.selectionSet) on.oncursor(placeOf(update.state));
        }),
      ],
    }),
  });
  on.oncursor(placeOf(view.state));

  return {
    setText(to) {
      if (to === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: to } });
    },
    setProblems: (problems) => view.dispatch({ effects: tellProblems.of(problems) }),
    setLabel: (to) => view.dispatch({ effects: tellLabel.of(to) }),
    goTo(place) {
      const at = offsetOf(view.state.doc, place);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function placeOf(state: EditorState): Place {
  const head = state.selection.main.head;
  const line = state.doc.lineAt(head);
  return { line: line.number, column: head - line.from + 1 };
}

function offsetOf(doc: Text, place: Place): number {
  const line = doc.line(Math.min(Math.max(1, place.line), doc.lines));
  return Math.min(line.from + Math.max(0, place.column - 1), line.to);
}

const tellLabel = StateEffect.define<string>();
const labelOf = StateField.define<string>({
  create: () => '',
  update: (label, change) => change.effects.reduce((at, effect) => (effect.is(tellLabel) ? effect.value : at), label),
  provide: (field) =>
    EditorView.contentAttributes.from(field, (label) => ({
      'aria-label': label,
      'aria-multiline': 'true',
      tabindex: '0',
    })),
});

const tellProblems = StateEffect.define<readonly Problem[]>();

/** Problems keep to their lines while text is typed above them, until the next check. */
const shownProblems = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, change) {
    let next = shown.map(change.changes);
    for (const effect of change.effects) if (effect.is(tellProblems)) next = drawn(change.state.doc, effect.value);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function drawn(doc: Text, problems: readonly Problem[]): DecorationSet {
  const ranges = problems.flatMap((problem) => {
    const from = offsetOf(doc, problem);
    const line = doc.lineAt(from);
    const word = /^[^\s,\]]+/.exec(line.text.slice(from - line.from))?.[0].length ?? 0;
    const widget = new ProblemNote(problem.message, problem.kind);
    const note = Decoration.widget({ widget, block: true, side: 1 }).range(line.to);
    const mark = Decoration.mark({ class: problem.kind === 'note' ? 'squig note-squig' : 'squig' });
    return word > 0 ? [mark.range(from, from + word), note] : [note];
  });
  return Decoration.set(ranges, true);
}

class ProblemNote extends WidgetType {
  readonly message: string;
  readonly kind: Problem['kind'];

  constructor(message: string, kind: Problem['kind']) {
    super();
    this.message = message;
    this.kind = kind;
  }
  override eq(other: ProblemNote): boolean {
    return other.message === this.message && other.kind === this.kind;
  }
  toDOM(): HTMLElement {
    // The editor measures the outer box, so the space around the note is its padding.
    const place = document.createElement('div');
    place.className = this.kind === 'note' ? 'cm-problem cm-note' : 'cm-problem';
    const note = place.appendChild(document.createElement('div'));
    note.dataset['testid'] = this.kind === 'note' ? 'soul-note' : 'soul-problem';
    note.textContent = this.message;
    return place;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction, tags.separator], color: 'var(--text-3)' },
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, color: 'var(--text-2)' },
]);

const looks = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--text-sm)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', scrollbarWidth: 'thin' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--accent)' },
  '.cm-content:focus-visible': { boxShadow: 'none' },
  '.cm-line': { padding: '0 16px 0 0' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: '0', minWidth: '40px' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '40px', padding: '0 14px 0 0', textAlign: 'right' },
  '.cm-activeLine': { backgroundColor: 'var(--surface-sunken)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-problem': { padding: '2px 16px 4px 0' },
  '.cm-problem > div': {
    padding: '4px 10px',
    borderLeft: '2px solid var(--danger)',
    backgroundColor: 'var(--danger-soft)',
    font: 'var(--text-sm)/1.5 var(--font-ui)',
    whiteSpace: 'normal',
  },
  '.cm-note > div': { borderLeftColor: 'var(--warn-line)', backgroundColor: 'var(--warn-soft)' },
});
