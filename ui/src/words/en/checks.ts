/**
 * What to do about what the checks found, where the window has another way
 * than the terminal; for whatever is not here the runtime's own advice holds.
 */
import type { Finding } from '../../api/generated';

export const mend: Partial<Record<Finding['is'], string>> = {
  part_missing: 'Install Coterie again.',
  part_cut: 'Install Coterie again.',
  part_changed: 'Install Coterie again.',
  words_only: 'Install Coterie again.',
  import_cut_off: 'Put the file back and start again, or see to it on the Memory page.',
  embedder_away: 'See to its provider in Settings under Models, or choose another model for it there.',
  feed_stuck: 'Try them again on the Feed page.',
  keys_apart: 'Move them to one place in Settings under Keys.',
  sealed_locked: 'Unlock it with its passphrase in Settings under Keys.',
  sealed_gone: 'Put it back, or go over to the keyring in Settings under Keys.',
  model_demo: 'Add a provider in Settings under Models, and choose a better one.',
  model_unlisted: 'It may answer all the same; else choose another in Settings under Models.',
  server_sign_in: 'Sign in in Settings under MCP.',
  server_away: 'Look at its log in Settings under MCP, and reload it there.',
  agent_stopped: 'Then resume it from its menu in the roster.',
};
