import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fake, type Fake } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, openOver, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(600);
};
const type = async (id: string, words: string) => {
  writeIn(find(id) as HTMLInputElement, words);
  await pass(50);
};

async function openData(reopens: boolean): Promise<{ backend: Fake; reopened: () => number }> {
  vi.useFakeTimers();
  localStorage.clear();
  const backend = fake({ pause: (ms) => (ms === 0 ? Promise.resolve() : new Promise((go) => setTimeout(go, ms))) });
  let times = 0;
  backend.chooseModelFile = () => Promise.resolve(null);
  backend.chooseBackup = () => Promise.resolve('/lin/all.coterie');
  backend.choosePlace = (name) => Promise.resolve(`/lin/${name}`);
  backend.reopen = () => {
    times += 1;
    return Promise.resolve(reopens);
  };
  await openOver(backend);
  await pass(50);
  await click('rail-settings');
  await click('settings-data');
  return { backend, reopened: () => times };
}

describe('backups', () => {
  it('are written to a new file, with what is in it', async () => {
    const { backend } = await openData(true);
    expect(find('backup-do')).toHaveProperty('disabled', true);
    await click('backup-choose');
    await click('backup-do');
    const [path] = backend.answers.backups.files.keys();
    expect(path).toMatch(/^\/lin\/\d{4}-\d\d-\d\d\.coterie$/);
    expect(text('backup-report')).toContain('12 files written, 3.4 MB');
    expect(text('backup-report')).toContain('1 left out');
    expect(text('backup-report')).toContain(path ?? '?');
    await click('backup-choose');
    await click('backup-do');
    expect(document.body.textContent).toContain('is there already');
  });

  it('are looked through first, and put in place when the person says so', async () => {
    const { backend, reopened } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    await click('restore-choose');
    await click('restore-look');
    expect(text('restore-found')).toContain('is whole: 3.4 MB');
    expect(text('restore-found')).toContain('/lin/coterie/replaced/');
    expect([backend.answers.backups.waits, reopened()]).toEqual([null, 0]);
    vi.useRealTimers();
    const section = find('restore-found').closest('section') ?? document.body;
    const bad = await axe.run(section, { rules: { 'color-contrast': { enabled: false } } });
    expect(bad.violations.map((one) => one.id)).toEqual([]);
    vi.useFakeTimers();
    await click('restore-do');
    expect([has('restore-found'), has('restore-later'), reopened()]).toEqual([false, false, 1]);
    expect(backend.answers.backups.waits).toBe('/lin/all.coterie');
  }, 30_000);

  it('come later where another process has the workspace open, or not at all', async () => {
    const { backend, reopened } = await openData(false);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    await type('restore-path', '/lin/all.coterie');
    await click('restore-look');
    await click('restore-do');
    expect(text('restore-later')).toContain('Another process has the workspace open');
    await click('restore-look');
    await click('restore-leave');
    expect([backend.answers.backups.waits, has('restore-found'), reopened()]).toEqual([null, false, 1]);
  });

  it('are not put in place where the person goes to another page without saying so', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    await type('restore-path', '/lin/all.coterie');
    await click('restore-look');
    await click('settings-you');
    expect(backend.answers.backups.waits).toBe(null);
  });

  it('are refused when they are damaged, and nothing waits', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/half.coterie', 'damaged');
    await type('restore-path', '/lin/half.coterie');
    await click('restore-look');
    expect(document.body.textContent).toContain('is damaged: its end is missing');
    expect([has('restore-found'), backend.answers.backups.waits]).toEqual([false, null]);
  });

  it('say how far they are', async () => {
    const { backend } = await openData(true);
    const tell = (done_bytes: number) =>
      backend.world.tell({
        event: 'backup_progress',
        progress: { work: 'backing_up', done_bytes, of_bytes: 8_000_000 },
      });
    tell(2_000_000);
    await pass(50);
    expect(text('backup-progress')).toBe('Backing up, 2 MB of 8 MB');
    tell(8_000_000);
    await pass(50);
    expect(has('backup-progress')).toBe(false);
  });
});

describe('after a backup was put in place', () => {
  const put = async (backend: Fake) => {
    await backend.ask({ command: { kind: 'pause_all' } });
    const restored = {
      made_ms: Date.UTC(2026, 4, 12, 12),
      at_ms: Date.UTC(2026, 4, 13),
      agents: 6,
      messages: 1,
      replaced: '/lin/coterie/replaced/2026-05-13',
    };
    backend.world.save({ table: 'settings', row: { ...backend.world.settings, restored } });
    await pass(50);
  };

  it('every page says what is here and that everybody is paused, until they go on', async () => {
    const { backend } = await openData(true);
    expect(has('restored-banner')).toBe(false);
    await put(backend);
    expect(text('restored-banner')).toMatch(
      /^The backup of .*12 May 2026.* is in place\. 6 agents and 1 message are here\./,
    );
    expect(text('restored-banner')).toContain('Everybody is paused, so that nothing is done twice.');
    expect(text('restored-banner')).toContain('kept in /lin/coterie/replaced/2026-05-13.');
    await click('rail-souls');
    vi.useRealTimers();
    const bad = await axe.run(find('restored-banner'), { rules: { 'color-contrast': { enabled: false } } });
    expect(bad.violations.map((one) => one.id)).toEqual([]);
    vi.useFakeTimers();
    await click('restored-resume');
    expect([has('restored-banner'), backend.world.settings.all_paused]).toEqual([false, false]);
  }, 30_000);

  it('the note can be hidden, and everybody stays paused', async () => {
    const { backend } = await openData(true);
    await put(backend);
    await click('restored-hide');
    expect([has('restored-banner'), backend.world.settings.all_paused]).toEqual([false, true]);
  });
});

describe('another workspace', () => {
  it('is shown as it would come in, and comes in when the person says so', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    expect(find('take-in-look')).toHaveProperty('disabled', true);
    await click('take-in-choose');
    await click('take-in-vouch');
    await click('take-in-look');
    expect(text('take-in-preview')).toContain('is whole. This would come in:');
    const cells = [...find('taken-message').querySelectorAll('td')].map((cell) => cell.textContent);
    expect(cells).toEqual(['Messages', '40', '0', '0']);
    expect(text('take-in-preview')).toContain('Agents: Ada is called Ada2 here');
    expect(text('take-in-preview')).toContain('skills/brewing');
    expect(backend.answers.backups.taken.size).toBe(0);
    vi.useRealTimers();
    const section = find('take-in-preview').closest('section') ?? document.body;
    const bad = await axe.run(section, { rules: { 'color-contrast': { enabled: false } } });
    expect(bad.violations.map((one) => one.id)).toEqual([]);
    vi.useFakeTimers();
    await click('take-in-do');
    expect(backend.answers.backups.taken.get('/lin/all.coterie')).toBe(true);
    expect(text('take-in-report')).toContain('was taken in');
    expect(text('take-in-report')).toContain('Its agents rest.');
    expect(has('take-in-preview')).toBe(false);
  }, 30_000);

  it('that is here already has nothing more to come', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    backend.answers.backups.taken.set('/lin/all.coterie', false);
    await type('take-in-path', '/lin/all.coterie');
    await click('take-in-look');
    expect(text('take-in-preview')).toContain('is here already');
    expect(has('take-in-do')).toBe(false);
  });

  it('that is here already can be vouched for, and says what waits and what is trusted from then on', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    backend.answers.backups.taken.set('/lin/all.coterie', false);
    await type('take-in-path', '/lin/all.coterie');
    await click('take-in-look');
    expect(text('taken-contested')).toContain('in Memory under Contradictions: 3.');
    expect([has('taken-vouched'), has('take-in-do')]).toEqual([false, false]);
    await click('take-in-vouch');
    await click('take-in-look');
    expect(text('taken-vouched')).toContain('from now on: 7.');
    expect(has('taken-contested')).toBe(false);
    await click('take-in-do');
    expect(backend.answers.backups.taken.get('/lin/all.coterie')).toBe(true);
    expect(text('take-in-report')).toContain('was taken in');
  });

  it('is refused where another file took its place since it was looked through', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    await type('take-in-path', '/lin/all.coterie');
    await click('take-in-look');
    backend.answers.backups.hashes.set('/lin/all.coterie', 'another');
    await click('take-in-do');
    expect(document.body.textContent).toContain('is not the backup any more that was looked through');
    expect(backend.answers.backups.taken.size).toBe(0);
    await click('take-in-look');
    await click('take-in-do');
    expect(backend.answers.backups.taken.size).toBe(1);
  });

  it('is looked through anew with another choice', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    await click('take-in-choose');
    await click('take-in-look');
    expect(has('take-in-do')).toBe(true);
    await click('take-in-vouch');
    expect([has('take-in-preview'), has('take-in-do')]).toEqual([false, false]);
    await click('take-in-look');
    expect(has('take-in-do')).toBe(true);
    // From the first letter on, not only once the field is left.
    await type('take-in-path', '/lin/al');
    expect([has('take-in-preview'), has('take-in-do')]).toEqual([false, false]);
  });

  it('is not shown under another path, where that is typed while it is looked through', async () => {
    const { backend } = await openData(true);
    backend.answers.backups.files.set('/lin/all.coterie', 'whole');
    const real = backend.ask.bind(backend);
    let go: () => void = () => undefined;
    const later = new Promise<void>((done) => (go = done));
    backend.ask = async (call, id) => {
      if ('command' in call && call.command.kind === 'take_in') await later;
      return real(call, id);
    };
    await click('take-in-choose');
    await click('take-in-look');
    await type('take-in-path', '/lin/other.coterie');
    go();
    await pass(600);
    expect([has('take-in-preview'), has('take-in-do')]).toEqual([false, false]);
  });

  it('that is damaged is refused with what is wrong', async () => {
    const { backend } = await openData(true);
    await type('take-in-path', '/lin/half.coterie');
    await click('take-in-look');
    expect(document.body.textContent).toContain('is damaged: its end is missing');
    expect([has('take-in-preview'), backend.answers.backups.taken.size]).toEqual([false, 0]);
  });
});
