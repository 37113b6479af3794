/** The fake workspace's keys: what may be shown of them, and never a key itself. */
import type { Command, Fault, Key, KeyHome, Keys } from '../generated';
import type { World } from './world';

export type KeyCommand = Extract<
  Command,
  {
    kind:
      | 'set_key'
      | 'use_variable'
      | 'remove_key'
      | 'move_keys'
      | 'seal_keys'
      | 'unlock_keys'
      | 'lock_keys'
      | 'change_passphrase';
  }
>;

/** How the places stand at the start. */
export type Places = 'keyring' | 'no keyring' | 'sealed' | 'locked';

const noKeyring: Fault = {
  code: 'key',
  message: 'there is no keyring on this system: nothing answers on the session bus',
  fix: 'install and start GNOME Keyring or KWallet, log in again, or choose to keep keys in a file sealed with a passphrase: coterie key move sealed',
  kind: { is: 'keyring_absent', detail: 'nothing answers on the session bus' },
};
const isBad = (key: string) => key.includes('wrong');
const refusedBy = (provider: string): Fault => ({
  code: 'key',
  message: `${provider} refused the key (401)`,
  fix: 'copy the key once more, whole, and set it again',
  kind: { is: 'model', trouble: 'key' },
});
const refused: Fault = {
  code: 'bad_input',
  message: 'that is not the passphrase of the sealed file',
  fix: 'enter the passphrase that it was sealed with',
  kind: { is: 'passphrase_wrong' },
};

/** Whose providers use it is looked up; `only_for` where none does any more. */
type Kept = Omit<Key, 'used_by' | 'only_for'> & Partial<Pick<Key, 'only_for'>>;

export class FakeKeys {
  #world: World;
  #home: KeyHome;
  #list: Fault | null = null;
  #keyring: Fault | null;
  #sealed: Keys['sealed'];
  /** Of the sealed file: its length and a sum, which say whether it is the same one. */
  #passphrase: string;
  /** Servers of this machine that want a key nonetheless. */
  readonly guarded = new Set<string>();
  /** Keys that a service will refuse. */
  readonly #bad = new Set<string>();
  readonly #keys = new Map<string, Kept>();

  constructor(world: World, places: Places) {
    this.#world = world;
    this.#home = places === 'sealed' || places === 'locked' ? 'sealed' : 'keyring';
    this.#keyring = places === 'keyring' ? null : noKeyring;
    this.#sealed = places === 'sealed' ? 'open' : places === 'locked' ? 'locked' : 'absent';
    this.#passphrase = sum('correct horse');
  }

  all(): Keys {
    const keys = [...this.#keys.values()].map((key) => ({ only_for: null, ...key, used_by: this.#usersOf(key.name) }));
    return {
      keys: this.#list ? [] : keys,
      list: this.#list,
      home: this.#home,
      keyring: this.#keyring,
      keyring_name: 'GNOME Keyring',
      sealed: this.#sealed,
      lent: 0,
      to_be_erased: 0,
      to_be_moved: keys.filter((key) => key.place.kind !== 'variable' && key.place.kind !== this.#home).length,
    };
  }

  /** As if somebody had set it long ago. */
  keep(key: Kept): void {
    this.#keys.set(key.name, key);
  }

  /** Whether a service takes the key of this name; why not, else. */
  opens(provider: string, name: string | null, tried: string | null): Fault | null {
    if (tried !== null) return isBad(tried) ? refusedBy(provider) : null;
    if (name === null)
      return { code: 'key', message: `${provider} wants a key (401)`, fix: 'give it its key in Settings' };
    const key = this.#keys.get(name);
    if (!key) return { code: 'key', message: `the key ${name} is not set`, fix: 'set it in Settings' };
    return this.#bad.has(name) ? refusedBy(provider) : null;
  }

  /** The keyring goes, or comes back. */
  breakKeyring(why: Fault | null = noKeyring): void {
    this.#keyring = why;
    this.tell();
  }

  breakList(): void {
    const path = '/home/you/.local/share/coterie/secrets.json';
    this.#list = {
      code: 'key',
      message: `the list of keys, ${path}, is damaged: EOF while parsing an object at line 1 column 1`,
      fix: 'put a copy from a backup in its place and start Coterie again, or enter the keys again',
      kind: { is: 'key_list_damaged', path, detail: 'EOF while parsing an object at line 1 column 1' },
    };
    this.tell();
  }

  tell(): void {
    this.#world.tell({ event: 'keys', keys: this.all() });
  }

  do(command: KeyCommand): void {
    switch (command.kind) {
      case 'set_key':
        this.#mustWork(this.#home);
        if (isBad(command.value)) this.#bad.add(command.name);
        else this.#bad.delete(command.name);
        this.#keys.set(command.name, {
          name: command.name,
          place: { kind: this.#home },
          ends_with: command.value.length < 12 ? null : [...command.value.slice(-4)].join(''),
          set_ms: this.#world.now(),
          used_ms: null,
        });
        this.#takeIntoUse(command.name);
        break;
      case 'use_variable':
        this.#keys.set(command.name, {
          name: command.name,
          place: { kind: 'variable', variable: command.variable },
          ends_with: null,
          set_ms: this.#world.now(),
          used_ms: null,
        });
        break;
      case 'remove_key': {
        const place = this.#keys.get(command.name)?.place.kind;
        if (!command.forget && place !== undefined && place !== 'variable') this.#mustWork(place);
        this.#keys.delete(command.name);
        break;
      }
      case 'move_keys':
        this.#mustWork(command.to);
        this.#home = command.to;
        for (const [name, key] of this.#keys)
          if (key.place.kind !== 'variable') this.#keys.set(name, { ...key, place: { kind: command.to } });
        break;
      case 'seal_keys':
        this.#passphrase = sum(command.passphrase);
        this.#sealed = 'open';
        this.#home = 'sealed';
        break;
      case 'unlock_keys':
        if (sum(command.passphrase) !== this.#passphrase) throw refused;
        this.#sealed = 'open';
        break;
      case 'lock_keys':
        this.#sealed = 'locked';
        break;
      case 'change_passphrase':
        if (sum(command.old) !== this.#passphrase) throw refused;
        this.#passphrase = sum(command.new);
        break;
      default:
        command satisfies never;
    }
    this.tell();
  }

  /** A provider's own key goes with it. */
  forgetUnused(provider: string): void {
    const name = `provider/${provider}`;
    if (this.#usersOf(name).length === 0) this.#keys.delete(name);
    this.tell();
  }

  /** A provider's own key is what it is asked with, unless it names another. */
  #takeIntoUse(name: string): void {
    const owner = this.#world.providers.get(name.replace('provider/', ''));
    if (owner?.key === null) this.#world.save({ table: 'provider', row: { ...owner, key: name } });
  }

  #mustWork(place: KeyHome): void {
    if (place === 'keyring' && this.#keyring) throw this.#keyring;
    if (place === 'sealed' && this.#sealed !== 'open')
      throw { code: 'key', message: 'the sealed file is locked', fix: 'unlock it with its passphrase' } satisfies Fault;
  }

  #usersOf(name: string): string[] {
    return [...this.#world.providers.values()].filter((provider) => provider.key === name).map(({ name }) => name);
  }
}

function sum(text: string): string {
  const total = [...text].reduce((sum, letter, at) => sum + (at + 1) * (letter.codePointAt(0) ?? 0), 0);
  return `${text.length} ${total}`;
}
