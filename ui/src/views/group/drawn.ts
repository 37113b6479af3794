/**
 * The interrupted answers whose rows are drawn. What stands before the reader
 * is not said a second time above the composer.
 */
import { SvelteSet } from 'svelte/reactivity';
import type { RunId } from '../../api/generated';

export const drawn = new SvelteSet<RunId>();
