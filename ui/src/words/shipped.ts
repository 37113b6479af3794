/**
 * What the souls that ship say of themselves, in the language of the moment.
 *
 * Told by the text itself: once a person has changed it, it stays as they
 * wrote it.
 */
import { en } from './en';
import { t } from './words.svelte';
import { zh } from './zh';

type Name = keyof typeof en.shipped;

const names = new Map<string, Name>();
for (const table of [en.shipped, zh.shipped]) {
  for (const name of Object.keys(table) as Name[]) names.set(table[name], name);
}

/** An agent's role or description. */
export function sayShipped(text: string): string {
  const name = names.get(text);
  return name ? t(`shipped.${name}`) : text;
}
