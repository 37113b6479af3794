import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { Fault } from './api/generated';
import type { Fake } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/runs/RunsPage.svelte';
import './views/settings/SettingsPage.svelte';
import { agentNamed, close, composer, find, groupNamed, has, open, pass, press, say } from './window.kit';

afterEach(close);

const text = (one: Element | null | undefined) => one?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const full: Fault = {
  code: 'storage',
  message: 'the disk is full',
  fix: 'free some space',
  kind: { is: 'disk_full' },
};
const odd: Fault = { code: 'storage', message: 'the disk is on fire', fix: 'call somebody' };

/** The workspace refuses what people post, until told otherwise. */
function refusing(backend: Fake, why: Fault = full): () => void {
  const real = backend.ask.bind(backend);
  backend.ask = (call, id) =>
    'command' in call && call.command.kind === 'post' ? Promise.reject(why) : real(call, id);
  return () => (backend.ask = real);
}

async function inChinese(backend: Fake) {
  backend.answers.command({
    kind: 'change_settings',
    patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
  });
  await pass(100);
}

describe('a fault', () => {
  it('of a message is said once, and no longer when the message is accepted', async () => {
    const backend = await open();
    const accepts = refusing(backend);
    await say('hello');
    expect(text(find('toast').querySelector('.grow'))).toBe('The disk is full. Free some space.');
    expect(composer().value).toBe('hello');
    accepts();
    press(composer(), 'Enter');
    await pass(100);
    expect(has('toast')).toBe(false);
  });

  it('is said in Chinese where its kind is known', async () => {
    const backend = await open();
    await inChinese(backend);
    refusing(backend);
    await say('你好');
    expect(text(find('toast').querySelector('.grow'))).toBe('磁盘已满。腾出一些磁盘空间，已存下的都在。');
  });

  it('of no kind is said in Chinese by its code, with the English words set apart', async () => {
    const backend = await open();
    await inChinese(backend);
    refusing(backend, odd);
    await say('你好');
    const own = find('toast').querySelector('.own [lang=en]');
    expect(text(own)).toBe('The disk is on fire. Call somebody.');
    expect(text(find('toast').querySelector('.grow'))).toBe(
      '数据没能读出或写入。 原文The disk is on fire. Call somebody.',
    );
  });

  it('of an answer is said in Chinese in its row, in English where the window speaks it', async () => {
    const backend = await open();
    await say('please fail');
    await pass(30_000);
    expect(text(find('run-failed'))).toContain(
      'Ollama does not answer at http://127.0.0.1:11434. Nothing was posted. Start',
    );
    expect(find('run-failed').querySelector('.own')).toBeNull();
    await inChinese(backend);
    const row = find('run-failed');
    expect(text(row.querySelector('.own [lang=en]'))).toContain('Ollama does not answer at');
    row.querySelector('.own')?.remove();
    expect(text(row)).toContain('服务商没有给出可用的回答。这次没有回复。');
    expect(text(row)).not.toMatch(/does not answer|Start/);
  });

  it('that has another model answer stands there once, with the page that puts it right', async () => {
    const backend = await open();
    const { world } = backend;
    await say('hello');
    const group = world.messages.at(-1)?.group ?? '';
    const notice = {
      kind: 'stood_in' as const,
      agent: agentNamed(backend, 'Ada'),
      model: 'acme/deep',
      by: 'local/small',
      fault: { code: 'key' as const, message: 'provider/acme is not kept anywhere', fix: 'set it' },
    };
    const id = world.nextId();
    const body = { kind: 'notice' as const, notice };
    const seq = world.nextSeq();
    const author = { kind: 'system' as const };
    world.save({
      table: 'message',
      row: { seq, id, group, parent: null, author, body, chain_depth: 0, root: id, run: null, at_ms: world.now() },
    });
    await pass(100);
    expect(text(find('notice-stood-in'))).toBe('local/small answers for Ada, as acme/deep cannot be asked');
    expect(text(find('notice-stood-in').nextElementSibling)).toContain('provider/acme is not kept anywhere');
    find('put-right').click();
    await pass(100);
    expect(document.body.textContent).toContain('Where keys live');
  });
});

describe('what the person wants forgotten', () => {
  const told = async (backend: Awaited<ReturnType<typeof open>>, memories: string[]) => {
    const { world } = backend;
    await say('forget my name');
    const group = world.messages.at(-1)?.group ?? '';
    const notice = { kind: 'asked_to_forget' as const, found: memories.length, memories };
    const body = { kind: 'notice' as const, notice };
    const [id, seq, author] = [world.nextId(), world.nextSeq(), { kind: 'system' as const }];
    world.save({
      table: 'message',
      row: { seq, id, group, parent: null, author, body, chain_depth: 0, root: id, run: null, at_ms: world.now() },
    });
    await pass(100);
  };

  it('stays, and the message says so, until they forget it themselves', async () => {
    const backend = await open();
    await told(backend, ['one', 'other']);
    expect(text(find('notice-asked-to-forget'))).toContain('2 memories say that, and stay until you forget them');
    find('see-to-forget').click();
    await pass(500);
    expect(has('memory-add')).toBe(true);
  });

  it('is nothing where nothing says it', async () => {
    await told(await open(), []);
    expect(text(find('notice-asked-to-forget'))).toBe(
      'Nothing that is remembered of you says that; nothing was forgotten',
    );
  });
});

describe('a conversation that a budget has stopped', () => {
  it('says so in its row and in the list, until it goes on', async () => {
    const backend = await open();
    const { world } = backend;
    await say('hello');
    await pass(30_000);
    const group = world.groups.get(world.messages.at(-1)?.group ?? '');
    if (!group) throw new Error('it was said somewhere');
    const fault: Fault = {
      code: 'budget',
      message: 'the group has used 9 of 10',
      fix: 'raise it',
      kind: {
        is: 'over_budget',
        scope: { kind: 'group', id: group.id },
        name: group.name,
        unit: 'tokens',
        limit: 10_000,
        used: 9_000,
        needed: 2_000,
      },
    };
    const id = world.nextId();
    const notice = { kind: 'run_failed' as const, agent: agentNamed(backend, 'Ada'), fault };
    const body = { kind: 'notice' as const, notice };
    const [seq, author] = [world.nextSeq(), { kind: 'system' as const }];
    world.save({
      table: 'message',
      row: {
        seq,
        id,
        group: group.id,
        parent: null,
        author,
        body,
        chain_depth: 0,
        root: id,
        run: null,
        at_ms: world.now(),
      },
    });
    await pass(100);
    expect(text(find('run-failed'))).toContain('Nothing was posted.');
    world.save({ table: 'group', row: { ...group, problem: fault } });
    await pass(100);
    expect(text(find('run-failed'))).toContain(
      'It is answered when there is room, and the agents go on elsewhere. Raise the limit in Settings under Budgets, or wait',
    );
    const row = find(group.kind === 'direct' ? 'roster-agent' : 'roster-group', group.name);
    expect(text(row)).toContain('The group has used 9 of 10');
    world.save({ table: 'group', row: group });
    await pass(100);
    expect(text(row)).not.toContain('has used');
  });
});

describe('an agent that stands still', () => {
  it('is brought back from where the conversation says so', async () => {
    const backend = await open();
    const bo = agentNamed(backend, 'Bo');
    backend.answers.command({ kind: 'pause_agent', agent: bo });
    await say('@Bo hello');
    await pass(1000);
    expect(text(find('quiet-line'))).toContain('Bo will answer later: paused');
    expect(text(find('resume-agent'))).toBe('Resume Bo');
    find('resume-agent').click();
    await pass(100);
    expect(backend.world.agents.get(bo)?.state).not.toBe('paused');
    expect(has('resume-agent')).toBe(false);
  });

  it('is asked again where its answer was stopped, until something else is said', async () => {
    const backend = await open();
    await say('please write something long');
    await pass(2000);
    find('stop').click();
    await pass(500);
    expect(text(find('cut-short'))).toBe('Stopped before the end Ask Ada again');
    find('speak-again').click();
    await pass(200);
    expect([...backend.world.runs.values()].filter((run) => run.state === 'running')).toHaveLength(1);
    await pass(30_000);
    expect(has('speak-again')).toBe(false);
  });
});

describe('several answers that were stopped together', () => {
  it('are each asked for again', async () => {
    await open();
    await say('@Ada @Otto please write something long');
    await pass(2500);
    find('stop').click();
    await pass(500);
    const again = [...document.querySelectorAll('[data-testid=speak-again]')].map((one) => one.textContent);
    expect(again.sort()).toEqual(['Ask Ada again', 'Ask Otto again']);
  });
});

describe('a note with undo', () => {
  const note = () => (has('toast') ? text(find('toast').querySelector('.grow')) : '');

  async function paused(backend: Fake): Promise<string> {
    const bo = agentNamed(backend, 'Bo');
    find('roster-agent', 'Bo').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
    await pass(100);
    const pause = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) => text(one) === 'Pause');
    pause?.focus();
    pause?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    await pass(100);
    return bo;
  }

  it('goes when somebody else has taken it back', async () => {
    const backend = await open();
    const bo = await paused(backend);
    expect(note()).toBe('Bo is paused');
    // As another process does it.
    backend.answers.command({ kind: 'resume_agent', agent: bo });
    await pass(100);
    expect(has('toast')).toBe(false);
    press(document.body, 'z', { ctrlKey: true });
    await pass(100);
    expect(backend.world.agents.get(bo)?.state).toBe('idle');
  });

  it('stays while it holds, whatever else happens', async () => {
    const backend = await open();
    const bo = await paused(backend);
    backend.answers.command({ kind: 'pause_agent', agent: agentNamed(backend, 'Ada') });
    await pass(1000);
    expect(note()).toBe('Bo is paused');
    find('toast-undo').click();
    await pass(100);
    expect(backend.world.agents.get(bo)?.state).toBe('idle');
  });
});

describe('a menu', () => {
  it('is gone when what was chosen in it opens a dialog', async () => {
    await open();
    find('roster-agent', 'Bo').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
    await pass(100);
    const end = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) => text(one) === 'End…');
    end?.focus();
    end?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    flushSync();
    expect(has('terminate-dialog')).toBe(true);
    expect(document.querySelector('[role=menu]')).toBeNull();
  });
});

describe('what nobody knows the price of', () => {
  it('is not said to have cost nothing', async () => {
    const backend = await open();
    backend.answers.command({ kind: 'use_model', role: 'default', model: 'ollama/qwen3:8b' });
    await say('hello');
    await pass(300);
    // While the first call goes on, it is not known to have cost nothing.
    expect(text(find('budget-bar'))).toBe('Today cost unknown');
    await pass(30_000);
    expect(text(find('budget-bar'))).toMatch(/^Today [\d,]+ tokens, no price known$/);
    find('budget-bar').click();
    await pass(100);
    const day = document.querySelector('[data-testid=budget-row][data-scope=day] [data-testid=budget-says]');
    expect(text(day)).toMatch(/^no price known, at most \$5\.00/);
    expect(text(find('usage-cost'))).toBe('–');
    const price = {
      model: 'ollama/*',
      input_microusd: 0,
      cached_microusd: null,
      cache_write_microusd: null,
      as_of: null,
      by_provider: false,
      output_microusd: 0,
    };
    backend.answers.command({ kind: 'change_settings', patch: { price: { put: price } } });
    await pass(100);
    // What was used is asked for anew by who comes back to it.
    find('settings-data').click();
    await pass(100);
    find('budget-bar').click();
    await pass(100);
    expect(text(find('usage-cost'))).toBe('$0');
    expect(text(find('budget-bar'))).toBe('Today $0 / $5.00');
  });
});

describe('the page of runs', () => {
  it('marks a turn that was asked for once', async () => {
    const backend = await open();
    await say('hello');
    await pass(30_000);
    const run = [...backend.world.runs.values()].at(-1);
    if (!run) throw new Error('nothing ran');
    const cause = { ...run.cause, reason: { kind: 'asked_by_user' } as const };
    backend.world.save({ table: 'run', row: { ...run, id: backend.world.nextId(), group: 'gone', cause } });
    backend.world.save({
      table: 'run',
      row: { ...run, id: backend.world.nextId(), group: groupNamed(backend, 'First group'), cause },
    });
    find('rail-runs').click();
    await pass(500);
    const groups = [...document.querySelectorAll('[data-testid=run-row]')].map((row) => text(row.children[1]));
    expect(groups.filter((group) => group === 'once')).toHaveLength(1);
    expect(groups.filter((group) => group === 'First group').length).toBeGreaterThan(1);
  });
});
