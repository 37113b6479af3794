import { describe, expect, it } from 'vitest';
import type { Key, Keys, Provider } from '../api/generated';
import { degraded, keyless, readyFor, without } from './keys';

const broken = { code: 'key', message: 'no keyring answers', fix: 'start one' } as const;
const keys = (more: Partial<Keys> = {}): Keys => ({
  keys: [],
  home: 'keyring',
  keyring: null,
  keyring_name: 'GNOME Keyring',
  sealed: 'absent',
  to_be_moved: 0,
  lent: 0,
  to_be_erased: 0,
  list: null,
  ...more,
});
const key = (kind: 'keyring' | 'sealed'): Key => ({
  name: 'provider/acme',
  place: { kind },
  ends_with: 'f3Qa',
  set_ms: 0,
  used_ms: null,
  used_by: ['acme'],
  only_for: null,
});
const acme = (name: string | null): Provider => ({
  name: 'acme',
  kind: 'openai',
  base_url: 'https://api.acme.example/v1',
  key_env: null,
  key: name,
  models: [],
});

describe('a key that is typed', () => {
  it.each([
    [{}, 'yes'],
    [{ keyring: broken }, 'choose'],
    [{ keyring: broken, sealed: 'locked' as const }, 'unlock'],
    [{ keyring: broken, sealed: 'open' as const }, 'change'],
    [{ home: 'sealed' as const, sealed: 'open' as const }, 'yes'],
    [{ home: 'sealed' as const, sealed: 'locked' as const }, 'unlock'],
    [{ home: 'sealed' as const, sealed: 'absent' as const }, 'choose'],
  ])('with %j can be kept: %s', (more, ready) => {
    expect(readyFor(keys(more))).toBe(ready);
  });
});

describe('what everybody is told', () => {
  it.each([
    [{}, null, undefined],
    [{ list: broken, keyring: broken, sealed: 'locked' as const }, 'provider/acme', 'unlisted'],
    [{ keyring: broken }, null, undefined],
    [{ keyring: broken }, 'provider/acme', 'nowhere'],
    [{ keyring: broken, keys: [key('keyring')] }, 'provider/acme', 'unreachable'],
    [{ home: 'sealed' as const, sealed: 'open' as const, keyring: broken }, null, 'sealed'],
    [
      { home: 'sealed' as const, sealed: 'open' as const, keyring: broken, keys: [key('keyring')] },
      'provider/acme',
      'behind',
    ],
    [
      { home: 'sealed' as const, sealed: 'open' as const, keyring: broken, keys: [key('sealed')] },
      'provider/acme',
      'sealed',
    ],
    [{ home: 'sealed' as const, sealed: 'locked' as const, keyring: broken }, null, 'locked'],
    [{ sealed: 'locked' as const, keys: [key('sealed')] }, null, 'locked'],
    [{ sealed: 'locked' as const, keys: [key('keyring')] }, null, undefined],
    [{ sealed: 'open' as const, keys: [key('sealed')], to_be_moved: 1 }, null, 'apart'],
    [{ home: 'sealed' as const }, null, 'nowhere'],
  ])('with %j and a key wanted called %j is %s', (more, wanted, told) => {
    expect(degraded(keys(more), [acme(wanted)], [])).toBe(told);
  });

  it.each([
    ['a key that is nowhere', {}, acme('provider/acme'), 'keyless'],
    ['a key that is there', { keys: [key('keyring')] }, acme('provider/acme'), undefined],
    ['a variable that is not set', {}, { ...acme(null), key_env: 'ACME_KEY' }, 'keyless'],
    ['a variable, without a keyring', { keyring: broken }, { ...acme(null), key_env: 'ACME_KEY' }, 'keyless'],
    [
      'a variable that is set',
      { keys: [{ ...key('keyring'), place: { kind: 'variable' as const, variable: 'ACME_KEY' } }] },
      { ...acme(null), key_env: 'ACME_KEY' },
      undefined,
    ],
    ['nothing', {}, acme(null), undefined],
  ])('of a provider in use that wants %s', (_, more, provider, told) => {
    expect(degraded(keys(more), [provider], [provider])).toBe(told);
    expect(keyless(keys(more), [provider])).toEqual(told === undefined ? [] : [provider]);
    expect(degraded(keys(more), [provider], [])).toBe(undefined);
  });
});

it('a provider without a key can be given one, whether it wants one or not', () => {
  const rows = (...providers: Provider[]) => without(keys(), providers).map(({ name, wanted }) => [name, wanted]);
  expect(rows(acme('provider/acme'))).toEqual([['provider/acme', true]]);
  expect(rows({ ...acme(null), key_env: 'ACME_KEY' })).toEqual([['provider/acme', true]]);
  expect(rows(acme(null))).toEqual([['provider/acme', false]]);
  expect(rows({ ...acme(null), kind: 'local' }, { ...acme(null), kind: 'scripted' })).toEqual([]);
  expect(without(keys({ keys: [key('keyring')] }), [acme('provider/acme'), acme(null)])).toEqual([]);
});
