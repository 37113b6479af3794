import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Who may import whom: api, state, views, parts, styles; an import points left, a view knows no other view. */
const no = (...groups) => ['error', { patterns: groups.map(([group, message]) => ({ group, message })) }];
const tauri = [['@tauri-apps/*'], 'only api/tauri.ts speaks to Tauri'];

export default ts.config(
  { ignores: ['dist', 'node_modules', 'src/api/generated.ts'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { parserOptions: { extraFileExtensions: ['.svelte'] } },
    rules: {
      'no-undef': 'off',
      'no-restricted-imports': no(tauri),
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'svelte/require-each-key': 'error',
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
  { files: ['src/api/tauri.ts'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['src/api/**'],
    ignores: ['src/api/tauri.ts'],
    rules: {
      'no-restricted-imports': no(tauri, [['**/state/**', '**/views/**', '**/parts/**'], 'api is the leftmost layer']),
    },
  },
  {
    files: ['src/state/**'],
    rules: { 'no-restricted-imports': no(tauri, [['**/views/**', '**/parts/**'], 'state knows no screen']) },
  },
  {
    files: ['src/parts/**'],
    rules: {
      'no-restricted-imports': no(tauri, [['**/api/**', '**/state/**', '**/views/**'], 'parts know no domain word']),
    },
  },
);
