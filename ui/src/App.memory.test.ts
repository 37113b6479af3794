import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fake } from './api/fake';
import type { NewMemory } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/runs/RunsPage.svelte';
import './views/settings/SettingsPage.svelte';
import { agentNamed, close, find, groupNamed, has, open, pass, press, say, writeIn } from './window.kit';

afterEach(close);

const squeezed = (element: Element) => element.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const text = (id: string) => squeezed(find(id));
const texts = (id: string) => [...document.querySelectorAll(`[data-testid=${id}]`)].map(squeezed);
const click = async (id: string) => {
  find(id).click();
  await pass(400);
};
const type = async (id: string, words: string) => {
  writeIn(find(id) as HTMLInputElement, words);
  await pass(600);
};
const cards = () => texts('memory-open');

function remember(backend: Fake, words: string, more: Partial<NewMemory> = {}, origin?: 'untrusted') {
  const plain = { kind: 'fact', scope: { kind: 'user' }, statement: null, tags: [], importance: null } as const;
  const given: NewMemory = {
    ...plain,
    valid_from_ms: null,
    valid_to_ms: null,
    text: words,
    ...more,
    tags: more.tags ?? [],
  };
  return backend.answers.memories.add(given, origin ? { trust: origin } : undefined);
}

async function openMemory(backend: Fake | Promise<Fake> = open()): Promise<Fake> {
  const there = await backend;
  await click('rail-memory');
  return there;
}
const standing = (backend: Fake, id: string) => backend.answers.memories.detail(id).memory;

describe('the memory page', () => {
  it('is empty at first, says how it fills, and takes the first memory', async () => {
    const backend = await openMemory();
    expect(text('page-memory')).toContain('Nothing is remembered yet');
    await click('memory-add');
    expect(text('memory-form-readers')).toBe('Every agent reads this. It is about you.');
    await click('memory-form-save');
    expect(text('memory-form')).toContain('Write a sentence.');
    await type('memory-form-text', 'Lin takes tea without sugar');
    await type('memory-form-tags', 'tea, kitchen，tea');
    await click('memory-form-save');
    expect(has('memory-form')).toBe(false);
    expect(cards()).toEqual(['Lin takes tea without sugar']);
    expect(text('memory-count')).toBe('1 memory');
    expect(text('memory-text')).toBe('Lin takes tea without sugar');
    expect(backend.answers.memories.page({}, null, 5).memories[0]).toMatchObject({
      kind: 'fact',
      scope: { kind: 'user' },
      tags: ['tea', 'kitchen'],
      importance: 80,
      statement: null,
    });
  });

  it('takes a statement whole or not at all', async () => {
    const backend = await openMemory();
    await click('memory-add');
    await type('memory-form-text', 'Lin lives in Lisbon');
    await type('memory-form-subject', 'Lin');
    await click('memory-form-save');
    expect(text('memory-form')).toContain('Fill in all three, or none.');
    await type('memory-form-attribute', 'lives in');
    await type('memory-form-value', 'Lisbon');
    await click('memory-form-save');
    expect(backend.answers.memories.page({}, null, 5).memories[0]?.statement).toEqual({
      subject: 'Lin',
      attribute: 'lives in',
      value: 'Lisbon',
    });
    expect(text('memory-detail')).toContain('Lin · lives in · Lisbon');
  });

  it('says who reads each one, and shows what one agent reads', async () => {
    const backend = await openMemory();
    const group = groupNamed(backend, 'First group');
    remember(backend, 'for all of the work', { scope: { kind: 'workspace' } });
    remember(backend, 'of the group', { scope: { kind: 'group', id: group } });
    const own = remember(backend, 'of Bo alone', { scope: { kind: 'agent', id: agentNamed(backend, 'Bo') } });
    await pass(600);
    expect(texts('memory-card').map((card) => card.replace(/ (You|An|From).*/, ''))).toEqual([
      'Fact Only Bo of Bo alone',
      'Fact Only in First group of the group',
      'Fact Every agent, about the work for all of the work',
    ]);
    find('memory-list').querySelector<HTMLElement>(`[data-memory="${own.id}"] [data-walk]`)?.click();
    await pass(100);
    expect(text('memory-readers')).toBe('Only Bo reads this, and you.');
  });

  it('narrows by kind, tag and standing, and says when nothing is left', async () => {
    const backend = await openMemory();
    remember(backend, 'tie a bowline', { kind: 'skill', tags: ['rope'] });
    const old = remember(backend, 'the harbour is closed', { tags: ['port'] });
    await pass(600);
    await click('memory-kind-skill');
    expect(cards()).toEqual(['tie a bowline']);
    await click('memory-kind-skill');
    await type('memory-tag', 'PORT');
    expect(cards()).toEqual(['the harbour is closed']);
    await type('memory-tag', 'nowhere');
    expect(text('page-memory')).toContain('No memory fits these filters.');
    await type('memory-tag', '');
    backend.answers.memories.do({ kind: 'judge_memory', memory: old.id, judgement: 'wrong' });
    await pass(600);
    expect(cards()).toEqual(['tie a bowline']);
    await click('memory-standing-past');
    expect(cards()).toEqual(['the harbour is closed']);
    expect(text('memory-card')).toContain('Wrong');
  });

  it('shows only those that are pinned', async () => {
    const backend = await openMemory();
    remember(backend, 'Lin takes tea');
    const short = remember(backend, 'Wants short answers');
    backend.answers.memories.do({ kind: 'pin_memory', memory: short.id, pinned: true });
    await pass(600);
    await click('memory-pinned');
    expect(cards()).toEqual(['Wants short answers']);
    backend.answers.memories.do({ kind: 'pin_memory', memory: short.id, pinned: false });
    await pass(600);
    expect(cards()).toEqual([]);
  });

  it('draws no more of a hundred thousand than are in sight', async () => {
    await openMemory(open({ memories: 100_000 }));
    expect(text('memory-count')).toBe('100,000 memories');
    expect(document.querySelectorAll('[data-testid=memory-card]').length).toBeLessThan(40);
    expect(text('memory-index')).toContain('All 100,000 can be found by meaning');
  });

  it('says how far the index is', async () => {
    const backend = await openMemory(open({ memories: 40 }));
    backend.answers.memories.meaning = 10;
    backend.answers.memories.tell();
    await pass(100);
    expect(text('memory-index')).toContain('10 of 40 can be found by meaning');
    backend.answers.memories.wordsOnly = 'the model is missing';
    await click('memory-rebuild');
    expect(text('memory-index')).toContain('Found by words only');
  });

  it('is walked through by arrows', async () => {
    const backend = await openMemory();
    for (const words of ['one thing', 'two things', 'three things']) remember(backend, words);
    await pass(600);
    const first = find('memory-open');
    first.focus();
    press(first, 'ArrowDown');
    await pass(50);
    expect(document.activeElement?.textContent?.trim()).toBe('two things');
    expect(text('memory-text')).toBe('two things');
  });
});

describe('a search', () => {
  it('waits for the typing to rest, explains each score, and sets the words off', async () => {
    const backend = await openMemory();
    remember(backend, 'Street trees cool the city');
    remember(backend, 'Otto books the room');
    await pass(600);
    writeIn(find('memory-find') as HTMLInputElement, 'which trees are cooling');
    await pass(100);
    expect(cards()).toHaveLength(2);
    await pass(400);
    expect(cards()).toEqual(['Street trees cool the city']);
    expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['trees', 'cool']);
    expect(text('memory-score')).toMatch(/^words 2.10 · meaning 0.\d\d · comes to 0.\d\d/);
    expect(text('memory-why')).toMatch(/^Words 2.10 Meaning 0.\d\d Together 0.\d\d Concerns.* Comes to 0.\d\d$/);
    expect(has('words-only')).toBe(false);
    await type('memory-find', 'zzz');
    expect(text('page-memory')).toContain('No memory has these words or comes near their meaning.');
    await type('memory-find', '');
    expect(cards()).toHaveLength(2);
  });

  it('says when words alone are compared, and why', async () => {
    const backend = await openMemory();
    backend.answers.memories.wordsOnly = 'the model file is missing';
    remember(backend, 'Street trees cool the city');
    await type('memory-find', 'trees');
    expect(text('words-only')).toBe('Only words are compared, not what they mean the model file is missing');
    expect(text('memory-why')).toContain('Meaning not compared');
  });

  it('shows what became of what it found', async () => {
    const backend = await openMemory();
    const tree = remember(backend, 'Street trees cool the city');
    await type('memory-find', 'trees');
    backend.answers.memories.do({ kind: 'edit_memory', memory: tree.id, patch: { text: 'Street trees shade it' } });
    await pass(600);
    expect(cards()).toEqual(['Street trees shade it']);
    backend.answers.memories.do({ kind: 'forget_memory', memory: tree.id });
    await pass(600);
    expect(cards()).toEqual([]);
  });
});

describe('one memory', () => {
  it('can be edited, tells its history, and goes back by one step', async () => {
    const backend = await openMemory();
    const tea = remember(backend, 'Lin takes tea with sugar');
    await pass(600);
    expect(find('memory-undo')).toHaveProperty('disabled', true);
    await click('memory-edit');
    await type('memory-form-text', 'Lin takes tea without sugar');
    await click('memory-form-save');
    expect(text('memory-text')).toBe('Lin takes tea without sugar');
    expect(text('memory-history')).toMatch(
      /^Edited · You, \S+ Lin takes tea with sugar Lin takes tea without sugar Written down · You/,
    );
    expect(text('toast')).toContain('Changed');
    await click('toast-undo');
    expect(standing(backend, tea.id).text).toBe('Lin takes tea with sugar');
    expect(cards()).toEqual(['Lin takes tea with sugar']);
  });

  it('names what its new words say beside it, and what of that stays when it goes back', async () => {
    const backend = await openMemory();
    const oslo = remember(backend, 'I live in Oslo');
    await pass(600);
    const { answers } = backend;
    const command = answers.command.bind(answers);
    vi.spyOn(answers, 'command').mockImplementation((given, ...more) => {
      const reply = command(given, ...more);
      if (reply.kind !== 'memory') return reply;
      const since = { ...reply.data, id: 'since', text: 'I work at Equinor', changed_at_ms: 0 };
      const beside = given.kind === 'edit_memory' ? remember(backend, 'I work at Statoil') : since;
      return { kind: 'memories', data: { memories: [reply.data, beside], total: 2, next: null } };
    });
    await click('memory-edit');
    await type('memory-form-text', 'I live in Bergen');
    await click('memory-form-save');
    expect(text('toast')).toContain('Remembered, each by itself: I live in Bergen. I work at Statoil.');
    await click('toast-undo');
    expect(standing(backend, oslo.id).text).toBe('I live in Oslo');
    expect(text('toast')).toContain(
      'Undone. Holds again: I live in Oslo. This stays, since it was changed later: I work at Equinor.',
    );
  });

  it('tells what happened on some days by these days, and that it holds', async () => {
    const backend = await openMemory();
    const days = { valid_from_ms: new Date(2024, 2, 1).getTime(), valid_to_ms: new Date(2024, 2, 10).getTime() };
    remember(backend, 'Trip to Lisbon', { kind: 'episode', ...days });
    await pass(600);
    expect(text('memory-state')).toBe('Holds');
    expect(text('memory-detail')).toMatch(/From .*1.*2024 .*To .*9.*2024/);
  });

  it('states anew what its new words say, unless the person says what they state', async () => {
    const backend = await openMemory();
    const statement = { subject: 'Lin', attribute: 'lives in', value: 'Lisbon' };
    const home = remember(backend, 'Lin lives in Lisbon', { statement });
    await pass(600);
    await click('memory-edit');
    expect(text('memory-form-statement-hint')).toContain('All three, or none');
    await type('memory-form-text', 'Lin lives in Porto');
    expect(text('memory-form-statement-hint')).toContain('made out of them anew');
    await click('memory-form-save');
    // What its words state is made out behind the door, which the old statement does not pass.
    expect(standing(backend, home.id)).toMatchObject({ text: 'Lin lives in Porto', statement: null });
    await click('memory-undo');
    expect(standing(backend, home.id).statement).toEqual(statement);
    await click('memory-edit');
    await type('memory-form-text', 'Lin has a flat in Porto');
    await type('memory-form-value', 'Porto');
    await click('memory-form-save');
    expect(standing(backend, home.id).statement).toEqual({ ...statement, value: 'Porto' });
    await click('memory-edit');
    await type('memory-form-tags', 'home');
    await click('memory-form-save');
    expect(standing(backend, home.id)).toMatchObject({ tags: ['home'], statement: { value: 'Porto' } });
  });

  it('says from when to when it was so, in days where the person is', async () => {
    const backend = await openMemory();
    const mill = remember(backend, 'Works at the mill');
    await pass(600);
    await click('memory-edit');
    await type('memory-form-since', '2025-03-01');
    await type('memory-form-until', '2024-03-01');
    await click('memory-form-save');
    expect(text('memory-form')).toContain('It ends before it begins.');
    await type('memory-form-until', 'soon');
    expect(text('memory-form')).toContain('Write it as 2026-12-31');
    await type('memory-form-until', '2199-12-31');
    await click('memory-form-save');
    expect(standing(backend, mill.id)).toMatchObject({
      valid_from_ms: new Date(2025, 2, 1).getTime(),
      valid_to_ms: new Date(2200, 0, 1).getTime(),
    });
    await click('memory-edit');
    expect((find('memory-form-until') as HTMLInputElement).value).toBe('2199-12-31');
    await type('memory-form-until', '');
    await click('memory-form-save');
    expect(standing(backend, mill.id).valid_to_ms).toBeNull();
  });

  it('is pinned and let go', async () => {
    const backend = await openMemory();
    const tea = remember(backend, 'Lin takes tea');
    await pass(600);
    await click('memory-pin');
    expect(standing(backend, tea.id).pinned).toBe(true);
    expect(find('memory-pin').getAttribute('aria-pressed')).toBe('true');
    await click('memory-undo');
    expect(standing(backend, tea.id).pinned).toBe(false);
    expect(text('toast')).toBe('Undone');
  });

  it('is judged, and what was said can be taken back', async () => {
    const backend = await openMemory();
    const tea = remember(backend, 'Lin takes tea');
    await pass(600);
    await click('memory-wrong');
    expect(standing(backend, tea.id).state.kind).toBe('wrong');
    expect(cards()).toEqual([]);
    expect(has('memory-detail')).toBe(false);
    await click('toast-undo');
    expect(cards()).toEqual(['Lin takes tea']);
    await click('memory-outdated');
    await click('memory-standing-past');
    expect(text('memory-card')).toContain('No longer so');
  });

  it('is forgotten only when that was agreed to, and then for ever', async () => {
    const backend = await openMemory();
    const tea = remember(backend, 'Lin takes tea');
    await pass(600);
    await click('memory-forget');
    expect(text('forget-dialog')).toContain('This cannot be undone.');
    expect(text('forget-dialog')).toContain('Lin takes tea');
    expect(standing(backend, tea.id).state.kind).toBe('current');
    await click('forget-do');
    expect(standing(backend, tea.id)).toMatchObject({ text: '', state: { kind: 'forgotten' } });
    expect(document.body.textContent).not.toContain('Lin takes tea');
    await click('memory-standing-any');
    expect(text('memory-card')).toContain('Its words are gone for ever.');
    expect(has('memory-undo')).toBe(false);
  });

  it('leads to the message and the run that it comes from', async () => {
    const backend = await open();
    await say('I live in Lisbon');
    await pass(5000);
    const message = backend.world.messages.find((one) => one.author.kind === 'user');
    const run = [...backend.world.runs.values()][0];
    const given = {
      kind: 'fact',
      scope: { kind: 'user' },
      text: 'lives in Lisbon',
      statement: null,
      tags: [],
    } as const;
    backend.answers.memories.add(
      { ...given, tags: [], importance: null, valid_from_ms: null, valid_to_ms: null },
      { trust: 'person', source: { message: message?.id ?? null, run: run?.id ?? null } },
    );
    await openMemory(backend);
    expect(text('memory-source')).toContain('I live in Lisbon');
    await click('memory-to-run');
    expect(has('page-runs')).toBe(true);
    expect(find('run-row').dataset['run']).toBe(run?.id);
    await click('rail-memory');
    await click('memory-to-message');
    expect(has('page-conversations')).toBe(true);
    expect(text('transcript')).toContain('I live in Lisbon');
  });
});

describe('several memories', () => {
  it('are said in one, in words that can be changed', async () => {
    const backend = await openMemory();
    const one = remember(backend, 'Lin drinks tea');
    remember(backend, 'Lin wants no sugar');
    await pass(600);
    const boxes = () => [...document.querySelectorAll<HTMLInputElement>('[data-testid=memory-choose]')];
    boxes()[1]?.click();
    flushSync();
    expect(text('memory-chosen')).toContain('Choose two or more.');
    expect(find('memory-merge')).toHaveProperty('disabled', true);
    boxes()[0]?.click();
    flushSync();
    await click('memory-merge');
    expect((find('merge-text') as HTMLTextAreaElement).value).toBe('Lin drinks tea. Lin wants no sugar.');
    await type('merge-text', 'Lin drinks tea, without sugar');
    await click('merge-do');
    expect(cards()).toEqual(['Lin drinks tea, without sugar']);
    expect(standing(backend, one.id).version).toBe(2);
    expect(text('memory-related')).toContain('It took the place of Lin wants no sugar');
    expect(has('memory-chosen')).toBe(false);
    // Undone, all of them are back.
    await click('toast-undo');
    expect(cards().toSorted()).toEqual(['Lin drinks tea', 'Lin wants no sugar']);
    expect(text('toast')).toBe('Undone. Holds again: Lin drinks tea. Lin wants no sugar.');
  });

  it('are not merged when other agents read them', async () => {
    const backend = await openMemory();
    remember(backend, 'Lin drinks tea');
    remember(backend, 'the kettle is new', { scope: { kind: 'workspace' } });
    await pass(600);
    for (const box of document.querySelectorAll<HTMLElement>('[data-testid=memory-choose]')) box.click();
    flushSync();
    expect(text('memory-chosen')).toContain('They are read by different agents.');
    expect(find('memory-merge')).toHaveProperty('disabled', true);
  });
});

describe('a contradiction', () => {
  const statement = (value: string) => ({ statement: { subject: 'Lin', attribute: 'lives in', value } });
  async function inbox() {
    const backend = await openMemory();
    const old = remember(backend, 'Lin lives in Lisbon', statement('Lisbon'));
    const newer = remember(backend, 'Lin lives in Porto', statement('Porto'), 'untrusted');
    await pass(600);
    expect(text('contested-count')).toBe('1');
    await click('memory-standing-contested');
    expect(text('contradiction')).toContain('Lin, lives in');
    expect(texts('memory-open')).toEqual(['Lin lives in Lisbon', 'Lin lives in Porto']);
    return { backend, old, newer };
  }

  it('is settled for the old one', async () => {
    const { backend, old, newer } = await inbox();
    await click('keep-old');
    expect([standing(backend, old.id), standing(backend, newer.id)].map((one) => one.state.kind)).toEqual([
      'current',
      'wrong',
    ]);
    expect(text('page-memory')).toContain('No contradictions');
    expect(has('contested-count')).toBe(false);
  });

  it('is settled for the new one, and both come back when that is undone', async () => {
    const { backend, old, newer } = await inbox();
    const states = () => [standing(backend, old.id), standing(backend, newer.id)].map((one) => one.state.kind);
    await click('take-new');
    expect(states()).toEqual(['superseded', 'current']);
    await click('toast-undo');
    expect(states()).toEqual(['current', 'contested']);
    expect(text('toast')).toBe('Undone. Holds again: Lin lives in Lisbon.');
  });

  it('with what you called wrong is told as said again, and there is no both', async () => {
    const { backend, old, newer } = await inbox();
    backend.answers.memories.do({ kind: 'judge_memory', memory: old.id, judgement: 'wrong' });
    await pass(600);
    expect(text('contradiction')).toContain('Two memories contradict each other');
    const again = { kind: 'contested', by: old.id } as const;
    backend.answers.memories.add(
      { ...newer, ...statement('lisbon'), text: 'Lisbon' },
      { trust: 'agent' },
      { state: again },
    );
    await pass(600);
    const told = texts('contradiction')[0];
    expect(told).toContain('Said again, though you said that it is not so');
    expect(told).toContain('Your word· Wrong');
    expect(texts('keep-both')).toHaveLength(1);
    await click('keep-old');
    expect(backend.answers.memories.page({ standing: 'contested' }, null, 5).total).toBe(1);
  });

  it('is settled for both by saying them in one', async () => {
    const { backend, old } = await inbox();
    await click('keep-both');
    await type('merge-text', 'Lin lives in Lisbon and in Porto');
    await click('merge-do');
    expect(standing(backend, old.id).text).toBe('Lin lives in Lisbon and in Porto');
    expect(text('page-memory')).toContain('No contradictions');
  });
});

describe('a reply that used memories', () => {
  async function reminded() {
    const backend = await open();
    const tea = remember(backend, 'the plan needs tea');
    await say('what does the plan need?');
    await pass(6000);
    return { backend, tea };
  }

  it('says how many, and opens them with their scores', async () => {
    await reminded();
    expect(text('receipt-remembered')).toBe('remembered 1');
    expect(find('receipt-remembered').getAttribute('aria-expanded')).toBe('false');
    await click('receipt-remembered');
    expect(text('remembered')).toContain('Looked up with: what does the plan need?');
    expect(text('remembered-memory')).toContain('the plan needs tea');
    expect(text('remembered-scores')).toMatch(/^words 4.20 · meaning 0.\d\d · comes to 0.\d\d$/);
  });

  it('has each of them judged where it stands, and says what it was then', async () => {
    const { backend, tea } = await reminded();
    await click('receipt-remembered');
    await click('remembered-outdated');
    expect(text('remembered-state')).toBe('No longer so');
    await click('toast-undo');
    expect(has('remembered-state')).toBe(false);
    await click('remembered-wrong');
    expect(standing(backend, tea.id).state.kind).toBe('wrong');
    backend.answers.memories.do({ kind: 'edit_memory', memory: tea.id, patch: { text: 'the plan needs coffee' } });
    await pass(600);
    expect(text('remembered-memory')).toContain('the plan needs tea Changed since. Now: the plan needs coffee');
    await click('remembered-forget');
    await click('forget-do');
    expect(text('remembered-memory')).toMatch(/^A memory that was forgotten since words/);
  });

  it('is told on the page of its run too, and leads to the memory', async () => {
    await reminded();
    await click('receipt-why');
    expect(squeezed(document.querySelector('[data-step=recalled]') as Element)).toContain('Remembered 1 thing');
    await click('remembered-open');
    expect(has('page-memory')).toBe(true);
    expect(text('memory-text')).toBe('the plan needs tea');
    expect(text('memory-read-by')).toContain('Ada in First group');
  });
});

describe('time and relations', () => {
  it('shows memories by when they were so, month by month', async () => {
    const backend = await openMemory();
    const year = new Date().getFullYear();
    const at = (month: number) => new Date(year, month, 3, 9).getTime();
    remember(backend, 'moved in March', { valid_from_ms: at(2) - 365 * 86_400_000 });
    await pass(600);
    await click('memory-show-timeline');
    document.querySelector<HTMLElement>('[aria-label="The year before"]')?.click();
    await pass(600);
    expect(texts('timeline-memory')).toHaveLength(1);
    expect(text('timeline')).toContain('moved in March');
    await click('timeline-memory');
    expect(text('memory-text')).toBe('moved in March');
  });

  it('draws what is said of somebody, each statement reachable by keys', async () => {
    const backend = await openMemory();
    await click('memory-show-graph');
    expect(text('graph-none')).toContain('No statements');
    remember(backend, 'Ana is a botanist', { statement: { subject: 'Ana', attribute: 'works as', value: 'botanist' } });
    const sister = { subject: 'Lin', attribute: 'sister', value: 'Ana' };
    remember(backend, 'Ana is Lin’s sister', { statement: sister });
    remember(backend, 'Lin likes tea', { statement: { subject: 'Lin', attribute: 'likes', value: 'tea' } });
    await pass(900);
    const nodes = [...document.querySelectorAll<SVGElement>('[data-testid=graph-node]')];
    expect(nodes.map((node) => node.getAttribute('aria-label'))).toEqual([
      'Lin, likes: tea',
      'Lin, sister: Ana',
      'Ana, works as: botanist',
    ]);
    expect(nodes.every((node) => node.getAttribute('tabindex') === '0')).toBe(true);
    nodes[1]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await pass(200);
    expect(text('memory-text')).toBe('Ana is Lin’s sister');
  });
});

describe('a memory that came of a tool', () => {
  it('is used only when a person says that it is right', async () => {
    const backend = await open();
    const memory = remember(backend, 'The invoices go to account 42', {}, 'untrusted');
    await openMemory(backend);
    await click('memory-open');
    expect(text('memory-unused')).toContain('No agent is reminded of this');
    await click('memory-right');
    expect(standing(backend, memory.id).trust).toBe('person');
    expect(has('memory-unused')).toBe(false);
  });
});

describe('what is remembered unasked', () => {
  it('can be switched off piece by piece in the settings', async () => {
    const backend = await open();
    await click('rail-settings');
    await click('settings-you');
    await click('memory-notices');
    expect(backend.world.settings.memory).toEqual({ notices: false, looks_back: true, reminds: true });
    await click('memory-reminds');
    await click('memory-looks_back');
    expect(backend.world.settings.memory).toEqual({ notices: false, looks_back: false, reminds: false });
  });
});
