/** What a change of the settings makes of them. */
import type { Command, Price, PriceChange, Settings } from '../generated';

export function changed(
  settings: Settings,
  command: Extract<Command, { kind: 'use_model' | 'change_settings' }>,
): Settings {
  if (command.kind === 'use_model') {
    return { ...settings, models: { ...settings.models, [command.role]: command.model } };
  }
  const { no_model_for: role, price, ...areas } = command.patch;
  const models = role ? { ...settings.models, [role]: null } : settings.models;
  const prices = price ? priced(settings.prices, price) : settings.prices;
  return { ...settings, models, prices, ...areas };
}

function priced(prices: readonly Price[], { without, put }: PriceChange): Price[] {
  const at = prices.findIndex((price) => price.model === (without ?? put?.model));
  if (at === -1) return put ? [...prices, put] : [...prices];
  // What was said of the same at another place.
  return prices.toSpliced(at, 1, ...(put ? [put] : [])).filter((price) => price === put || price.model !== put?.model);
}
