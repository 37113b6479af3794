import { describe, expect, it, vi } from 'vitest';
import { fake, type Fake } from '../api/fake';
import type { Attachment, Fault } from '../api/generated';
import { Coterie } from './coterie.svelte';

/** A workspace that a test moves by hand, and windows on it. */
function workspace() {
  vi.useFakeTimers();
  localStorage.clear();
  let waiting: (() => void)[] = [];
  const pause = (ms: number) => (ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)));
  const backend: Fake = fake({ pause });
  const turn = async () => {
    for (let round = 0; round < 20; round += 1) await Promise.resolve();
    await vi.advanceTimersByTimeAsync(400);
  };
  return {
    backend,
    turn,
    async settle() {
      while (waiting.length > 0) {
        const now = waiting;
        waiting = [];
        for (const go of now) go();
        await turn();
      }
    },
    async window() {
      const coterie = new Coterie(backend);
      const faults: Fault[] = [];
      coterie.onfault = (fault) => faults.push(fault);
      await coterie.open();
      coterie.settleIn();
      const group = coterie.place.page === 'conversations' ? (coterie.place.group ?? '') : '';
      await coterie.openThread(group);
      const draft = coterie.drafts.of(group);
      return {
        coterie,
        faults,
        group,
        draft,
        queue: () => draft.queue.map((queued) => queued.text),
        texts: () =>
          coterie.mirror.threads
            .get(group)
            ?.messages.flatMap((message) =>
              message.author.kind === 'user' && message.body.kind === 'text' ? [message.body.text] : [],
            ),
      };
    },
  };
}

describe('what was not said yet', () => {
  it('is there again in the next window, and goes out once', async () => {
    const { turn, settle, window } = workspace();
    const first = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    await first.coterie.say(first.group, 'two');
    await first.coterie.say(first.group, 'three');
    first.draft.text = 'and perhaps';
    await turn();
    expect(first.draft.queue.map((queued) => first.draft.isKept(queued.request))).toEqual([true, true]);
    first.coterie.close();

    const again = await window();
    expect(again.queue()).toEqual(['two', 'three']);
    expect(again.draft.text).toBe('and perhaps');
    await settle();
    expect(again.texts()).toEqual(['one', 'two', 'three']);
    expect(again.queue()).toEqual([]);
    again.coterie.close();

    const last = await window();
    expect([last.queue(), last.draft.text, last.texts()]).toEqual([[], 'and perhaps', ['one', 'two', 'three']]);
  });

  it('is no longer kept once it is taken back, into the text or away', async () => {
    const { turn, window } = workspace();
    const first = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    for (const text of ['two', 'three', 'four']) await first.coterie.say(first.group, text);
    await turn();
    const [two, three] = first.draft.queue;
    first.draft.edit(two?.id ?? 0);
    first.draft.take(three?.id ?? 0);
    await turn();
    first.coterie.close();
    const again = await window();
    expect([again.draft.text, again.queue()]).toEqual(['two', ['four']]);
  });

  it('is never sent when it was only typed: what is taken out of the queue stands before it', async () => {
    const { turn, settle, window } = workspace();
    const { coterie, group, draft, queue, texts } = await window();
    await coterie.say(group, 'one');
    await turn();
    await coterie.say(group, 'two');
    await turn();
    const file: Attachment = { hash: 'h', name: 'notes.txt', kind: 'text', bytes: 3 };
    draft.attachments = [file];
    draft.text = 'half a sent';
    const [two] = draft.queue;
    draft.edit(two?.id ?? 0);
    expect([draft.text, draft.attachments, queue()]).toEqual(['two\n\nhalf a sent', [file], []]);
    await settle();
    expect([texts(), draft.text]).toEqual([['one'], 'two\n\nhalf a sent']);
    // It is another message now, so it goes under a name of its own.
    expect(draft.requestFor(draft.takeAll())).not.toBe(two?.request);
  });

  it('goes out in the order into which it is moved, also after the window has gone', async () => {
    const { turn, settle, window } = workspace();
    const first = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    for (const text of ['two', 'three', 'four']) await first.coterie.say(first.group, text);
    await turn();
    const idOf = (text: string) => first.draft.queue.find((queued) => queued.text === text)?.id ?? 0;
    first.draft.move(idOf('four'), 0);
    first.draft.move(idOf('two'), 2);
    expect(first.queue()).toEqual(['four', 'three', 'two']);
    await turn();
    expect(first.draft.queue.map((queued) => first.draft.isKept(queued.request))).toEqual([true, true, true]);
    first.coterie.close();

    const again = await window();
    expect(again.queue()).toEqual(['four', 'three', 'two']);
    await settle();
    expect(again.texts()).toEqual(['one', 'four', 'three', 'two']);
  });

  it('stands before those that stood behind it when it is put back, also after the window has gone', async () => {
    const { turn, window } = workspace();
    const first = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    for (const text of ['two', 'three', 'four']) await first.coterie.say(first.group, text);
    await turn();
    const [two, three] = first.draft.queue;
    const back = first.draft.remove(three?.id ?? 0);
    await turn();
    first.draft.take(two?.id ?? 0);
    back?.();
    expect(first.queue()).toEqual(['three', 'four']);
    await turn();
    expect(first.draft.queue.map((queued) => first.draft.isKept(queued.request))).toEqual([true, true]);
    first.coterie.close();
    expect((await window()).queue()).toEqual(['three', 'four']);
  });

  it('is not sent again when it was moved and has been stored all the same', async () => {
    const { turn, window } = workspace();
    const { coterie, group, draft, queue } = await window();
    await coterie.say(group, 'one');
    await turn();
    for (const text of ['two', 'three']) await coterie.say(group, text);
    await turn();
    const [two] = draft.queue;
    draft.move(two?.id ?? 0, 1);
    expect([queue(), draft.queue[1]?.request === two?.request]).toEqual([['three', 'two'], false]);
    await turn();
    draft.stored(two?.request ?? '');
    await turn();
    coterie.close();
    expect([queue(), (await window()).queue()]).toEqual([['three'], ['three']]);
  });

  it('is not sent by a window that has not heard that another one took it back', async () => {
    const { turn, settle, window } = workspace();
    const first = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    await first.coterie.say(first.group, 'two');
    await turn();
    const other = await window();
    expect(other.queue()).toEqual(['two']);
    other.draft.take(other.draft.queue[0]?.id ?? 0);
    await turn();
    await settle();
    await settle();
    expect(first.texts()).toEqual(['one']);
    expect(first.queue()).toEqual([]);
    expect(first.faults.map((fault) => fault.code)).toEqual(['not_found']);
  });

  it('leaves what another window writes and queues where it is', async () => {
    const { turn, window } = workspace();
    const first = await window();
    const other = await window();
    await first.coterie.say(first.group, 'one');
    await turn();
    first.draft.text = 'what I write';
    await turn();
    await other.coterie.say(other.group, 'two');
    await turn();
    const last = await window();
    expect([last.draft.text, last.queue()]).toEqual(['what I write', ['two']]);
  });

  it('says once that it cannot be kept, and keeps it when it can be', async () => {
    const { backend, turn, window } = workspace();
    const first = await window();
    const mended: Fault[] = [];
    first.coterie.onmended = (fault) => mended.push(fault);
    await first.coterie.say(first.group, 'one');
    await turn();
    const real = backend.ask.bind(backend);
    const full: Fault = { code: 'storage', message: 'the disk is full', fix: 'free some space' };
    backend.ask = (call, id) => ('command' in call ? Promise.reject(full) : real(call, id));
    await first.coterie.say(first.group, 'two');
    await vi.advanceTimersByTimeAsync(2500);
    await vi.advanceTimersByTimeAsync(2500);
    const isKept = () => first.draft.queue.map((queued) => first.draft.isKept(queued.request));
    expect([first.faults, isKept()]).toEqual([[full], [false]]);
    backend.ask = real;
    await vi.advanceTimersByTimeAsync(2500);
    expect([mended, isKept()]).toEqual([[full], [true]]);
  });
});
