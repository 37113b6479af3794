import type { CodeWords } from '../parts/enhanced';
import { number, t } from '../words';

/** What the buttons of code in a message say, what stands with it, and what is set off in one. */
export function codeWords(): CodeWords {
  return {
    copy: t('part.copy'),
    copied: t('part.copied'),
    diagram: t('part.diagram'),
    source: t('part.source_text'),
    undrawn: t('part.undrawn'),
    tooLong: (most) => t('part.diagram_long', { most: number(most) }),
    ...foldWords(),
    callout: (kind) => t(`part.callout_${kind}`),
    all: (lines) => t('part.all_lines', { n: lines }),
  };
}

/** What the button of a long text says. */
export function foldWords(): { all: string; less: string } {
  return { all: t('part.all'), less: t('part.less') };
}
