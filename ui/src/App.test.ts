import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fake, type Fake } from './api/fake';
import { agentNamed, close, composer, find, groupNamed, has, open, openOver, pass, press, write } from './window.kit';

afterEach(close);

const said = (backend: Fake) =>
  backend.world.messages.flatMap((message) =>
    message.author.kind === 'user' && message.body.kind === 'text' ? [message.body.text] : [],
  );
const members = (backend: Fake, name: string) => {
  const group = [...backend.world.groups.values()].find((one) => one.name === name && one.kind === 'group');
  return backend.world
    .membersOf(group?.id ?? '')
    .flatMap((member) => (member.who.kind === 'agent' ? [backend.world.agents.get(member.who.id)?.name] : []));
};

describe('the first start', () => {
  it('asks nothing, says what answers, and puts words into the composer only when told', async () => {
    await open();
    expect(find('welcome').textContent).toContain('Say something. They are here.');
    expect(find('starter-note').textContent).toContain('English only');
    expect(has('offer')).toBe(false);
    expect(composer().value).toBe('');
    find('suggestion').click();
    await pass(0);
    expect(composer().value).not.toBe('');
  });

  it('offers a model server that was found, and uses it when told', async () => {
    const backend = await open({ offers: ['ollama'] });
    find('use-offer').click();
    await pass(50);
    expect(backend.world.settings.models.default).toBe('ollama/qwen3:8b');
    expect(find('status').textContent).toContain('qwen3:8b');
    expect(has('starter-note')).toBe(false);
  });
});

describe('the composer', () => {
  it('sends with Enter and is empty afterwards', async () => {
    const backend = await open();
    write('hello');
    press(composer(), 'Enter');
    await pass(50);
    expect(said(backend)).toEqual(['hello']);
    expect(composer().value).toBe('');
  });

  it('does not send while an input method composes, nor with Shift', async () => {
    const backend = await open();
    write('ni hao');
    press(composer(), 'Enter', { isComposing: true });
    press(composer(), 'Enter', { keyCode: 229 });
    press(composer(), 'Enter', { shiftKey: true });
    await pass(50);
    expect(said(backend)).toEqual([]);
    expect(composer().value).toBe('ni hao');
  });

  it('says what is too long and keeps it', async () => {
    const backend = await open();
    write('x'.repeat(32_001));
    press(composer(), 'Enter');
    await pass(50);
    expect(find('too-long').textContent).toContain('32,001');
    expect(said(backend)).toEqual([]);
  });

  it('finishes a mention by keys', async () => {
    await open();
    composer().focus();
    write('@');
    composer().setSelectionRange(1, 1);
    composer().dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    press(composer(), 'ArrowDown');
    press(composer(), 'Enter');
    await pass(0);
    expect(composer().value).toBe('@Otto ');
    write('@al');
    composer().setSelectionRange(3, 3);
    composer().dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    press(composer(), 'Enter');
    await pass(0);
    expect(composer().value, 'who calls everybody').toBe('@all ');
  });

  it('says how many agents will be woken, when they are several', async () => {
    await open();
    write('@Ada and @Bo');
    await pass(400);
    expect(find('wakes').textContent).toBe('Wakes 2 agents, about 2,400 tokens');
    write('@Ada');
    await pass(400);
    expect(find('wakes').textContent).toBe('');
  });

  it('says who of those that are mentioned is muted, in either language', async () => {
    const backend = await open();
    const group = groupNamed(backend, 'First group');
    const mute = async (name: string) => {
      const agent = [...backend.world.agents.values()].find((one) => one.name === name)?.id ?? '';
      backend.answers.command({ kind: 'edit_member', group, agent, patch: { muted: true } });
      await pass(50);
    };
    await mute('Bo');
    write('@Ada, and `@Bo`?');
    await pass(0);
    expect(has('named-muted')).toBe(false);
    write('@Ada and @bo');
    await pass(0);
    expect(find('named-muted').textContent).toBe('Bo is muted and will not answer');
    await mute('Ada');
    expect(find('named-muted').textContent).toBe('Ada and Bo are muted and will not answer');
    const appearance = { ...backend.world.settings.appearance, language: 'zh' as const };
    backend.answers.command({ kind: 'change_settings', patch: { appearance } });
    await pass(50);
    expect(find('named-muted').textContent).toBe('Ada 和 Bo 已静音，不会回答');
  });

  it('lets messages wait while an answer is written; each can be edited or taken away', async () => {
    const backend = await open();
    for (const text of ['one', 'two', 'three']) {
      write(text);
      press(composer(), 'Enter');
      await pass(100);
    }
    expect(said(backend)).toEqual(['one']);
    expect(
      [...document.querySelectorAll('[data-testid=queued]')].map((card) => card.querySelector('.trunc')?.textContent),
    ).toEqual(['two', 'three']);
    find('queued-edit').click();
    flushSync();
    expect(composer().value).toBe('two');
    find('queued-remove').click();
    flushSync();
    expect(has('queue')).toBe(false);
  });
});

describe('a workspace whose owner hangs', () => {
  it('shows a message that is long on its way, until it is stored', async () => {
    const backend = await open();
    const real = backend.ask.bind(backend);
    let wakeUp: () => void = () => undefined;
    const asleep = new Promise<void>((go) => (wakeUp = go));
    backend.ask = async (call, id) => {
      if ('command' in call && call.command.kind === 'post') await asleep;
      return real(call, id);
    };
    write('hello');
    press(composer(), 'Enter');
    await pass(900);
    expect(has('sending')).toBe(false);
    await pass(200);
    expect(find('sending').textContent).toContain('sending…');
    expect(find('sending').textContent).toContain('hello');
    wakeUp();
    await pass(100);
    expect(has('sending')).toBe(false);
    expect(said(backend)).toEqual(['hello']);
  });

  it('takes the note of a failure away when the message is stored after all', async () => {
    const backend = await open();
    const real = backend.ask.bind(backend);
    const owed: (() => Promise<unknown>)[] = [];
    backend.ask = (call, id) => {
      if (!('command' in call) || call.command.kind !== 'post') return real(call, id);
      owed.push(() => real(call, id));
      return Promise.reject({ code: 'timed_out', message: 'no answer within 60 s', fix: 'try again' });
    };
    write('hello');
    press(composer(), 'Enter');
    await pass(50);
    expect(find('toast').textContent).toContain('No answer within 60 s');
    expect(composer().value).toBe('hello');
    await owed[0]?.();
    await pass(100);
    expect(has('toast')).toBe(false);
    expect(composer().value).toBe('');
  });

  it('says after a while why nothing is to be seen', async () => {
    vi.useFakeTimers();
    const backend = fake();
    backend.ask = () => new Promise(() => undefined);
    await openOver(backend);
    await pass(2900);
    expect(has('slow')).toBe(false);
    await pass(200);
    expect(find('slow').textContent).toContain('does not answer yet');
  });
});

describe('a disk that is full', () => {
  it('is said in the conversation and on the status line until there is room', async () => {
    const backend = await open();
    const why = { code: 'storage', message: 'the disk is full', fix: 'free some space' } as const;
    backend.world.tell({ event: 'held_up', why });
    await pass(100);
    expect(find('held-up').textContent).toContain('The disk is full');
    expect(find('held-up').textContent).toContain('Free some space.');
    expect(find('held-up').textContent).toContain('go on by themselves');
    expect(find('status').textContent).toContain('the agents wait');
    backend.world.tell({ event: 'held_up', why: null });
    await pass(100);
    expect(has('held-up')).toBe(false);
    expect(find('status').textContent).not.toContain('the agents wait');
  });
});

describe('carrying an agent by keys', () => {
  it('puts it into a group, says so, and undoes it', async () => {
    const backend = await open();
    press(find('roster-agent', 'Ines'), ' ');
    expect(find('carry-voice').textContent).toBe(
      'Ines is picked up. Arrows choose where, Space drops, Escape puts back. Ines starts a group with Ada.',
    );
    press(document.body, 'ArrowUp');
    expect(find('carry-voice').textContent).toBe('Ines joins First group, sees the last 20 messages');
    press(document.body, ' ');
    await pass(50);
    expect(members(backend, 'First group')).toEqual(['Ada', 'Otto', 'Bo', 'Ines']);
    expect(find('toast').textContent).toContain('Ines joined First group');
    find('toast-undo').click();
    await pass(50);
    expect(members(backend, 'First group')).toEqual(['Ada', 'Otto', 'Bo']);
  });

  it('takes a member out of its group from the panel, and Ctrl+Z brings it back', async () => {
    const backend = await open();
    press(find('member', 'Bo'), ' ');
    expect(find('carry-voice').textContent).toContain('Bo leaves First group');
    press(document.body, 'Enter');
    await pass(50);
    expect(members(backend, 'First group')).toEqual(['Ada', 'Otto']);
    press(document.body, 'z', { ctrlKey: true });
    await pass(50);
    expect(members(backend, 'First group')).toEqual(['Ada', 'Otto', 'Bo']);
  });

  it('does nothing after Escape', async () => {
    const backend = await open();
    press(find('roster-agent', 'Ines'), ' ');
    press(document.body, 'Escape');
    press(document.body, 'Enter');
    await pass(50);
    expect(members(backend, 'First group')).toEqual(['Ada', 'Otto', 'Bo']);
    expect(find('carry-voice').textContent).toBe('');
  });
});

describe('a conversation', () => {
  it('says where the soul file of a member is wrong, leads there, and is quiet once it is mended', async () => {
    const backend = await open();
    expect(has('soul-trouble')).toBe(false);
    const text = backend.world.files.get('bo') ?? '';
    backend.answers.writeSoul('bo', text.replace('temperature: 0.7', 'temperature: 9'), 'file');
    await pass(100);
    expect(find('soul-trouble').textContent).toContain('Bo’s soul file has an error at line 8, column 14');
    expect(find('soul-trouble').textContent).toContain('Version 1, the last good one, stays in force.');
    backend.answers.writeSoul('bo', text, 'file');
    await pass(100);
    expect(has('soul-trouble')).toBe(false);
  });

  it('shows what was decided about each message under it', async () => {
    await open();
    write('@Bo hello');
    press(composer(), 'Enter');
    await pass(30_000);
    expect(find('quiet-line').textContent).toContain('Ada and Otto stayed silent: not mentioned');
    find('quiet-line').querySelector('button')?.click();
    flushSync();
    const text = (one: Element) =>
      one.textContent
        ?.replace(/\d\d:\d\d|\s+/g, ' ')
        .replace(/ +/g, ' ')
        .trim();
    expect([...document.querySelectorAll('[data-testid=decisions]')].map(text)).toEqual([
      'About your message Ada and Otto stay silent: not mentioned Bo speaks: mentioned',
      'About Bo’s reply Ada and Otto stay silent: nobody was addressed',
    ]);
  });

  it('leads out of the window by its links, and keeps their address in reach', async () => {
    const backend = await open();
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    const copying = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const url = 'https://example.org/guide';
    const group = [...backend.world.groups.values()].find((one) => one.kind === 'group')?.id ?? '';
    backend.answers.command({ kind: 'post', group, text: `see ${url}`, reply_to: null });
    await pass(100);
    const link = find('body').querySelector('a');
    expect(link?.title).toBe(url);
    link?.dispatchEvent(new MouseEvent('auxclick', { button: 2, bubbles: true, cancelable: true }));
    expect(opening).not.toHaveBeenCalled();
    link?.click();
    flushSync();
    expect(opening.mock.calls).toEqual([[url, '_blank', 'noopener,noreferrer']]);
    expect(copying).not.toHaveBeenCalled();
    find('toast-undo').click();
    await pass(0);
    expect(copying.mock.calls).toEqual([[url]]);
    vi.restoreAllMocks();
  });
});

describe('a group that is archived', () => {
  it('stands folded under the others, can be read, and comes back by its button', async () => {
    const backend = await open();
    const group = groupNamed(backend, 'First group');
    backend.answers.command({ kind: 'edit_group', group, patch: { archived: true } });
    await pass(50);
    expect([has('archived-note'), has('welcome')]).toEqual([true, false]);
    expect(has('composer')).toBe(false);
    const fold = [...document.querySelectorAll('button')].find((one) => one.textContent?.includes('Archived (1)'));
    expect(fold?.getAttribute('aria-expanded')).toBe('false');
    fold?.click();
    await pass(0);
    expect(find('roster-group', 'First group').textContent).toContain('First group');
    find('restore').click();
    await pass(50);
    expect(backend.world.groups.get(group)?.archived).toBe(false);
    expect(has('composer')).toBe(true);
  });

  it('is reached where the window is narrow as well', async () => {
    const backend = await open();
    const group = groupNamed(backend, 'First group');
    window.innerWidth = 700;
    window.dispatchEvent(new Event('resize'));
    backend.answers.command({ kind: 'edit_group', group, patch: { archived: true } });
    await pass(50);
    const shown = () => document.querySelector('[data-testid=roster-group][data-name="First group"]') !== null;
    const fold = [...document.querySelectorAll('button')].find((one) => one.textContent?.includes('Archived (1)'));
    expect([fold?.title, fold?.getAttribute('aria-expanded'), shown()]).toEqual(['Archived (1)', 'false', false]);
    fold?.click();
    await pass(0);
    expect(shown()).toBe(true);
  });
});

describe('the window', () => {
  it('puts names and what is told of them together as the language does', async () => {
    const backend = await open();
    expect(find('roster-group', 'First group').textContent).toContain('Ada, Otto and Bo');
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
    });
    await pass(50);
    expect(find('roster-group', 'First group').textContent).toContain('Ada、Otto 和 Bo');
    window.innerWidth = 700;
    window.dispatchEvent(new Event('resize'));
    await pass(50);
    expect(find('roster-group', 'First group').getAttribute('aria-label')).toBe('First group，Ada、Otto 和 Bo');
    const agent = agentNamed(backend, 'Ada');
    backend.answers.command({ kind: 'pause_agent', agent });
    await pass(50);
    expect(find('roster-agent', 'Ada').querySelector('[role=img]')?.getAttribute('aria-label')).toBe('Ada，已暂停');
  });

  it('takes the focus into the panel that lies over a narrow one, and back to its button', async () => {
    await open();
    window.innerWidth = 1000;
    window.dispatchEvent(new Event('resize'));
    await pass(50);
    find('toggle-panel').click();
    await pass(50);
    expect(find('panel').contains(document.activeElement)).toBe(true);
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await pass(50);
    expect(has('panel')).toBe(false);
    expect(document.activeElement).toBe(find('toggle-panel'));
    window.innerWidth = 1280;
    window.dispatchEvent(new Event('resize'));
  });

  it('speaks Chinese when told, without being opened again', async () => {
    const backend = await open();
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { theme: 'dark', language: 'zh', high_contrast: true, zoom_percent: 100 } },
    });
    await pass(100);
    expect(find('welcome').textContent).toContain('说点什么，它们都在。');
    expect(find('roster-agent', 'Bo').textContent).toContain('专找薄弱的地方');
    expect(find('member', 'Bo').textContent).toContain('质疑者');
    expect({ ...document.documentElement.dataset }).toMatchObject({ theme: 'dark', contrast: 'more' });
    expect(document.documentElement.lang).toBe('zh-CN');
  });

  it('says in Chinese what a fault is about, and leaves its own words as they are', async () => {
    const backend = await open({ start: 'heat' });
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
    });
    await pass(100);
    expect(find('roster-agent', '林夏').textContent).toContain('密钥缺失，或被拒绝');
    expect(find('roster-agent', '林夏').textContent).not.toContain('refused');
  });

  it('says in place why the workspace cannot be opened', async () => {
    vi.useFakeTimers();
    const backend = fake({ pause: () => Promise.resolve() });
    backend.ask = () =>
      Promise.reject({ code: 'storage', message: 'coterie.db cannot be read', fix: 'restore a backup' });
    await openOver(backend);
    await pass(10);
    const words = () => find('cannot-open').innerText.replace(/\s+/g, ' ');
    expect(words()).toContain('coterie.db cannot be read. What helps Restore a backup. Try again');
    expect(words()).not.toContain('still the same');
    find('open-again').click();
    await pass(10);
    expect(words()).toContain('still the same');
  });
});
