/** What a soul of the fake workspace names in vain: in lists of one line, which is all that its texts have. */
import type { SoulMistake, SoulProblem } from '../generated';

export type Names = Readonly<Record<'tools' | 'skills' | 'mcp' | 'delegates', readonly string[]>>;

export const tools = ['calculator', 'delegate', 'list_folder', 'memory_search', 'read_file', 'soul_propose', 'time'];

/** The nearest name is one with the same beginning. */
export function inVain(text: string, known: Names): SoulProblem[] {
  const front = /^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? '';
  return front.split('\n').flatMap((line, at) => {
    const [, field = '', list = ''] = /^(tools|skills|mcp|delegates): *\[(.*)\]/.exec(line) ?? [];
    if (!isField(field)) return [];
    const named = list.split(',').map((name) => name.trim());
    const missing = named.filter((name) => name !== '' && !known[field].includes(name));
    return missing.map((name) => {
      const close = known[field].find((one) => one.slice(0, 3) === name.slice(0, 3)) ?? null;
      const message = `there is no ${name}${close ? `; did you mean ${close}?` : ''}`;
      return { line: at + 2, column: line.indexOf(name) + 1, message, kind: { is: mistakes[field], name, close } };
    });
  });
}

const mistakes = {
  tools: 'tool_missing',
  skills: 'skill_missing',
  mcp: 'server_missing',
  delegates: 'delegate_missing',
} as const satisfies Record<keyof Names, SoulMistake['is']>;

const isField = (field: string): field is keyof Names => field in mistakes;
