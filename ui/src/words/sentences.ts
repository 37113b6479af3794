/** Sentences as the language of the moment sets them. */
import { language } from './words.svelte';

/** Sentences one after the other, as the language sets them. */
export function together(...sentences: readonly string[]): string {
  return sentences.filter((one) => one !== '').join(language() === 'zh' ? '' : ' ');
}

/** One after the other in one breath, as where a name is read out with what is told of it. */
export function inOneBreath(...said: readonly (string | undefined)[]): string {
  return said.filter((one) => one !== undefined).join(language() === 'zh' ? '，' : ', ');
}

/** What the runtime says begins small and has no full stop; on the screen it is a sentence. */
export function sentence(text: string): string {
  if (/[.!?…。！？]$/.test(text) || text === '') return heading(text);
  return `${heading(text)}${/\p{Script=Han}$/u.test(text) ? '。' : '.'}`;
}

/** The same as a title: no full stop. The name of a file stays as it is. */
export function heading(text: string): string {
  if (/^\S*\w[._/\\]\w/.test(text)) return text;
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
