import { describe, expect, it } from 'vitest';
import type { Memory } from '../../api/generated';
import { cutTo, draw, lineOf, middleOf, saidIn, subjectsOf, type Said } from './graph';

const said = (id: string, subject: string, attribute: string, value: string): Said => ({
  id,
  statement: { subject, attribute, value },
  stands: 'holds',
});
const family = [
  said('1', 'Lin', 'lives in', 'Lisbon'),
  said('2', 'Lin', 'sister', 'Ana'),
  said('3', 'ana', 'works as', 'botanist'),
  said('4', 'Ana', 'sister', 'Lin'),
];
const labels = (of: readonly Said[], subject: string) =>
  draw(of, subject).nodes.map(({ label, x, y }) => `${label} ${x} ${y}`);

describe('what is said of somebody', () => {
  it('goes on from a value that something is said about, and not back to where it came from', () => {
    const { edges, cut } = draw(family, 'Lin');
    expect(edges.map(({ from, label, to }) => `${from.label} ${label} ${to.label}`)).toEqual([
      'Lin lives in Lisbon',
      'Lin sister Ana',
      'Ana sister Lin',
      'Ana works as botanist',
    ]);
    expect(cut).toBe(0);
  });

  it('stands in columns, each name in the middle of what follows from it', () => {
    expect(labels(family, 'Lin')).toEqual([
      'Lin 0 31.5',
      'Lisbon 238 0',
      'Ana 238 63',
      'Lin 476 42',
      'botanist 476 84',
    ]);
  });

  it('has every part under a key of its own, and a line that ends at its box', () => {
    const { nodes, edges } = draw(family, 'Lin');
    expect(new Set(nodes.map((node) => node.key)).size).toBe(nodes.length);
    expect(new Set(edges.map((edge) => edge.key)).size).toBe(edges.length);
    expect(edges[0] && lineOf(edges[0])).toBe('M132 46.5 C153.6 46.5 146.4 15 168 15 H238');
  });

  it('bears each attribute in the middle of its line, beside its own value, and gives both what room they need', () => {
    const { nodes, edges } = draw([said('1', 'Lin', 'has been learning since', 'classical Arabic calligraphy')], 'Lin');
    const [root, value] = nodes;
    expect([root?.width, value?.width, value?.x]).toEqual([132, 222, 331]);
    expect(edges[0] && middleOf(edges[0])).toEqual({ x: 249.5, y: 15, room: 143 });
    expect(cutTo('has been learning since', 143, 6.2)).toBe('has been learning since');
    expect(cutTo('has been learning since', 62, 6.2)).toBe('has been…');
    expect(cutTo('喜欢安静的早晨', 62, 6.2)).toBe('喜欢安静…');
  });

  it('names the thing itself where it is only so or not so', () => {
    const { edges } = draw([said('1', 'user', 'likes tea', 'yes'), said('2', 'user', 'owns a car', 'No')], 'user');
    expect(edges.map(({ label, denies, to }) => [to.label, label, denies])).toEqual([
      ['likes tea', '', false],
      ['owns a car', '', true],
    ]);
  });

  it('tells those that hold from those that do not and from the contested', () => {
    const memory = (more: Partial<Memory>) =>
      ({ id: 'm', kind: 'fact', statement: family[0]?.statement, state: { kind: 'current' }, ...more }) as Memory;
    const ends = { valid_from_ms: null, valid_to_ms: null };
    const all = [
      memory(ends),
      memory({ ...ends, valid_to_ms: 50 }),
      memory({ ...ends, valid_from_ms: 150 }),
      memory({ ...ends, state: { kind: 'superseded', by: 'n' } }),
      memory({ ...ends, state: { kind: 'wrong' } }),
      memory({ ...ends, state: { kind: 'contested', by: 'n' } }),
      memory({ ...ends, statement: null }),
    ];
    const stands = saidIn(all, 100).map((one) => one.stands);
    expect(stands).toEqual(['holds', 'not', 'not', 'not', 'not', 'contested']);
  });

  it('is cut where nobody could read it, and says how much is missing', () => {
    const many = Array.from({ length: 75 }, (_, at) => said(`${at}`, 'Lin', `likes ${at}`, `thing ${at}`));
    const { edges, cut } = draw(many, 'Lin');
    expect([edges.length, cut]).toEqual([60, 15]);
  });
});

describe('the subjects', () => {
  it('are one in any letters, the most said first', () => {
    expect(subjectsOf([...family, said('5', 'LIN', 'likes', 'tea')])).toEqual([
      { subject: 'Lin', count: 3 },
      { subject: 'ana', count: 2 },
    ]);
  });
});
