/**
 * What is offered while something is typed: agents behind an `@`, commands behind a slash
 * where there are any. The text keeps the focus; the keys go to the list as long as it is open.
 */
import { tick } from 'svelte';
import type { Agent } from '../api/generated';
import { sayShipped } from '../words';
import { called, commandIn } from './called';
import type { Command } from './command';
import { Composing } from './composing';
import { fitting, mentionAt, mentioned } from './mention';
import type { Offer } from './Offers.svelte';

/** What is being typed, and what it can mean. */
export type Typed = {
  text: () => string;
  put: (text: string) => void;
  /** Who can be mentioned. */
  agents: () => readonly Agent[];
  /** The word that names all of them at once, where one does. */
  everybody?: () => { word: string; about: string } | null;
  commands?: () => readonly Command[];
};

export class Offering {
  area = $state<HTMLTextAreaElement>();
  readonly composing = new Composing();
  #typed: Typed;
  #caret = $state(0);
  #picked = $state(0);
  /** What was closed with Escape stays closed. */
  #closed = $state(-1);
  readonly #mention = $derived.by(() => mentionAt(this.#typed.text(), this.#caret));
  readonly #command = $derived.by(() => (this.#typed.commands ? commandIn(this.#typed.text()) : null));
  readonly #doable = $derived.by(() =>
    this.#command === null ? [] : called(this.#command, this.#typed.commands?.() ?? []),
  );
  /** Where begins what could be meant by more than its letters. */
  readonly #from = $derived.by(() => (this.#doable.length > 0 ? 0 : (this.#mention?.from ?? -1)));

  readonly shown = $derived.by<readonly Offer[]>(() => {
    if (this.#from === this.#closed) return [];
    if (this.#doable.length > 0) return this.#doable.map(this.#asCommand);
    if (!this.#mention) return [];
    const agents = fitting(this.#mention.query, this.#typed.agents()).map(this.#asMention);
    return [...agents, ...this.#everybody(this.#mention.query)];
  });
  /** Where the keys have led. */
  readonly at = $derived.by(() => Math.min(this.#picked, Math.max(0, this.shown.length - 1)));

  /** Called while a component is made. */
  constructor(typed: Typed) {
    this.#typed = typed;
    $effect(() => {
      if (this.#from === -1) this.#closed = -1;
    });
    $effect(() => {
      void (this.#command ?? this.#mention?.query);
      this.#picked = 0;
    });
  }

  /** Something is to be done, and nothing to be said. */
  get isCommand(): boolean {
    return this.#doable.length > 0;
  }

  get caret(): number {
    return this.#caret;
  }

  /** What the field has to listen to. */
  readonly listens = {
    onkeyup: () => {
      this.composing.released();
      this.look();
    },
    oninput: () => this.look(),
    onclick: () => this.look(),
    onselect: () => this.look(),
    onblur: () => (this.#closed = this.#from),
    oncompositionstart: () => this.composing.started(),
    oncompositionend: (event: CompositionEvent) => this.composing.ended(event.timeStamp),
  };

  /** What the field says of the list with this id. */
  tells(id: string) {
    const chosen = this.shown[this.at];
    return {
      'aria-autocomplete': 'list',
      'aria-controls': chosen ? id : undefined,
      'aria-activedescendant': chosen ? `${id}-${chosen.id}` : undefined,
    } as const;
  }

  /** Looks where the caret is. */
  look(): void {
    this.#caret = this.area?.selectionStart ?? 0;
  }

  /** Whether the key was for the list. */
  key(event: KeyboardEvent): boolean {
    const { shown, at } = this;
    if (shown.length === 0 || this.composing.has(event)) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) this.#picked = (at + step + shown.length) % shown.length;
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) shown[at]?.take();
    else if (event.key === 'Escape') this.#closed = this.#from;
    else return false;
    event.preventDefault();
    return true;
  }

  /** Begins a mention where the caret is. */
  async begin(): Promise<void> {
    const text = this.#typed.text();
    const before = text.slice(0, this.#caret);
    const gap = before === '' || /\s$/.test(before) ? '' : ' ';
    await this.#put({ text: `${before}${gap}@${text.slice(this.#caret)}`, caret: before.length + gap.length + 1 });
    this.#closed = -1;
  }

  async #finish(name: string): Promise<void> {
    if (this.#mention) await this.#put(mentioned(this.#typed.text(), this.#mention, this.#caret, name));
  }

  async #put({ text, caret }: { text: string; caret: number }): Promise<void> {
    this.#typed.put(text);
    await tick();
    this.area?.focus();
    this.area?.setSelectionRange(caret, caret);
    this.look();
  }

  /** It is done, and leaves nothing of its name where it was typed. */
  #asCommand = (command: Command): Offer => ({
    id: command.id.replaceAll(' ', '-'),
    kind: 'command',
    label: command.label,
    about: command.keys ?? '',
    sign: command.icon,
    take: () => {
      this.#typed.put('');
      command.run();
    },
  });

  #everybody(query: string): Offer[] {
    const named = this.#typed.everybody?.();
    if (!named || fitting(query, [{ name: named.word }]).length === 0) return [];
    const { word, about } = named;
    return [
      { id: 'everybody', kind: 'mention', label: word, about, sign: 'users', take: () => void this.#finish(word) },
    ];
  }

  #asMention = ({ id, name, role, avatar }: Agent): Offer => ({
    id,
    kind: 'mention',
    label: name,
    about: sayShipped(role),
    sign: { seed: avatar },
    take: () => void this.#finish(name),
  });
}
