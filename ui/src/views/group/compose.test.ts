import { describe, expect, it } from 'vitest';
import { lengthOf, recalled } from './compose';

describe('the composer', () => {
  it('counts characters as the limit does', () => {
    expect(lengthOf('好👍a')).toBe(3);
  });

  it('brings back what was said, the newest first', () => {
    const said = ['one', 'two'];
    expect(recalled(said, '')).toBe('two');
    expect(recalled(said, 'two')).toBe('one');
    expect(recalled(said, 'one')).toBeNull();
    expect(recalled(said, 'something new')).toBeNull();
    expect(recalled([], '')).toBeNull();
  });
});
