import { afterEach, describe, expect, it } from 'vitest';
import { sayTyped, typedDigits, typedMicrousd, typedNumber, typedWhole } from './typed';
import { setLanguage, type Tongue } from './words.svelte';

afterEach(() => setLanguage('en'));

const tongues: readonly Tongue[] = ['en', 'zh'];

describe('a number', () => {
  it.each([
    ['1,234', 1234],
    ['1,234.5', 1234.5],
    ['1.234', 1.234],
    ['1,234,567', 1_234_567],
    ['200 000', 200_000],
    ['200\u00a0000', 200_000],
    ['10_000', 10_000],
    [' 1000 ', 1000],
    ['0.0125', 0.0125],
    ['-3', -3],
    // As a Chinese keyboard types it.
    ['１，２３４。５', 1234.5],
    ['1,5', undefined],
    ['0,0125', undefined],
    ['0,500', undefined],
    ['1.234,5', undefined],
    ['1.234.567', undefined],
    ['1,00,000', undefined],
    ['1,234 567', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['many', undefined],
  ])('is read of %j as it is typed in either language', (text, value) => {
    for (const tongue of tongues) {
      setLanguage(tongue);
      expect(typedNumber(text), tongue).toBe(value);
    }
  });

  it('keeps every digit where it is not to be counted with', () => {
    expect(typedDigits('1,234,567,890,123,456,789')).toBe('1234567890123456789');
    expect([typedDigits('1,234.50'), typedDigits('１。５'), typedDigits('1,5')]).toEqual(['1234.50', '1.5', undefined]);
  });

  it('has no more decimals than fit, and where it is whole none', () => {
    expect([typedNumber('0.25', 2), typedNumber('0.125', 2)]).toEqual([0.25, undefined]);
    expect([typedWhole('1,234'), typedWhole('1.234'), typedWhole('-1')]).toEqual([1234, undefined, undefined]);
    expect([typedWhole('60', 1, 60), typedWhole('61', 1, 60), typedWhole('0', 1, 60)]).toEqual([
      60,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['5', 5_000_000],
    ['$0.25', 250_000],
    ['0.0125', 12_500],
    ['1,234.50', 1_234_500_000],
    ['0,0125', undefined],
    ['1,5', undefined],
    ['-1', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['0.0000001', undefined],
  ])('of dollars is read of %j', (text, microusd) => expect(typedMicrousd(text)).toBe(microusd));

  it('that can be read in two ways is asked for again, in the language of the moment', () => {
    const takes = 'a number';
    for (const text of ['1,5', '1.234,5', '$0,25', '1.500', '1,00,000'])
      expect(sayTyped(text, takes)).toBe(`“${text}” can be read in two ways. Write numbers like 1,234.5.`);
    for (const text of ['1.5', '-1', 'many', '1,234', '0.0000001', '']) expect(sayTyped(text, takes)).toBe(takes);
    setLanguage('zh');
    expect(sayTyped('1,5', takes)).toBe('“1,5”有两种读法，数字要写成 1,234.5 这样。');
  });
});
