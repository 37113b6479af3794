import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Field, Question } from './api/generated';
import type { Fake } from './api/fake';
import { askPerson } from './api/fake/questions';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/approvals/ApprovalsPage.svelte';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(() => {
  vi.restoreAllMocks();
  return close();
});

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(50);
};

/** An agent, or a server that it uses, asks in its run. */
async function asks(backend: Fake, more: Partial<Question> = {}): Promise<Question> {
  const { world } = backend;
  await say('hello');
  await pass(300);
  const run = [...world.runs.values()].at(-1);
  if (!run) throw new Error('nothing ran');
  const asked = askPerson(world, { run: run.id, agent: run.agent, group: run.group }, more);
  await pass(500);
  return asked;
}

const input = (field: string) =>
  document.querySelector<HTMLInputElement>(`[data-testid="question-field"][data-name="${field}"]`);

async function enter(field: string, value: string) {
  const at = input(field);
  if (!at) throw new Error(`no field ${field}`);
  at.value = value;
  at.dispatchEvent(new Event('input', { bubbles: true }));
  await pass(50);
}

async function choose(field: string, value: string) {
  const choice = document.querySelector<HTMLInputElement>(`[data-name="${field}"] [data-value="${value}"]`);
  if (!choice) throw new Error(`no choice ${value} of ${field}`);
  choice.click();
  await pass(50);
}

function field(name: string, takes: Field['takes'], more: Partial<Field> = {}): Field {
  return { name, title: null, about: null, required: false, takes, default: null, sounds_secret: false, ...more };
}

describe('a question', () => {
  it('stands open in its line without taking the focus, and is answered there', async () => {
    const backend = await open();
    const composer = document.querySelector('textarea');
    composer?.focus();
    const { id } = await asks(backend);
    expect(document.activeElement).toBe(composer);
    expect(text('tool-line')).toContain('asks you');
    expect(text('question-text')).toBe('Which tea?');
    expect(text('approvals-badge')).toBe('1');
    const send = find('question-send') as HTMLButtonElement;
    expect(send.disabled).toBe(true);
    await enter('answer', 'green');
    expect(send.disabled).toBe(false);
    await click('question-send');
    expect(backend.world.questions.get(id)).toMatchObject({
      state: 'answered',
      given: { kind: 'values', values: { answer: 'green' } },
    });
    expect(has('question-card')).toBe(false);
    expect(has('approvals-badge')).toBe(false);
  });

  it('waits under Approvals too, may be declined, and stays to be read there', async () => {
    const backend = await open();
    const { id } = await asks(backend);
    await click('rail-approvals');
    expect(text('question-card')).toContain('Which tea?');
    expect(has('question-dismiss')).toBe(false);
    await click('question-decline');
    expect(backend.world.questions.get(id)?.state).toBe('declined');
    expect(find('question-row').dataset['state']).toBe('declined');
  });

  it('keeps what is entered while the person looks elsewhere, also what they cleared', async () => {
    const text: Field['takes'] = { kind: 'text', format: null, least: null, most: null };
    const fields = [field('who', text), field('line', text, { default: 'It was a dark night.' })];
    const backend = await open();
    const { id } = await asks(backend, { server: 'everything', asks: { kind: 'form', fields } });
    await enter('who', 'Zed');
    await enter('line', '');
    await click('rail-approvals');
    const stands = () => ['who', 'line'].map((name) => input(name)?.value);
    expect(stands()).toEqual(['Zed', '']);
    await click('rail-conversations');
    expect(stands()).toEqual(['Zed', '']);
    await click('question-send');
    expect(backend.world.questions.get(id)?.given).toEqual({ kind: 'values', values: { who: 'Zed', line: null } });
  });

  it('with a choice that is empty or stands there twice does not hide what else waits', async () => {
    const backend = await open();
    const options = ['yes', '', 'yes'].map((value) => ({ value, title: null }));
    const fields = [field('sure', { kind: 'choice', options, several: false, least: null, most: null })];
    const { id } = await asks(backend, { server: 'things', asks: { kind: 'form', fields } });
    await click('rail-approvals');
    expect(text('question-card')).toContain('No answer');
    await choose('sure', 'yes');
    await click('question-send');
    expect(backend.world.questions.get(id)?.given).toEqual({ kind: 'values', values: { sure: 'yes' } });
  });

  it('is answered by what is said in its conversation, which does not wait for the agent that asks', async () => {
    const backend = await open();
    const { group } = await asks(backend, {});
    const queued = () => document.querySelectorAll('[data-testid=queued]').length;
    await say('Red please');
    await pass(500);
    const said = backend.world.messages.filter((one) => one.group === group);
    expect([queued(), said.some(({ body }) => body.kind === 'text' && body.text === 'Red please')]).toEqual([0, true]);
  });

  it('of a server names it, warns of secrets, and takes what each field takes', async () => {
    const backend = await open();
    const options = ['guitar', 'piano'].map((value) => ({ value, title: value.toUpperCase() }));
    const fields = [
      field('name', { kind: 'text', format: null, least: null, most: null }, { required: true, title: 'Your name' }),
      field('age', { kind: 'number', whole: true, least: 1, most: 150 }),
      field('ok', { kind: 'yes_no' }, { default: true }),
      field('plays', { kind: 'choice', options, several: true, least: 1, most: null }, { default: ['guitar'] }),
      field('pin', { kind: 'text', format: null, least: null, most: null }, { sounds_secret: true }),
    ];
    const { id } = await asks(backend, { server: 'things', text: 'Who are you?', asks: { kind: 'form', fields } });
    expect(text('question-card')).toContain('The server things, which');
    expect(text('question-careful')).toContain('password');
    await enter('name', 'Ada');
    await enter('age', '3,6');
    expect(text('question-card')).toContain('“3,6” can be read in two ways. Write numbers like 1,234.5.');
    await enter('age', '360');
    expect(text('question-card')).not.toContain('two ways');
    expect(find('question-card').querySelector('.bad-note')?.textContent).toBe('1 to 150.');
    await enter('age', '36');
    await choose('ok', 'no');
    await choose('plays', 'piano');
    await click('question-send');
    expect(backend.world.questions.get(id)?.given).toEqual({
      kind: 'values',
      values: { name: 'Ada', age: '36', ok: false, plays: ['guitar', 'piano'] },
    });
  });

  it('about a page shows the whole address and opens it only when the person agrees', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null);
    const backend = await open();
    const url = 'https://bank.example@evil.example/login?a=b';
    await asks(backend, { server: 'things', text: 'Sign in.', asks: { kind: 'page', url, host: 'evil.example' } });
    expect(text('question-url')).toBe(url);
    expect(text('question-send')).toBe('Open evil.example');
    expect(opened).not.toHaveBeenCalled();
    await click('question-send');
    expect(opened).toHaveBeenCalledExactlyOnceWith(url, '_blank', 'noopener,noreferrer');

    await asks(backend, { server: 'things', text: 'And again.', asks: { kind: 'page', url, host: 'evil.example' } });
    await click('question-dismiss');
    expect(opened).toHaveBeenCalledOnce();
  });

  it('that was answered elsewhere, or too late, says so and opens nothing', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null);
    const backend = await open();
    const asks_ = { kind: 'page', url: 'https://a.example/', host: 'a.example' } as const;
    const asked = await asks(backend, { server: 'things', asks: asks_ });
    backend.world.questions.set(asked.id, { ...asked, state: 'expired' });
    await click('question-send');
    expect(document.body.textContent).toContain('answered already');
    expect(opened).not.toHaveBeenCalled();
  });
});
