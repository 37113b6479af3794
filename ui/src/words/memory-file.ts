/** What is wrong with a file of memories or conversations, and what of it stays out. */
import type { LeftOut, LeftOutWhy, MemoryFileWrong, PlaceInFile } from '../api/generated';
import { t } from './words.svelte';

export function sayFileWrong(wrong: MemoryFileWrong): string {
  switch (wrong.is) {
    case 'too_long':
    case 'line_too_long':
      return t(`memory_file.${wrong.is}`, { most_mb: wrong.most_mb });
    case 'no_json':
      return t('memory_file.no_json', { column: wrong.column });
    default:
      return t(`memory_file.${wrong.is}`);
  }
}

/** Its part is numbered as an editor numbers its lines: that is a name, not an amount. */
export function sayPlaceInFile({ file, part }: PlaceInFile): string {
  const said = part && t(`memory_file.${part.is}`, { number: String(part.number) });
  return file && said ? t('memory_file.in_file', { file, part: said }) : (file ?? said ?? '');
}

export const sayLeftOut = ({ place, why }: LeftOut): string =>
  t('memory.import_reason', { place: sayPlaceInFile(place), why: sayWhy(why) });

function sayWhy(why: LeftOutWhy): string {
  switch (why.is) {
    case 'shown':
      return t('memory_file.shown', { n: why.files });
    case 'nothing_said':
      return t('memory_file.nothing_said', { title: why.title });
    case 'other_words':
      return t('memory_file.other_words', { text: why.text });
    case 'file':
      return sayFileWrong(why.wrong);
    case 'unfit':
      return why.detail;
    default:
      return t(`memory_file.${why.is}`);
  }
}
