import { expect, it } from 'vitest';
import type { Approval } from '../api/generated';
import { stakesOf } from './stakes';

const of = (tool: string, given: unknown, target: string | null = null) =>
  stakesOf({ tool, arguments: given, target } as Approval);

it('says of each tool what it would run, where, and whether with the network', () => {
  const here = { kind: 'folder', network: false };
  expect(of('shell', { command: 'ls' }, 'ls')).toEqual({ runs: 'command', where: here, target: null });
  expect(of('shell', { command: 'ls  -l' }, 'ls -l').target).toBe('ls -l');
  expect(of('shell_online', { command: 'curl x' }).where).toEqual({ kind: 'folder', network: true });
  expect(of('run_code', { code: '1' })).toEqual({ runs: 'program', where: here, target: null });
  expect(of('fetch', { url: 'x' }, 'https://x/')).toEqual({
    runs: null,
    where: { kind: 'internet' },
    target: 'https://x/',
  });
  expect(of('notes__add', { command: 'x' }).where).toEqual({ kind: 'server', name: 'notes' });
  expect(of('write_file', ['a'], '/b')).toEqual({ runs: null, where: null, target: '/b' });
});
