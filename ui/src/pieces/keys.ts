/** Where keys live, in words. */
import type { KeyHome, KeyPlace, Keys } from '../api/generated';
import { t } from '../words';

/** The runtime calls it by its English name; where that is no name of its own, the reader's language has one. */
export function sayKeyring({ keyring_name: name }: Keys): string {
  if (name.includes('Secret Service')) return t('keys.secret_service');
  if (name.includes('Keychain')) return t('keys.keychain');
  if (name.includes('Credential Manager')) return t('keys.credential_manager');
  return name;
}

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
