import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  // Found at once, so that the first look at a page does not reload the window.
  optimizeDeps: {
    entries: ['src/main.ts', 'src/views/**/*.{ts,svelte}', 'src/parts/**/*.{ts,svelte}', '!**/*.test.ts'],
  },
  server: { port: 5173, strictPort: true },
  build: {
    target: ['safari16', 'chrome110'],
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'] },
});
