import { describe, expect, it } from 'vitest';
import type { Group, Reply, Soul } from '../api/generated';
import { linkTo, named, placeOf } from './link';

describe('a link', () => {
  it.each([
    ['coterie://group/First%20group', { is: 'group', name: 'First group' }],
    ['coterie://run/0193/', { is: 'run', name: '0193' }],
    ['coterie://soul/%E6%9E%97%E5%A4%8F', { is: 'soul', name: '林夏' }],
    ['coterie://message/0193', { is: 'message', name: '0193' }],
    ['coterie://approval/0193', { is: 'approval', name: '0193' }],
  ])('names what is behind it: %s', (link, what) => expect(named(link)).toEqual(what));

  it.each([
    'https://example.org/group/a',
    'coterie://group/',
    'coterie://settings/keys',
    'coterie://group/a/delete',
    'coterie://group/a?do=b',
    'coterie://group/a#b',
    'coterie://group/%E6%9E',
    'javascript:coterie://group/a',
  ])('is none that could do or mean anything else: %s', (link) => expect(named(link)).toBeNull());

  const mirror = {
    groups: new Map([
      ['g1', { id: 'g1', kind: 'group', name: 'First group' } as Group],
      ['p1', { id: 'p1', kind: 'post', name: 'First group' } as Group],
    ]),
    souls: new Map([['ada', {} as Soul]]),
  };
  const asked: unknown[] = [];
  const ask = (call: unknown) => {
    asked.push(call);
    const { query } = call as { query: { kind: string; message?: string } };
    switch (query.kind) {
      case 'message': {
        const group = { said: 'g1', commented: 'there' }[query.message ?? ''];
        if (!group) return Promise.reject(new Error('none'));
        return Promise.resolve({ kind: 'message', data: { id: query.message, group } } as Reply);
      }
      case 'approvals':
        return Promise.resolve({ kind: 'approvals', data: [{ call: 'a1' }] } as Reply);
      case 'questions':
        return Promise.resolve({ kind: 'questions', data: [{ id: 'q1' }] } as Reply);
    }
    return JSON.stringify(call).includes('there')
      ? Promise.resolve({ kind: 'done' } as Reply)
      : Promise.reject(new Error('none'));
  };

  it.each([
    ['coterie://group/first%20GROUP', { page: 'conversations', group: 'g1' }],
    ['coterie://group/p1', { page: 'feed', post: 'p1' }],
    ['coterie://group/other', null],
    ['coterie://soul/Ada', { page: 'souls', soul: 'ada' }],
    ['coterie://soul/bo', null],
    ['coterie://run/there', { page: 'runs', run: 'there' }],
    ['coterie://run/gone', null],
    ['coterie://memory/there', { page: 'memory', memory: 'there' }],
    ['coterie://memory/gone', null],
    ['coterie://group/there', { page: 'feed', post: 'there' }],
    ['coterie://message/said', { page: 'conversations', group: 'g1', message: 'said' }],
    ['coterie://message/commented', { page: 'feed', post: 'there' }],
    ['coterie://message/gone', null],
    ['coterie://approval/a1', { page: 'approvals' }],
    ['coterie://approval/gone', null],
    ['coterie://question/q1', { page: 'approvals' }],
    ['coterie://question/gone', null],
  ])('leads there, if there is anything: %s', async (link, place) => {
    const what = named(link);
    expect(what && (await placeOf(what, mirror, ask))).toEqual(place);
    // It asks, and never has anything done.
    for (const call of asked) expect(call).toHaveProperty('query');
  });

  it('to a place leads back to it', async () => {
    const place = { page: 'conversations', group: 'g1' } as const;
    const what = named(linkTo(place) ?? '');
    expect(what && (await placeOf(what, mirror, ask))).toEqual(place);
    expect(linkTo({ page: 'settings' })).toBeNull();
  });
});
