import { expect, it } from 'vitest';
import { fitted } from './pictures.svelte';

it('is as large as it can be without being another shape, and no larger than it is', () => {
  const table: [width: number, height: number, drawn: [number, number]][] = [
    [600, 300, [320, 160]],
    [300, 600, [110, 220]],
    [320, 220, [320, 220]],
    [64, 48, [64, 48]],
    [1, 1, [1, 1]],
    [8000, 6000, [293, 220]],
    [9000, 10, [320, 1]],
    [10, 9000, [1, 220]],
  ];
  for (const [width, height, drawn] of table) {
    const fits = fitted({ width, height }, { width: 320, height: 220 });
    expect([fits.width, fits.height]).toEqual(drawn);
  }
});
