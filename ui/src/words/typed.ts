/**
 * Numbers as people of the language of the moment type them: `1,234.5` in English and in Chinese.
 *
 * What others read as another number is none here: of `1,5` and `1.234,5` nobody knows which was meant.
 */
import { number } from './format';
import { languageTag, t } from './words.svelte';

const written = /^(?<whole>-?(?:\d+|[1-9]\d{0,2}([, _])\d{3}(?:\2\d{3})*))(?:\.(?<fraction>\d+))?$/;

/** Undefined where it is no number, has more decimals than that, or can be read in two ways. */
export function typedNumber(text: string, decimals = 15): number | undefined {
  const digits = typedDigits(text, decimals);
  return digits === undefined ? undefined : Number(digits);
}

/** The same, sign by sign: a number holds no more than some fifteen digits. */
export function typedDigits(text: string, decimals = 15): string | undefined {
  const { whole, fraction = '' } = written.exec(plain(text))?.groups ?? {};
  if (whole === undefined || fraction.length > decimals) return undefined;
  return `${whole.replace(/[, _]/g, '')}${fraction && `.${fraction}`}`;
}

/** A whole one in these bounds, or undefined. */
export function typedWhole(text: string, from = 0, to = 999_999_999_999_999): number | undefined {
  const typed = typedNumber(text, 0);
  return typed !== undefined && typed >= from && typed <= to ? typed : undefined;
}

/** An amount, such as `5.00` or `$5`, as millionths; undefined where it is none. */
export function typedMicrousd(text: string): number | undefined {
  const dollars = typedNumber(text.trim().replace(/^\$\s*/, ''), 6);
  return dollars === undefined || dollars < 0 || dollars >= 1e9 ? undefined : Math.round(dollars * 1_000_000);
}

/** What is wrong with what was typed: that it can be read in two ways, or else what its field takes. */
export function sayTyped(text: string, takes: string): string {
  const digits = plain(text).replace(/^\$ ?/, '');
  const isNumber = typedNumber(digits) !== undefined;
  const hasTwo = isNumber ? /^[1-9]\d{0,2}(\.\d{3})+$/.test(digits) : /^\d[\d., _]*\d$/.test(digits);
  return hasTwo ? t('part.two_ways', { typed: text.trim(), example: number(1234.5) }) : takes;
}

/** With a comma between thousands, a point before the fraction, and nothing as wide as a Chinese character. */
function plain(text: string): string {
  const narrow = text.normalize('NFKC').replace('。', '.').replace('−', '-').trim();
  const parts = new Intl.NumberFormat(languageTag()).formatToParts(0.5);
  const point = parts.find((part) => part.type === 'decimal')?.value ?? '.';
  return narrow.replace(/[.,]/g, (mark) => (mark === point ? '.' : ','));
}
