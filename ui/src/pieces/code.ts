/** What the buttons of code in a message say. */
import type { CodeWords } from '../parts/enhanced';
import { t } from '../words';

export function codeWords(): CodeWords {
  return {
    copy: t('part.copy'),
    copied: t('part.copied'),
    diagram: t('part.diagram'),
    source: t('part.source_text'),
  };
}
