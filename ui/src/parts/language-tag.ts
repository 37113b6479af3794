/**
 * A system without a language calls it `C`, which is no tag that `Intl` knows.
 * uPlot hands it to `Intl` when it is loaded, so it is set right before that.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
