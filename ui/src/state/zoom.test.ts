import { expect, it } from 'vitest';
import { nextZoom, zooms } from './zoom';

it('becomes larger and smaller step by step, to an end', () => {
  for (const [at, zoom] of zooms.entries()) {
    expect(nextZoom(zoom, 'larger')).toBe(zooms[at + 1] ?? 200);
    expect(nextZoom(zoom, 'smaller')).toBe(zooms[at - 1] ?? 80);
  }
});
