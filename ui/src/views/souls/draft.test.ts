import { describe, expect, it } from 'vitest';
import type { Call, Fault, Reply, Soul, SoulProblem } from '../../api/generated';
import { Draft } from './draft.svelte';

const conflict: Fault = { code: 'conflict', message: 'the file changed', fix: '' };

/** A souls folder with one file, that answers as the owner does. */
class Folder {
  text = 'one\n';
  isGone = false;
  problems: SoulProblem[] = [];
  warnings: SoulProblem[] = [];
  saved: string[] = [];
  get hash(): string | null {
    return this.isGone ? null : `hash of ${this.text}`;
  }
  get soul(): Soul {
    return {
      name: 'ada',
      path: 'souls/ada.md',
      version: 1,
      hash: 'in force',
      file_hash: this.hash,
      problem: null,
      warnings: [],
      updated_ms: 0,
    };
  }
  ask = async (call: Call): Promise<Reply> => {
    if ('query' in call && call.query.kind === 'check_soul')
      return { kind: 'soul_checked', data: { errors: this.problems, warnings: this.warnings } };
    if ('query' in call && call.query.kind === 'soul')
      return { kind: 'soul_detail', data: { soul: this.soul, text: this.text, versions: [] } };
    if ('command' in call && call.command.kind === 'save_soul') {
      if (call.command.base_hash !== this.hash) throw conflict;
      this.text = call.command.text;
      this.isGone = false;
      this.saved.push(this.text);
      return { kind: 'soul', data: this.soul };
    }
    throw new Error('not asked for here');
  };
}

function open() {
  const folder = new Folder();
  return { folder, draft: new Draft('ada', folder.text, folder.hash, folder.ask) };
}

describe('a draft', () => {
  it('is dirty until saved', async () => {
    const { folder, draft } = open();
    expect(draft.dirty).toBe(false);
    draft.edit('two\n');
    expect(draft.dirty).toBe(true);
    await draft.save();
    expect(draft.dirty).toBe(false);
    expect(folder.saved).toEqual(['two\n']);
  });

  it('is not saved while it has a problem', async () => {
    const { folder, draft } = open();
    folder.problems = [{ line: 1, column: 1, message: 'no name' }];
    draft.edit('two\n');
    await draft.save();
    expect(draft.problems).toEqual(folder.problems);
    expect(folder.saved).toEqual([]);
  });

  it('is saved with a warning, and warns anew once the record does', async () => {
    const { folder, draft } = open();
    const missing = { line: 2, column: 9, message: 'there is no tool brows' };
    folder.warnings = [missing];
    draft.edit('two\n');
    await draft.save();
    expect([draft.warnings, folder.saved]).toEqual([[missing], ['two\n']]);
    folder.warnings = [];
    await draft.noticed({ ...folder.soul, warnings: [missing] });
    await draft.noticed(folder.soul);
    await draft.check();
    expect(draft.warnings).toEqual([]);
  });

  it('follows the file while it is clean', async () => {
    const { folder, draft } = open();
    folder.text = 'from another editor\n';
    await draft.noticed(folder.soul);
    expect(draft.text).toBe('from another editor\n');
    expect(draft.theirs).toBeNull();
  });

  it('keeps both versions when the file changed too', async () => {
    const { folder, draft } = open();
    draft.edit('mine\n');
    folder.text = 'theirs\n';
    await draft.noticed(folder.soul);
    expect([draft.text, draft.theirs?.text]).toEqual(['mine\n', 'theirs\n']);
    expect(draft.savable).toBe(false);
    await draft.keepMine();
    expect(folder.text).toBe('mine\n');
    expect([draft.dirty, draft.theirs]).toEqual([false, null]);
  });

  it('finds the conflict when saving, even before the record came', async () => {
    const { folder, draft } = open();
    draft.edit('mine\n');
    folder.text = 'theirs\n';
    await draft.save();
    expect(draft.theirs?.text).toBe('theirs\n');
    expect(folder.text).toBe('theirs\n');
    draft.takeTheirs();
    expect([draft.text, draft.dirty]).toEqual(['theirs\n', false]);
  });

  it('keeps the text of a file that is gone, and writes it again', async () => {
    const { folder, draft } = open();
    folder.isGone = true;
    await draft.noticed(folder.soul);
    expect([draft.gone, draft.text, draft.savable]).toEqual([true, 'one\n', true]);
    await draft.save();
    expect([draft.gone, draft.dirty, folder.saved]).toEqual([false, false, ['one\n']]);
  });

  it('is neither gone nor saved while its file is there and cannot be used', async () => {
    const { folder, draft } = open();
    folder.isGone = true;
    const problem = { line: 1, column: 1, message: 'this is a link or a folder' };
    await draft.noticed({ ...folder.soul, problem });
    draft.edit('two\n');
    expect([draft.unusable, draft.gone, draft.savable]).toEqual([true, false, false]);
    folder.isGone = false;
    await draft.noticed(folder.soul);
    expect([draft.unusable, draft.theirs?.text]).toEqual([false, 'one\n']);
  });

  it('sees no conflict in its own save', async () => {
    const { folder, draft } = open();
    draft.edit('two\n');
    await draft.save();
    draft.edit('three\n');
    await draft.noticed(folder.soul);
    expect(draft.theirs).toBeNull();
    expect(draft.text).toBe('three\n');
  });
});
