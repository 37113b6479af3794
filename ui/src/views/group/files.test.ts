import { afterEach, expect, it, vi } from 'vitest';
import { read } from './files';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A window that can draw, and what it has drawn so far. */
function draws(width: number, height: number): string[] {
  const drawn: string[] = [];
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width, height, close: () => undefined }));
  const drawing = { fillRect: () => undefined, drawImage: () => undefined };
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(drawing as never);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (this: HTMLCanvasElement, done) {
    drawn.push(`${this.width} x ${this.height}`);
    done(new Blob(['small']));
  });
  return drawn;
}

const wide = () => new File(['wide'], 'wide.png', { type: 'image/png' });

it('draws a picture anew that has a side no provider takes, however few bytes it has', async () => {
  const drawn = draws(8192, 1024);
  expect(await read(wide())).toEqual({ name: 'wide.jpg', base64: btoa('small') });
  expect(drawn).toEqual(['2048 x 256']);
});

it('leaves a picture as it is that fits, and one that the window cannot read', async () => {
  const drawn = draws(8000, 8000);
  expect(await read(wide())).toEqual({ name: 'wide.png', base64: btoa('wide') });
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')));
  expect(await read(wide())).toEqual({ name: 'wide.png', base64: btoa('wide') });
  expect(drawn).toEqual([]);
});
