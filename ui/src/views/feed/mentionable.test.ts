import { expect, it } from 'vitest';
import type { Agent } from '../../api/generated';
import { mentionable } from './mentionable';

it('are those that the feed could give something, and who reads the community comes first', () => {
  const agents = ['ada', 'bo', 'kit', 'otto'].map((id) => ({ id }) as Agent);
  const quotas = ['ada', 'bo', 'otto'].map((agent) => ({ agent, left: 12, of: 12 }));
  const found = (readers: string[]) => mentionable(agents, quotas, readers).map(({ id }) => id);
  expect(found([])).toEqual(['ada', 'bo', 'otto']);
  expect(found(['otto', 'kit'])).toEqual(['otto', 'ada', 'bo']);
});
