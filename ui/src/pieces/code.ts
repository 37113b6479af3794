import type { CodeWords } from '../parts/enhanced';
import { t } from '../words';

/** What the buttons of code in a message say. */
export function codeWords(): CodeWords {
  return {
    copy: t('part.copy'),
    copied: t('part.copied'),
    diagram: t('part.diagram'),
    source: t('part.source_text'),
    ...foldWords(),
    all: (lines) => t('part.all_lines', { n: lines }),
  };
}

/** What the button of a long text says. */
export function foldWords(): { all: string; less: string } {
  return { all: t('part.all'), less: t('part.less') };
}
