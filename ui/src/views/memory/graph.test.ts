import { describe, expect, it } from 'vitest';
import { draw, lineOf, subjectsOf, type Said } from './graph';

const said = (id: string, subject: string, attribute: string, value: string): Said => ({
  id,
  statement: { subject, attribute, value },
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
      'Lisbon 222 0',
      'Ana 222 63',
      'Lin 444 42',
      'botanist 444 84',
    ]);
  });

  it('has every part under a key of its own, and a line that ends at its box', () => {
    const { nodes, edges } = draw(family, 'Lin');
    expect(new Set(nodes.map((node) => node.key)).size).toBe(nodes.length);
    expect(new Set(edges.map((edge) => edge.key)).size).toBe(edges.length);
    expect(edges[0] && lineOf(edges[0])).toBe('M132 46.5 C177 46.5 177 15 222 15');
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
