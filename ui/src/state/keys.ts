/** How it stands with the keys: where new ones go, and what keeps them from being read. Pure. */
import type { Key, Keys, Provider } from '../api/generated';

/** What a provider's own key is called. */
export const keyNameOf = (provider: string): string => `provider/${provider}`;

/** The provider whose own key this is; undefined for any other key. */
export const providerOfKey = (name: string): string | undefined =>
  name.startsWith('provider/') ? name.slice('provider/'.length) : undefined;

export const keyNamed = (keys: Keys, name: string | null): Key | undefined =>
  keys.keys.find((key) => key.name === name);

/**
 * Whether a key that is typed now could be kept, and if not, what has to be done
 * first: `change` to the sealed file, which is open already.
 */
export type Ready = 'yes' | 'unlock' | 'choose' | 'change';

export function readyFor(keys: Keys): Ready {
  if (keys.home === 'keyring') {
    if (keys.keyring === null) return 'yes';
    return keys.sealed === 'absent' ? 'choose' : keys.sealed === 'locked' ? 'unlock' : 'change';
  }
  return keys.sealed === 'open' ? 'yes' : keys.sealed === 'locked' ? 'unlock' : 'choose';
}

/**
 * What everybody is told on every page.
 *
 * `unlisted`: nobody knows which keys there are.
 * `locked`: keys lie in the sealed file, and nobody has given its passphrase.
 * `nowhere`: somebody wants a key and there is no place to keep one.
 * `unreachable`: keys lie in the keyring, which cannot be used.
 * `behind`: the same, and new ones go into the sealed file, which is open.
 * `keyless`: a model that agents are asked through wants a key that is nowhere.
 * `apart`: keys lie in the other place than at home.
 * `sealed`: all works, but from the sealed file.
 */
export type Degraded = 'unlisted' | 'locked' | 'unreachable' | 'behind' | 'nowhere' | 'keyless' | 'apart' | 'sealed';

/** `used` are those that agents are asked through. */
export function degraded(keys: Keys, providers: readonly Provider[], used: readonly Provider[]): Degraded | undefined {
  const lieIn = (kind: 'keyring' | 'sealed') => keys.keys.some((key) => key.place.kind === kind);
  if (keys.list !== null) return 'unlisted';
  if (keys.sealed === 'locked' && (keys.home === 'sealed' || lieIn('sealed'))) return 'locked';
  if (keys.keyring !== null && lieIn('keyring')) return readyFor(keys) === 'yes' ? 'behind' : 'unreachable';
  if (keys.home === 'keyring' && keys.keyring !== null) {
    if (providers.some((provider) => provider.key !== null)) return 'nowhere';
    return keyless(keys, used).length > 0 ? 'keyless' : undefined;
  }
  if (keys.home === 'sealed' && keys.sealed === 'absent') return 'nowhere';
  if (keyless(keys, used).length > 0) return 'keyless';
  if (keys.to_be_moved > 0) return 'apart';
  return keys.home === 'sealed' ? 'sealed' : undefined;
}

/** Who is to be asked with a key that is neither stored nor in the variable that was named for it. */
export const keyless = (keys: Keys, providers: readonly Provider[]): readonly Provider[] =>
  providers.filter(({ name, key, key_env: variable }) =>
    // What a variable holds is listed only where nothing stored comes before it.
    key === null ? variable !== null && !keyNamed(keys, keyNameOf(name)) : variable === null && !keyNamed(keys, key),
  );

/** Providers that are asked without a key: `wanted` is one that is nowhere, else they may want none. */
export function without(
  keys: Keys,
  providers: Iterable<Provider>,
): readonly { name: string; provider: Provider; wanted: boolean }[] {
  return [...providers].flatMap((provider) => {
    const name = provider.key ?? keyNameOf(provider.name);
    const isAsked = provider.kind !== 'local' && provider.kind !== 'scripted';
    if (!isAsked || keyNamed(keys, name)) return [];
    return [{ name, provider, wanted: provider.key !== null || provider.key_env !== null }];
  });
}
