/** Where keys live, in words. */
import type { KeyHome, KeyPlace, Keys } from '../api/generated';
import { sayKeyringName, t } from '../words';

export const sayKeyring = (keys: Keys): string => sayKeyringName(keys.keyring_name);

export function sayPlace(keys: Keys, place: KeyPlace): string {
  switch (place.kind) {
    case 'keyring':
      return sayKeyring(keys);
    case 'sealed':
      return t('keys.in_sealed');
    case 'variable':
      return t('keys.in_variable', { variable: place.variable });
    default:
      return place satisfies never;
  }
}

export const sayHome = (keys: Keys, home: KeyHome): string => sayPlace(keys, { kind: home });
