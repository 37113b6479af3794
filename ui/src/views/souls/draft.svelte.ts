/**
 * One soul being edited: the text, what it started from, and what is wrong.
 *
 * Never overwrites a file that changed underneath: then both versions stay and
 * the person chooses. Knows the door only as `ask`.
 */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Reply, Soul, SoulProblem } from '../../api/generated';
import { standingOf } from '../../state';
import type { Unsaved } from './unsaved';

export type Ask = (call: Call) => Promise<Reply>;
export type Version = {
  text: string;
  /** `null` while there is no file, or none that can be used. */ hash: string | null;
};

/** What is asked about a text is asked once nobody has typed for so long. */
export const askAfterMs = 250;

export class Draft {
  readonly soul: string;
  text = $state('');
  base = $state.raw<Version>({ text: '', hash: null });
  /** The file's text, when it changed while this one was edited too. */
  theirs = $state.raw<Version | null>(null);
  problems = $state.raw<readonly SoulProblem[]>([]);
  /** What is odd about the text and keeps nobody from saving it. */
  warnings = $state.raw<readonly SoulProblem[]>([]);
  saving = $state(false);
  /** Why the last act failed. */
  fault = $state.raw<Fault | null>(null);
  /** It was begun before this window was opened, and never saved. */
  isFromBefore = $state(false);
  /** The file is there, and cannot be saved to as it is. */
  unusable = $state(false);
  /** There is no file any more; saving writes it again. */
  gone = $derived(this.base.hash === null && !this.unusable);
  dirty = $derived(this.text !== this.base.text);
  savable = $derived(this.dirty && this.problems.length === 0 && !this.unusable && !this.theirs && !this.saving);

  #ask: Ask;
  #keep: (unsaved: Unsaved | null) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  /** What the record warned of last. */
  #warned = '[]';

  /** `keep` is told what is unsaved whenever that is something else. */
  constructor(
    soul: string,
    text: string,
    hash: string | null,
    ask: Ask,
    keep: (unsaved: Unsaved | null) => void = () => undefined,
  ) {
    this.soul = soul;
    this.#ask = ask;
    this.#keep = keep;
    this.#adopt({ text, hash });
  }

  /** Goes on with what was begun in an earlier window. */
  goOnWith({ text, base }: Unsaved): void {
    this.#adopt(base);
    this.edit(text);
    this.isFromBefore = this.dirty;
  }

  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.fault = null;
    this.#tell();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), askAfterMs);
  }

  /** Asks what is wrong with the text; an answer about an older text is dropped. */
  async check(): Promise<void> {
    clearTimeout(this.#timer);
    const asked = (this.#asked += 1);
    try {
      const reply = await this.#ask({ query: { kind: 'check_soul', soul: this.soul, text: this.text } });
      if (asked !== this.#asked || reply.kind !== 'soul_checked') return;
      this.problems = reply.data.errors;
      this.warnings = reply.data.warnings;
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    }
  }

  async save(): Promise<void> {
    await this.check();
    if (!this.savable) return;
    const text = this.text;
    this.saving = true;
    this.fault = null;
    try {
      const reply = await this.#ask({
        command: { kind: 'save_soul', soul: this.soul, text, base_hash: this.base.hash },
      });
      if (reply.kind === 'soul') {
        this.base = { text, hash: reply.data.file_hash };
        this.isFromBefore = false;
        this.#tell();
      }
    } catch (caught) {
      const fault = faultOf(caught);
      if (fault.code === 'conflict') await this.#readTheirs();
      else this.fault = fault;
    } finally {
      this.saving = false;
    }
  }

  revert(): void {
    this.#adopt(this.base);
    void this.check();
  }

  /** The file has news, or not: the record says which hash it has now. */
  async noticed(soul: Soul): Promise<void> {
    this.unusable = standingOf(soul) === 'unusable';
    this.#followWarnings(soul);
    if (this.saving || soul.file_hash === this.base.hash || (this.theirs && soul.file_hash === this.theirs.hash))
      return;
    await this.#readTheirs();
  }

  /** What it names may have come or gone without any edit. */
  #followWarnings({ warnings }: Soul): void {
    const warned = JSON.stringify(warnings);
    if (warned === this.#warned) return;
    this.#warned = warned;
    void this.check();
  }

  /** Saves over the file's version, which was shown. */
  async keepMine(): Promise<void> {
    if (!this.theirs) return;
    this.base = this.theirs;
    this.theirs = null;
    await this.save();
  }

  takeTheirs(): void {
    if (!this.theirs) return;
    this.#adopt(this.theirs);
    void this.check();
  }

  async #readTheirs(): Promise<void> {
    try {
      const reply = await this.#ask({ query: { kind: 'soul', soul: this.soul } });
      if (reply.kind !== 'soul_detail') return;
      const theirs = { text: reply.data.text, hash: reply.data.soul.file_hash };
      if (theirs.hash === this.base.hash) return;
      if (theirs.hash === null) {
        // Nothing to choose from: the text here can be written again.
        this.base = { text: '', hash: null };
        this.theirs = null;
        return;
      }
      if (!this.dirty || theirs.text === this.text) {
        this.#adopt(theirs);
        await this.check();
      } else {
        this.theirs = theirs;
      }
    } catch (caught) {
      this.fault = faultOf(caught);
    }
  }

  #adopt(version: Version): void {
    clearTimeout(this.#timer);
    this.base = version;
    this.text = version.text;
    this.theirs = null;
    this.fault = null;
    this.problems = this.warnings = [];
    this.isFromBefore = false;
    this.#tell();
  }

  #tell(): void {
    this.#keep(this.dirty ? { text: this.text, base: this.base } : null);
  }
}
