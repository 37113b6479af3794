/** Programs from outside, as the runtime lets them in. */
import type { Command, Pass, Reply } from '../generated';
import type { World } from './world';

type FromOutside = Extract<Command, { kind: 'put_pass' | 'revoke_pass' | 'from_outside' }>;

const kinds: readonly Command['kind'][] = ['put_pass', 'revoke_pass', 'from_outside'];
export const isOutside = (command: Command): command is FromOutside => kinds.includes(command.kind);

export function doOutside(world: World, command: FromOutside): Reply {
  switch (command.kind) {
    case 'put_pass': {
      const before = [...world.passes.values()].find(
        (one) => one.revoked_ms === null && one.name === command.rights.name,
      );
      const fresh = { id: world.nextId(), at_ms: world.now(), used_ms: null, uses: 0, revoked_ms: null };
      return saved(world, { ...(before ?? fresh), ...command.rights });
    }
    case 'revoke_pass': {
      const pass = world.passes.get(command.pass);
      if (!pass) throw { code: 'not_found', message: 'there is no such pass', fix: '' };
      return saved(world, { ...pass, revoked_ms: world.now() });
    }
    case 'from_outside':
      throw { code: 'refused', message: 'no program runs here', fix: '' };
    default:
      return command satisfies never;
  }
}

function saved(world: World, row: Pass): Reply {
  world.save({ table: 'pass', row });
  return { kind: 'pass', data: row };
}
