/** How what a tool is given is called: of our own tools in the language of the moment. */
import { given } from './en/given';
import { t } from './words.svelte';

/** Undefined where only whoever made the tool knows what it is. */
export function sayGiven(tool: string, name: string): string | undefined {
  return !tool.includes('__') && isKnown(name) ? t(`given.${name}`) : undefined;
}

const isKnown = (name: string): name is keyof typeof given => Object.hasOwn(given, name);
