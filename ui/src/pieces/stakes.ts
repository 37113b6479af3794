/** What is at stake where a person is asked about a use of a tool: what it is, and where it would work. Pure. */
import type { Approval } from '../api/generated';

export type Stakes = {
  /** What it would run, as far as that is known. */
  runs: 'command' | 'program' | null;
  /** Where it would work; nothing is known of what has only its target. */
  where:
    | { kind: 'folder'; network: boolean }
    | { kind: 'internet' }
    /** It is confined by nothing. */
    | { kind: 'server'; name: string }
    | null;
  /** What exactly it would touch, where its command does not say that. */
  target: string | null;
};

export function stakesOf({ tool, arguments: given, target }: Approval): Stakes {
  const command = typeof given === 'object' && given !== null && 'command' in given ? given.command : undefined;
  const rest = { target: target === command ? null : target };
  switch (tool) {
    case 'shell':
      return { runs: 'command', where: { kind: 'folder', network: false }, ...rest };
    case 'shell_online':
      return { runs: 'command', where: { kind: 'folder', network: true }, ...rest };
    case 'run_code':
      return { runs: 'program', where: { kind: 'folder', network: false }, ...rest };
    case 'fetch':
      return { runs: null, where: { kind: 'internet' }, ...rest };
    default: {
      const end = tool.indexOf('__');
      return { runs: null, where: end < 0 ? null : { kind: 'server', name: tool.slice(0, end) }, ...rest };
    }
  }
}
