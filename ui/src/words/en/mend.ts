/**
 * What to do about a fault, where the window has another way than the
 * terminal. The runtime says in English what is wrong, and names its commands;
 * for whatever is not here its own advice holds in the window too.
 */
import type { Mendable } from '../faults';

const getFile =
  'Install Coterie again to bring back the model that ships with it, or download any other to that place anew. Or choose another model in Settings under Models.';

const sayWhich = 'Import conversations.json, a file of JSON lines or one of Markdown, and choose which of these it is.';

export const mend: Partial<Record<Mendable, string>> = {
  memory_file_no_memories: 'Choose another file or folder, or say which format it is.',
  memory_file_no_text: sayWhich,
  memory_file_empty_list: sayWhich,
  memory_file_no_conversations: sayWhich,
  memory_file_chat_of_character:
    'Its chats do not come in. Its characters do, as souls: import a character’s card on the page Souls.',
  memory_file_no_memory: 'Give every line the form {"text":"…"}, with the rest as an export of memories writes it.',
  memory_file_without_text: 'Give every line the form {"text":"…"}, with the rest as an export of memories writes it.',
  database_read_only: 'Make the data folder and coterie.db in it writable, or start Coterie with another one (--data).',
  database_fails: 'Start Coterie again. If it stays so, look at the checks in Settings under Data.',
  owner_gone: 'Open Coterie again.',
  keyring_locked:
    'Unlock it, for example by logging in with your password, then press “Check again” in Settings under Keys.',
  keyring_absent:
    'Install and start the keyring of your system and log in again, or keep keys in a sealed file: Settings, Keys.',
  keyring_denied: 'Allow Coterie to use it, then press “Check again” in Settings under Keys.',
  keyring_silent:
    'Look for a window that asks for your password and answer it, then press “Check again” in Settings under Keys.',
  keyring_lost: 'Press “Check again” in Settings under Keys. If it stays away, log out and in.',
  keyring_fails: 'Press “Check again” in Settings under Keys. If it stays so, keep keys in a sealed file there.',
  sealed_locked: 'Unlock it with its passphrase in Settings under Keys.',
  sealed_exists: 'Unlock it in Settings under Keys, or move it away before you make a new one.',
  key_missing: 'Set it in Settings under Keys.',
  key_gone: 'Set it again in Settings under Keys.',
  variable_unset: 'Set it where Coterie is started and start it again, or keep a key in Settings under Keys.',
  server_name_taken: 'Choose another name, or remove that one first.',
  server_unknown: 'Look in Settings under MCP which there are.',
  server_failed: 'Try it again, or look at its log in Settings under MCP.',
  server_switched_off: 'Let it run in Settings under MCP first.',
  skill_unknown: 'Look in Settings under Skills which there are.',
  skill_taken: 'Remove that one first.',
  agent_paused: 'Resume it first.',
  all_paused: 'Press “Everything goes on” first.',
  feed_without_cap:
    'Leave a limit in tokens, which also models without a known price keep to, or press Pause on the page Feed first.',
  agent_stopped: 'Solve that problem, then resume it.',
  agent_over_budget: 'Raise the limit in Settings under Budgets.',
  budget_zero: 'Raise the limit in Settings under Budgets.',
  budget_turn: 'Raise the limit in Settings under Budgets, and say it again.',
  budget_soul: 'Raise the limit in the soul {soul}, and say it again.',
  budget_day: 'Raise the limit in Settings under Budgets, or wait until the day ends at midnight UTC.',
  budget_call: 'Raise the limit in Settings under Budgets.',
  agent_no_turn: 'Look what it does, then try again.',
  approval_over: 'Ask the agent again if it is still to be done.',
  question_over: 'Say it to the agent in the conversation.',
  outcome_unknown: 'Look whether it happened, then resume or drop the run under Runs.',
  ended_too_often: 'Resume or drop the run under Runs.',
  soul_unknown: 'Choose one of the page Souls.',
  proposal_answered: 'Those that wait stand under Proposals on the page Souls.',
  proposal_stale: 'Take what you want of it into the editor, then decline it.',
  soul_version_unknown: 'Choose a version under History on the page Souls.',
  soul_kept_worn: 'Terminate who lives by it first, or write another soul there.',
  soul_kept_file_gone: 'Save it again first.',
  souls_read_only: 'Start Coterie with a data folder on a disk that can be written to (--data).',
  engine_missing: 'Install Coterie again, or choose another model in Settings under Models.',
  key_list_damaged:
    'Put a copy of the file from a backup in its place and start Coterie again, or set the keys again: the damaged file is kept beside the new one.',
  model_gone: getFile,
  model_unchosen: 'Choose a model in Settings under Models.',
  provider_unknown: 'Add it in Settings under Models, or choose another model there.',
  model_away: 'See that it runs and that its address in Settings under Models is right, then try again.',
  model_broken: 'Try again, or choose another model in Settings under Models.',
  model_wordless: 'Ask again, or choose another model in Settings under Models.',
  model_endless:
    'Let it write more (max_tokens in its soul), or choose another model in Settings under Models; then ask again.',
  model_busy: 'Try again a little later, or choose another model in Settings under Models.',
  model_failing: 'Try again later, or choose another model in Settings under Models.',
  model_key: 'Set a valid key in Settings under Keys.',
  model_unknown: 'Choose a model that the provider has, in Settings under Models.',
  model_too_long: 'Start a new group, or choose a model that reads more in Settings under Models.',
  model_no_tools: 'Take the tools out of the soul, or choose a model that uses tools in Settings under Models.',
  model_no_sight: 'Leave the picture out, or choose a model that sees in Settings under Models.',
  model_refused: 'Choose another model in Settings under Models, or ask in other words.',
  model_withheld: 'Say it in other words, or choose another model in Settings under Models.',
  model_engine: 'Try again. If it stays so, choose a smaller model, or one elsewhere, in Settings under Models.',
  model_file: 'Put a whole file in its place, or choose another model in Settings under Models.',
  model_turn_budget: 'Raise the limit in Settings under Budgets.',
  model_day_budget: 'Raise the limit in Settings under Budgets, or wait until the day ends at midnight UTC.',
  model_file_missing: getFile,
  model_file_no_model: getFile,
  model_file_cut_off: getFile,
  model_file_unusable: getFile,
};
