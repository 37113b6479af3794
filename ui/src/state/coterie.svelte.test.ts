import { describe, expect, it, vi } from 'vitest';
import { fake, type Fake, type Options } from '../api/fake';
import type { Fault } from '../api/generated';
import { Coterie } from './coterie.svelte';
import { nothing } from './drafts.svelte';
import { runningIn } from './select';
import { transcript } from './transcript';

/** A clock that a test moves by hand: whoever pauses goes on when it is told to. */
function stage() {
  let waiting: (() => void)[] = [];
  return {
    pause: (ms: number) => (ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
    async step() {
      const now = waiting;
      waiting = [];
      for (const go of now) go();
      await turn();
    },
    get idle() {
      return waiting.length === 0;
    },
  };
}

/** Lets everything that is ready run, and the window take in the news. */
async function turn() {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
  await vi.advanceTimersByTimeAsync(60);
}

const timedOut: Fault = { code: 'timed_out', message: 'no answer within 60 s', fix: 'try again' };

/** The process that owns the workspace takes posts and does nothing with them until it wakes up. */
function hung(backend: Fake) {
  const real = backend.ask.bind(backend);
  let hangs = true;
  let posts: { go: (answers: boolean) => Promise<void>; timeOut: () => void }[] = [];
  const requests: (string | undefined)[] = [];
  backend.ask = (call, id) => {
    if (!hangs || !('command' in call) || call.command.kind !== 'post') return real(call, id);
    requests.push(id);
    return new Promise((resolve, reject) =>
      posts.push({
        go: async (answers) => {
          const reply = await real(call, id);
          if (answers) resolve(reply);
        },
        timeOut: () => reject(timedOut),
      }),
    );
  };
  return {
    requests,
    timeOut: () => posts.forEach((post) => post.timeOut()),
    async wakeUp({ answers } = { answers: true }) {
      hangs = false;
      for (const post of posts) await post.go(answers);
      if (answers) posts = [];
    },
  };
}

async function open(options: Options = {}) {
  vi.useFakeTimers();
  localStorage.clear();
  const clock = stage();
  const backend: Fake = fake({ pause: clock.pause, ...options });
  const coterie = new Coterie(backend);
  const faults: Fault[] = [];
  coterie.onfault = (fault) => faults.push(fault);
  await coterie.open();
  coterie.settleIn();
  const group = coterie.place.page === 'conversations' ? (coterie.place.group ?? '') : '';
  await coterie.openThread(group);
  const texts = () =>
    coterie.mirror.threads
      .get(group)
      ?.messages.map((message) => (message.body.kind === 'text' ? message.body.text : message.body.notice.kind));
  const settle = async () => {
    while (!clock.idle) await clock.step();
  };
  return { backend, coterie, clock, faults, group, texts, settle };
}

describe('the window and its workspace', () => {
  it('opens on the first group of a fresh workspace', async () => {
    const { coterie, group } = await open();
    expect(coterie.mirror.groups.get(group)?.name).toBe('First group');
    expect(coterie.mirror.agents.size).toBe(6);
  });

  it('says why the workspace cannot be opened, and opens it on the next try', async () => {
    const backend = fake({ pause: () => Promise.resolve() });
    const real = backend.ask.bind(backend);
    const fault: Fault = { code: 'storage', message: 'coterie.db cannot be read', fix: 'restore a backup' };
    backend.ask = () => Promise.reject(fault);
    const coterie = new Coterie(backend);
    await coterie.open();
    expect(coterie.fault).toEqual(fault);
    expect(coterie.isOpen).toBe(false);
    backend.ask = real;
    await coterie.open();
    expect(coterie.isOpen).toBe(true);
    expect(coterie.fault).toBeNull();
  });

  it('sees an answer while it is written, and its message when it is complete', async () => {
    const { coterie, clock, group, texts, settle } = await open();
    await coterie.say(group, 'hello');
    await turn();
    await clock.step();
    await clock.step();
    await clock.step();
    const [run] = runningIn(coterie.mirror, group);
    const written = run && coterie.mirror.live.get(run.id)?.text;
    expect(written).toMatch(/^Start with/);
    await settle();
    expect(coterie.mirror.live.size).toBe(0);
    expect(texts()).toEqual(['hello', expect.stringContaining(written?.trim() ?? '?')]);
  });

  it('keeps messages back while answers are written, and sends them one after the other', async () => {
    const { coterie, clock, group, texts, settle } = await open();
    await coterie.say(group, 'one');
    await turn();
    await coterie.say(group, 'two');
    await coterie.say(group, 'three');
    await clock.step();
    expect(coterie.drafts.of(group).queue.map((queued) => queued.text)).toEqual(['two', 'three']);
    expect(texts()).toEqual(['one']);
    await settle();
    const mine = texts()?.filter((text) => ['one', 'two', 'three'].includes(text));
    expect(mine).toEqual(['one', 'two', 'three']);
    expect(texts()?.[1]).not.toBe('two');
    expect(coterie.drafts.of(group).queue).toEqual([]);
  });

  it('gives a refused text back and says why', async () => {
    const { coterie, faults, group } = await open();
    await coterie.say(group, 'x'.repeat(32_001));
    expect(faults.map((fault) => fault.code)).toEqual(['bad_input']);
    expect(coterie.drafts.of(group).text).toHaveLength(32_001);
    expect(coterie.drafts.of(group).queue).toEqual([]);
  });

  it('does not send again by itself what was refused while something else is written', async () => {
    const { coterie, group } = await open();
    coterie.drafts.of(group).text = 'in the middle of something';
    await coterie.post(group, { ...nothing, text: 'x'.repeat(32_001) }, 'request');
    await turn();
    expect(coterie.drafts.of(group).text).toBe('in the middle of something');
    expect(coterie.drafts.of(group).queue.map((queued) => queued.held)).toEqual([true]);
  });

  it('sends a text again under its own id when no answer came, so that it is stored once', async () => {
    const { backend, coterie, group, texts, faults } = await open();
    const owner = hung(backend);
    const first = coterie.say(group, 'hello');
    await turn();
    owner.timeOut();
    await first;
    expect(coterie.drafts.of(group).text).toBe('hello');
    expect(faults).toEqual([timedOut]);
    coterie.drafts.of(group).text = '';
    const second = coterie.say(group, 'hello');
    await turn();
    expect(owner.requests).toHaveLength(2);
    expect(owner.requests[1]).toBe(owner.requests[0]);
    await owner.wakeUp();
    await second;
    await turn();
    expect(texts()).toEqual(['hello']);
  });

  it('sends a text that was edited since under a new id', async () => {
    const { backend, coterie, group } = await open();
    const owner = hung(backend);
    const first = coterie.say(group, 'hello');
    await turn();
    owner.timeOut();
    await first;
    coterie.drafts.of(group).text = '';
    void coterie.say(group, 'hello all');
    await turn();
    expect(new Set(owner.requests).size).toBe(2);
  });

  it('takes back the text and the failure when the message turns out to be stored', async () => {
    const { backend, coterie, group, texts, faults } = await open();
    const mended: Fault[] = [];
    coterie.onmended = (fault) => mended.push(fault);
    const owner = hung(backend);
    const first = coterie.say(group, 'hello');
    await turn();
    owner.timeOut();
    await first;
    await owner.wakeUp();
    await turn();
    expect(texts()).toEqual(['hello']);
    expect(coterie.drafts.of(group).text).toBe('');
    expect(mended).toEqual(faults);
  });

  it('takes a failure back when the message, or another one, is accepted later', async () => {
    for (const text of ['hello', 'hello all']) {
      const { backend, coterie, group, texts, faults } = await open();
      const mended: Fault[] = [];
      coterie.onmended = (fault) => mended.push(fault);
      const real = backend.ask.bind(backend);
      const full: Fault = { code: 'storage', message: 'the disk is full', fix: 'free some space' };
      backend.ask = (call, id) => ('command' in call ? Promise.reject(full) : real(call, id));
      await coterie.say(group, 'hello');
      expect([faults, mended]).toEqual([[full], []]);
      backend.ask = real;
      coterie.drafts.of(group).text = '';
      await coterie.say(group, text);
      await turn();
      expect(texts()).toEqual([text]);
      expect(mended).toEqual([full]);
    }
  });

  it('reports no failure of a message that was stored before its answer was given up', async () => {
    const { backend, coterie, group, texts, faults } = await open();
    const owner = hung(backend);
    const first = coterie.say(group, 'hello');
    await turn();
    await owner.wakeUp({ answers: false });
    await turn();
    owner.timeOut();
    await first;
    expect(texts()).toEqual(['hello']);
    expect(coterie.drafts.of(group).text).toBe('');
    expect(faults).toEqual([]);
  });

  it('takes a text that waits refused in the queue away when it turns out to be stored', async () => {
    const { backend, coterie, group } = await open();
    const owner = hung(backend);
    const first = coterie.say(group, 'hello');
    coterie.drafts.of(group).text = 'something else';
    await turn();
    owner.timeOut();
    await first;
    expect(coterie.drafts.of(group).queue.map((queued) => queued.text)).toEqual(['hello']);
    await owner.wakeUp();
    await turn();
    expect(coterie.drafts.of(group).queue).toEqual([]);
    expect(coterie.drafts.of(group).text).toBe('something else');
  });

  it('stops an answer and keeps what was written', async () => {
    const { coterie, clock, group, settle } = await open();
    await coterie.say(group, 'long');
    await turn();
    for (let at = 0; at < 6; at += 1) await clock.step();
    await coterie.stop(group);
    await settle();
    const last = coterie.mirror.threads.get(group)?.messages.at(-1);
    expect(last?.body.kind === 'text' && last.body.cut_short).toBe(true);
  });

  it('asks for everything anew when news were lost', async () => {
    const { backend, coterie, group, texts } = await open();
    const before = coterie.mirror.groups;
    backend.world.keep({
      table: 'message',
      row: {
        seq: backend.world.nextSeq(),
        id: 'missed',
        group,
        parent: null,
        author: { kind: 'user' },
        body: { kind: 'text', text: 'missed', cut_short: false },
        chain_depth: 0,
        root: 'missed',
        run: null,
        at_ms: 1,
      },
    });
    backend.world.forget();
    await turn();
    expect(coterie.mirror.groups).not.toBe(before);
    expect(texts()).toEqual(['missed']);
    await coterie.say(group, 'still here');
    await turn();
    expect(texts()).toEqual(['missed', 'still here']);
  });

  it('misses nothing that is said while a conversation is read', async () => {
    const { backend, coterie, group, texts } = await open();
    const real = backend.ask.bind(backend);
    let answer = () => {};
    backend.ask = async (call, id) => {
      const reply = await real(call, id);
      const isPage = 'query' in call && call.query.kind === 'messages';
      if (isPage) await new Promise<void>((resolve) => (answer = resolve));
      return reply;
    };
    backend.world.save({ table: 'branch', row: group });
    await turn();
    const read = coterie.openThread(group);
    await turn();
    await real({ command: { kind: 'post', group, text: 'meanwhile', reply_to: null } });
    await turn();
    answer();
    await read;
    expect(texts()).toContain('meanwhile');
  });

  it('loads ten thousand messages page by page', async () => {
    const { coterie, group } = await open({ start: 'many' });
    expect(coterie.mirror.threads.get(group)?.messages).toHaveLength(100);
    await coterie.older(group);
    const thread = coterie.mirror.threads.get(group);
    expect(thread?.messages).toHaveLength(200);
    expect(thread?.hasOlder).toBe(true);
    const rows = thread ? transcript(thread, coterie.mirror.runs, group) : [];
    expect(
      rows.filter((row) => row.kind === 'message').every((row) => row.message.run === null || row.run !== undefined),
    ).toBe(true);
  });

  it('gets to know who had a task that has ended when somebody wants its name', async () => {
    const { coterie, backend } = await open();
    const ada = [...backend.world.agents.values()][0];
    if (!ada) throw new Error('nobody is there');
    const child = { ...ada, id: 'child', name: 'Scout', parent: ada.id, state: 'terminated' as const };
    backend.world.agents.set(child.id, child);
    await coterie.open();
    expect(coterie.mirror.agents.has(child.id)).toBe(false);
    expect(coterie.nameOf(child.id)).toBe('');
    await turn();
    expect(coterie.nameOf(child.id)).toBe('Scout');
    expect(coterie.nameOf('nobody')).toBe('');
  });

  it('wakes nobody who looks at the agents when one of them writes a word', async () => {
    const { coterie, backend, group } = await open();
    let looks = 0;
    const stop = $effect.root(() => {
      $effect(() => {
        void coterie.mirror.agents;
        looks += 1;
      });
    });
    await turn();
    backend.world.tell({
      event: 'live',
      live: { run: 'r', agent: 'a', group, offset: 0, text: 'word', reasoning: '' },
    });
    await turn();
    expect(coterie.mirror.live.get('r')?.text).toBe('word');
    expect(looks).toBe(1);
    const agent = [...backend.world.agents.values()][0];
    if (agent) backend.world.save({ table: 'agent', row: { ...agent, state: 'paused' } });
    await turn();
    expect(looks).toBe(2);
    stop();
  });

  it('goes back to where it was', async () => {
    const { coterie } = await open();
    const start = coterie.place;
    coterie.go({ page: 'souls', soul: 'ada' });
    coterie.go({ page: 'runs' });
    coterie.show('souls');
    expect(coterie.place).toEqual({ page: 'souls', soul: 'ada' });
    coterie.back();
    coterie.back();
    coterie.back();
    expect(coterie.place).toEqual(start);
  });
});
