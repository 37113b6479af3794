/** Models that are files on the fake machine: what the runtime would read from their headers. */
import type { Fault, LocalModel, LocalModels } from '../generated';
import type { World } from './world';

export class OwnModels {
  #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  all(): LocalModels {
    const local = this.#world.providers.get('local');
    const own = (local?.models ?? [])
      .map(({ name, chosen_tokens }) => modelAt(name, chosen_tokens))
      .filter((model) => !model.ships);
    return { models: [modelAt('smollm2-135m'), ...own], gpu: false };
  }

  add(path: string): LocalModel {
    if (path.includes('broken'))
      throw {
        code: 'bad_input',
        message: `${path} is cut off: it has 100 of at least 4683073184 bytes`,
        fix: 'download it again',
        kind: { is: 'model_file', path, wrong: 'cut_off' },
      } satisfies Fault;
    const local = this.#world.providers.get('local');
    if (local && !local.models.some(({ name }) => name === path))
      this.#save([...local.models, { name: path, context_tokens: 8192, chosen_tokens: null, demo: false }]);
    return modelAt(path);
  }

  remove(path: string): void {
    this.#save((this.#world.providers.get('local')?.models ?? []).filter(({ name }) => name !== path));
    const { settings } = this.#world;
    // The one that ships serves in its place.
    if (settings.models.default !== `local/${path}`) return;
    const models = { ...settings.models, default: 'local/smollm2-135m' };
    this.#world.save({ table: 'settings', row: { ...settings, models } });
  }

  #save(models: NonNullable<ReturnType<World['providers']['get']>>['models']): void {
    const local = this.#world.providers.get('local');
    if (local) this.#world.save({ table: 'provider', row: { ...local, models } });
  }
}

function modelAt(path: string, chosen: number | null = null): LocalModel {
  const ships = !path.startsWith('/');
  return {
    model: `local/${path}`,
    path: ships ? `/opt/coterie/models/${path}.gguf` : path,
    ships,
    about: {
      title: null,
      architecture: ships ? 'llama' : 'qwen3',
      bytes: ships ? 98_362_432 : 4_683_073_184,
      parameters: ships ? 134_515_008 : 8_190_735_360,
      quantisation: ships ? 'Q4_1' : 'Q4_K_M',
      context_tokens: ships ? 8192 : 40_960,
      window_tokens: chosen ?? (ships ? 4096 : 8192),
      has_template: true,
      template_wrong: null,
    },
    wrong: null,
  };
}
