/**
 * Colours for code, fetched only when the first code appears.
 *
 * Gives classes, never inline styles: the page's policy forbids those, and the
 * colours belong to the theme. The engine is plain JavaScript for the same
 * reason: a policy of `script-src 'self'` runs no WebAssembly.
 */
import type { HighlighterCore, LanguageInput } from 'shiki/core';

export type Piece = { text: string; kind: string };

const languages: Record<string, () => LanguageInput> = {
  bash: () => import('@shikijs/langs/bash'),
  c: () => import('@shikijs/langs/c'),
  cpp: () => import('@shikijs/langs/cpp'),
  csharp: () => import('@shikijs/langs/csharp'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  latex: () => import('@shikijs/langs/latex'),
  lua: () => import('@shikijs/langs/lua'),
  markdown: () => import('@shikijs/langs/markdown'),
  php: () => import('@shikijs/langs/php'),
  python: () => import('@shikijs/langs/python'),
  r: () => import('@shikijs/langs/r'),
  ruby: () => import('@shikijs/langs/ruby'),
  rust: () => import('@shikijs/langs/rust'),
  sql: () => import('@shikijs/langs/sql'),
  svelte: () => import('@shikijs/langs/svelte'),
  swift: () => import('@shikijs/langs/swift'),
  toml: () => import('@shikijs/langs/toml'),
  typescript: () => import('@shikijs/langs/typescript'),
  yaml: () => import('@shikijs/langs/yaml'),
};

const nicknames: Record<string, string> = {
  'c++': 'cpp',
  cs: 'csharp',
  console: 'bash',
  js: 'javascript',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  tex: 'latex',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

let started: Promise<HighlighterCore> | undefined;

/** The lines of code in pieces, or undefined for a language it does not know or code too long to be worth it. */
export async function highlighted(code: string, lang: string): Promise<Piece[][] | undefined> {
  const asked = lang.toLowerCase();
  const name = nicknames[asked] ?? asked;
  const load = languages[name];
  if (!load || code.length > 60_000) return undefined;
  started ??= start();
  const highlighter = await started;
  if (!highlighter.getLoadedLanguages().includes(name)) await highlighter.loadLanguage(load());
  const lines = highlighter.codeToTokensBase(code.replace(/\n$/, ''), { lang: name, theme: 'tokens' });
  return lines.map((line) => line.map((token) => ({ text: token.content, kind: kindOf(token.color) })));
}

async function start(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  const theme = createCssVariablesTheme({ name: 'tokens', variablePrefix: '--tok-' });
  return createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

/** `var(--tok-token-string)` says `string`. */
function kindOf(color: string | undefined): string {
  return /--tok-token-([a-z-]+)/.exec(color ?? '')?.[1] ?? '';
}
