import { afterEach, describe, expect, it } from 'vitest';
import type { Fault, FaultKind } from '../api/generated';
import { mend as mendInEnglish } from './en/mend';
import { tellFault, wholeFault } from './faults';
import { size } from './format';
import { setLanguage } from './words.svelte';
import { mend, wrong } from './zh/faults';

const path = '/data/coterie';
const detail = 'database disk image is malformed';
/** One of each kind; the type says when one is missing. */
const all: { [K in FaultKind['is']]: readonly Extract<FaultKind, { is: K }>[] } = {
  disk_full: [{ is: 'disk_full' }],
  disk_fails: [{ is: 'disk_fails', detail }],
  database_damaged: [{ is: 'database_damaged', path, detail }],
  database_emptied: [{ is: 'database_emptied', path, beside: 'souls' }],
  log_damaged: [{ is: 'log_damaged', path, log: `${path}/coterie.db-wal`, kept: `${path}/coterie.db-wal.damaged` }],
  database_newer: [{ is: 'database_newer', path, found: 9, known: 2 }],
  database_no_file: (['folder', 'pipe', 'socket', 'device', 'other'] as const).map((found) => ({
    is: 'database_no_file',
    path,
    found,
  })),
  database_forbidden: [{ is: 'database_forbidden', path }],
  database_read_only: [{ is: 'database_read_only', detail }],
  database_unopenable: [{ is: 'database_unopenable', path, detail }],
  database_fails: [{ is: 'database_fails', detail }],
  backup_fails: [{ is: 'backup_fails', path, detail }],
  backup_unknown: [{ is: 'backup_unknown', path }],
  backup_damaged: [{ is: 'backup_damaged', path, detail: 'its end is missing' }],
  backup_replaced: [{ is: 'backup_replaced', path }],
  backup_newer: [{ is: 'backup_newer', path, version: '9.1.0' }],
  folder_is_file: [{ is: 'folder_is_file', path }],
  folder_forbidden: [{ is: 'folder_forbidden', path }],
  folder_read_only: [{ is: 'folder_read_only', path }],
  folder_full: [{ is: 'folder_full', path }],
  folder_unusable: [{ is: 'folder_unusable', path, detail }],
  socket_taken: [{ is: 'socket_taken', path }],
  socket_fails: [{ is: 'socket_fails', path, detail }],
  owner_silent: [
    { is: 'owner_silent', path, pid: 4711 },
    { is: 'owner_silent', path, pid: null },
  ],
  owner_foreign: [{ is: 'owner_foreign', path }],
  owner_gone: [{ is: 'owner_gone' }],
  owner_slow: [{ is: 'owner_slow', seconds: 30 }],
  other_version: [{ is: 'other_version', detail }],
  line_too_long: [{ is: 'line_too_long' }],
  workspace_closed: [{ is: 'workspace_closed' }],
  keyring_locked: [{ is: 'keyring_locked' }],
  keyring_absent: [{ is: 'keyring_absent', detail }],
  keyring_denied: [{ is: 'keyring_denied', detail }],
  keyring_silent: [{ is: 'keyring_silent', seconds: 10 }],
  keyring_lost: [{ is: 'keyring_lost', detail }],
  keyring_fails: [{ is: 'keyring_fails', detail }],
  sealed_locked: [{ is: 'sealed_locked' }],
  sealed_missing: [{ is: 'sealed_missing', path }],
  sealed_exists: [{ is: 'sealed_exists', path }],
  sealed_newer: [{ is: 'sealed_newer', detail }],
  passphrase_wrong: [{ is: 'passphrase_wrong' }],
  passphrase_short: [{ is: 'passphrase_short', least: 8 }],
  key_missing: [{ is: 'key_missing', name: 'provider/acme' }],
  key_gone: [{ is: 'key_gone', name: 'provider/acme' }],
  key_list_damaged: [{ is: 'key_list_damaged', path: '/data/secrets.json', detail }],
  key_damaged: [{ is: 'key_damaged', detail }],
  variable_unset: [{ is: 'variable_unset', variable: 'ACME_KEY' }],
  message_empty: [{ is: 'message_empty' }],
  message_long: [{ is: 'message_long', length: 33_000, most: 32_000 }],
  attachment_large: [{ is: 'attachment_large', name: 'cat.png', bytes: 6_000_000, most: 3_900_000 }],
  attachment_unfit: [{ is: 'attachment_unfit', name: 'a.zip' }],
  attachment_empty: [{ is: 'attachment_empty', name: 'a.txt' }],
  attachment_damaged: [{ is: 'attachment_damaged', name: 'a.png' }],
  attachment_gone: [{ is: 'attachment_gone', name: 'cat.png' }],
  attachments_many: [{ is: 'attachments_many', most: 10 }],
  memory_file: (
    [
      { is: 'no_whole_path' },
      { is: 'missing' },
      { is: 'fails', detail },
      { is: 'no_file' },
      { is: 'empty_folder' },
      { is: 'no_memories' },
      { is: 'packed' },
      { is: 'utf16' },
      { is: 'no_text' },
      { is: 'web_page' },
      { is: 'chat_of_character' },
      { is: 'empty_list' },
      { is: 'no_conversations' },
      { is: 'too_long', most_mb: 16 },
      { is: 'line_too_long', most_mb: 4 },
      { is: 'no_utf8' },
      { is: 'no_memory', detail },
      { is: 'without_text' },
      { is: 'cut_off' },
      { is: 'no_json', column: 7, detail },
    ] as const
  ).map((wrong) => ({ is: 'memory_file', path, line: wrong.is === 'cut_off' ? 123 : null, wrong })),
  pdf_unread: (['locked', 'no_text', 'damaged', 'heavy', 'no_reader'] as const).map((why) => ({
    is: 'pdf_unread',
    name: 'tea.pdf',
    why,
  })),
  group_archived: [{ is: 'group_archived', group: 'Tea' }],
  community_name_taken: [{ is: 'community_name_taken', name: 'Tea' }],
  community_archived: [{ is: 'community_archived', name: 'Tea' }],
  thread_locked: [{ is: 'thread_locked' }],
  times_unread: [{ is: 'times_unread', words: 'soon' }],
  times_past: [{ is: 'times_past' }],
  zone_unknown: [{ is: 'zone_unknown', zone: 'Mars' }],
  heartbeat_there: [{ is: 'heartbeat_there', name: 'Ada' }],
  heartbeat_of_soul: [{ is: 'heartbeat_of_soul', name: 'Ada', soul: 'ada' }],
  heartbeat_of_demo: [{ is: 'heartbeat_of_demo', name: 'Ada' }],
  group_direct: [{ is: 'group_direct', group: 'Ada' }],
  group_template_unknown: [{ is: 'group_template_unknown', name: 'duel' }],
  group_template_wrong: [{ is: 'group_template_wrong', path: 'templates/groups/duel.yaml', detail }],
  message_not_yours: [{ is: 'message_not_yours' }],
  message_not_an_answer: [{ is: 'message_not_an_answer' }],
  message_aside: [{ is: 'message_aside' }],
  conversation_busy: [{ is: 'conversation_busy', group: 'Tea' }],
  no_branches: [{ is: 'no_branches' }],
  group_silent: [{ is: 'group_silent', group: 'Tea' }],
  group_name_taken: [{ is: 'group_name_taken', name: 'Tea' }],
  group_name_unfit: [{ is: 'group_name_unfit', name: 'a\nb' }],
  group_name_of_agent: [{ is: 'group_name_of_agent', name: 'Ada' }],
  group_direct_leave: [{ is: 'group_direct_leave', group: 'Ada' }],
  member_twice: [{ is: 'member_twice', name: 'Ada' }],
  talkativeness_range: [{ is: 'talkativeness_range', found: 120 }],
  group_without_agents: [{ is: 'group_without_agents' }],
  group_last_agent: [{ is: 'group_last_agent', name: 'Ada', group: 'Plans' }],
  not_in_group: [{ is: 'not_in_group', group: 'Tea' }],
  agent_ended: [{ is: 'agent_ended', name: 'Bo' }],
  agent_name_unfit: [{ is: 'agent_name_unfit', name: 'a b' }],
  your_name_taken: [{ is: 'your_name_taken', name: 'Ada' }],
  agent_name_yours: [{ is: 'agent_name_yours', name: 'Mei' }],
  agent_name_taken: [{ is: 'agent_name_taken', name: 'Ada' }],
  agent_name_of_group: [{ is: 'agent_name_of_group', name: 'Tea' }],
  agent_no_pause: [{ is: 'agent_no_pause', name: 'Ada', state: 'error' }],
  agent_no_resume: [{ is: 'agent_no_resume', name: 'Ada', state: 'idle' }],
  agent_no_work: [{ is: 'agent_no_work', name: 'Ada', state: 'paused' }],
  agent_paused: [{ is: 'agent_paused', name: 'Ada' }],
  agent_stopped: [{ is: 'agent_stopped', name: 'Ada', detail }],
  agent_quota: [{ is: 'agent_quota', name: 'Ada', limit: 60 }],
  agent_over_budget: [{ is: 'agent_over_budget', name: 'Ada' }],
  over_budget: [
    { is: 'over_budget', scope: { kind: 'message' }, name: null, unit: 'tokens', limit: 0, used: 0, needed: 900 },
    {
      is: 'over_budget',
      scope: { kind: 'run' },
      name: null,
      unit: 'tokens',
      limit: 12_000,
      used: 11_500,
      needed: 1_500,
    },
    {
      is: 'over_budget',
      scope: { kind: 'day' },
      name: null,
      unit: 'microusd',
      limit: 500_000,
      used: 490_000,
      needed: 2e4,
    },
    { is: 'over_budget', scope: { kind: 'group', id: 'g' }, name: 'Tea', unit: 'tokens', limit: 5, used: 1, needed: 9 },
    {
      is: 'over_budget',
      scope: { kind: 'run' },
      name: null,
      unit: 'tokens',
      limit: 5,
      used: 1,
      needed: 9,
      soul: 'ada',
    },
  ],
  agent_no_turn: [{ is: 'agent_no_turn', name: 'Ada' }],
  all_paused: [{ is: 'all_paused' }],
  feed_item_removed: [{ is: 'feed_item_removed' }],
  feed_without_cap: [{ is: 'feed_without_cap' }],
  outcome_unknown: [{ is: 'outcome_unknown', tool: 'shell' }],
  ended_too_often: [{ is: 'ended_too_often', times: 3 }],
  approval_over: [{ is: 'approval_over', how: 'expired' }],
  approval_changed: [{ is: 'approval_changed' }],
  question_over: [{ is: 'question_over', how: 'expired' }],
  answer_misfit: [{ is: 'answer_misfit', field: 'age' }],
  pattern_misfit: [{ is: 'pattern_misfit', pattern: '/a/*' }],
  run_answered: [{ is: 'run_answered' }],
  run_not_interrupted: [{ is: 'run_not_interrupted' }],
  dialog_unended: [{ is: 'dialog_unended' }],
  dialog_line_empty: [{ is: 'dialog_line_empty' }],
  soul_unknown: [{ is: 'soul_unknown', name: 'ada' }],
  proposal_answered: [{ is: 'proposal_answered' }],
  proposal_stale: [{ is: 'proposal_stale', name: 'ada', section: 'How you work', now: 'Otherwise.' }],
  soul_version_unknown: [{ is: 'soul_version_unknown', name: 'ada', version: 7 }],
  soul_unusable: [{ is: 'soul_unusable', name: 'ada' }],
  soul_never_in_force: [{ is: 'soul_never_in_force', name: 'ada' }],
  soul_kept: [
    { is: 'soul_kept', name: 'ada', other: 'Ada', why: 'worn' },
    { is: 'soul_kept', name: 'ada', other: 'bo', why: 'name_taken' },
    { is: 'soul_kept', name: 'ada', other: '', why: 'file_gone' },
  ],
  soul_name_unfit: [{ is: 'soul_name_unfit', name: 'my soul', better: 'my-soul' }],
  soul_too_large: [{ is: 'soul_too_large', name: 'ada', most_kib: 256 }],
  soul_not_plain: [{ is: 'soul_not_plain', name: 'ada' }],
  soul_changed: [{ is: 'soul_changed', name: 'ada' }],
  soul_deleted: [{ is: 'soul_deleted', name: 'ada' }],
  souls_no_folder: [{ is: 'souls_no_folder', path }],
  souls_forbidden: [{ is: 'souls_forbidden' }],
  souls_read_only: [{ is: 'souls_read_only' }],
  souls_fail: [{ is: 'souls_fail', detail }],
  stop_unsaved: [{ is: 'stop_unsaved', detail: 'the disk is full' }],
  model_unchosen: [{ is: 'model_unchosen' }],
  model_makes_no_vectors: [{ is: 'model_makes_no_vectors', model: 'acme/big' }],
  model_unfit: [{ is: 'model_unfit', model: 'nope', known: 'local/small, acme/big' }],
  model_unlisted: [{ is: 'model_unlisted', model: 'local/nope', known: 'local/small' }],
  engine_missing: [{ is: 'engine_missing', model: 'local/small' }],
  model_gone: [{ is: 'model_gone', model: 'local/small' }],
  model_window_unfit: [{ is: 'model_window_unfit', model: 'local/small', least: 256, most: 8192 }],
  provider_unknown: [{ is: 'provider_unknown', name: 'acme' }],
  provider_name_built_in: [{ is: 'provider_name_built_in' }],
  provider_changed: [{ is: 'provider_changed', name: 'acme' }],
  key_of_another_server: [{ is: 'key_of_another_server', name: 'provider/acme', server: 'https://acme.example' }],
  provider_name_unfit: [{ is: 'provider_name_unfit', name: 'a/b' }],
  address_unfit: [{ is: 'address_unfit', address: 'acme' }],
  address_holds_key: [{ is: 'address_holds_key' }],
  model: (
    [
      'away',
      'broken',
      'wordless',
      'endless',
      'busy',
      'failing',
      'key',
      'unknown',
      'too_long',
      'no_sight',
      'no_tools',
      'refused',
      'withheld',
      'engine',
      'file',
      'turn_budget',
      'day_budget',
    ] as const
  ).map((trouble) => ({ is: 'model', trouble })),
  server_name_taken: [{ is: 'server_name_taken', name: 'files' }],
  server_unknown: [{ is: 'server_unknown', name: 'files' }],
  server_unfit: [{ is: 'server_unfit', detail }],
  server_failed: [{ is: 'server_failed', name: 'files', detail }],
  server_switched_off: [{ is: 'server_switched_off', name: 'files' }],
  servers_unread: [{ is: 'servers_unread', detail }],
  skill_unknown: [{ is: 'skill_unknown', name: 'tea' }],
  skill_taken: [{ is: 'skill_taken', name: 'tea' }],
  skill_unfit: [{ is: 'skill_unfit', path, detail }],
  pass_name_unfit: [{ is: 'pass_name_unfit', name: 'you' }],
  pass_name_taken: [{ is: 'pass_name_taken', name: 'Ada' }],
  source_name_unfit: [{ is: 'source_name_unfit', name: 'you' }],
  source_name_taken: [{ is: 'source_name_taken', name: 'Ada' }],
  source_folder_away: [{ is: 'source_folder_away', path, detail }],
  source_folder_own: [{ is: 'source_folder_own', path }],
  source_folder_large: [{ is: 'source_folder_large', path, most: 5000 }],
  model_file: (['missing', 'no_model', 'cut_off', 'unusable'] as const).map((reason) => ({
    is: 'model_file',
    path,
    wrong: reason,
  })),
};
const each = Object.values(all).flat() as FaultKind[];

const of = (kind?: FaultKind): Fault => ({
  code: 'storage',
  message: `the runtime says it: ${detail}`,
  fix: 'type coterie doctor',
  ...(kind ? { kind } : {}),
});

/** What a kind carries that somebody must be told. */
const values = (kind: FaultKind) =>
  Object.entries(kind).flatMap(([name, value]) => {
    if (value === null || ['is', 'detail', 'trouble', 'wrong', 'why', 'found', 'state', 'how', 'now'].includes(name))
      return [];
    if (kind.is === 'attachment_large' && typeof value === 'number') return [size(value)];
    // Its amounts are looked at below.
    if (kind.is === 'over_budget' && name !== 'name') return [];
    return [name === 'pid' ? String(value) : value.toLocaleString('en')];
  });

afterEach(() => setLanguage('en'));

describe('a fault of a kind', () => {
  it('is told in Chinese with all that it carries, with what is to be done, and with no word of another', () => {
    setLanguage('zh');
    for (const kind of each) {
      const { title, helps, own } = tellFault(of(kind));
      for (const text of [title, helps]) {
        expect(text, JSON.stringify(kind)).toMatch(/\p{Script=Han}/u);
        expect(text, JSON.stringify(kind)).not.toMatch(/\{|undefined|coterie [a-z]+ [a-z]/);
      }
      expect(title, JSON.stringify(kind)).not.toMatch(/。$/);
      expect(helps, JSON.stringify(kind)).toMatch(/。$/);
      for (const value of values(kind)) expect(title, JSON.stringify(kind)).toContain(value);
      const said = 'detail' in kind ? kind.detail : kind.is === 'model' ? detail : '';
      expect(own.toLowerCase(), JSON.stringify(kind)).toContain(said);
      expect(own, JSON.stringify(kind)).not.toContain('coterie doctor');
    }
  });

  it('is told apart from every other', () => {
    setLanguage('zh');
    const titles = each.map((kind) => tellFault(of(kind)).title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(tellFault(of({ is: 'database_newer', path, found: 9, known: 2 })).helps).toBe(
      '重新安装更新的那个 Coterie。',
    );
    expect(tellFault(of({ is: 'database_damaged', path, detail })).helps).toContain('backups/');
    expect(tellFault(of({ is: 'owner_foreign', path })).title).toBe(`${path} 的工作区被另一个用户的进程打开着`);
  });

  it('keeps the runtime’s sentence in English, and names the window’s way out', () => {
    for (const kind of each) {
      const { title, helps, own } = tellFault(of(kind));
      expect(title).toBe(`The runtime says it: ${detail}`);
      expect(helps, JSON.stringify(kind)).not.toBe('');
      expect(own).toBe('');
    }
    expect(tellFault(of({ is: 'keyring_absent', detail })).helps).toContain('Settings, Keys');
    expect(tellFault(of({ is: 'sealed_locked' })).helps).not.toContain('coterie');
    expect(tellFault(of({ is: 'disk_full' })).helps).toBe('Type coterie doctor.');
  });

  it('keeps to the words of the design', () => {
    for (const text of [...Object.values(wrong), ...Object.values(mend)]) {
      expect(text).not.toMatch(/您|请/);
      expect(text.replace(/\{\w+\}/g, '')).not.toMatch(/[\u4e00-\u9fff][,;:?!]/);
    }
    for (const text of Object.values(mendInEnglish)) {
      expect(text).not.toMatch(/!|\b(please|oops|sorry|AI)\b/i);
      expect(text).not.toMatch(/coterie [a-z]+ [a-z]/);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('a limit that was met', () => {
  const told = (kind: FaultKind) => tellFault({ ...of(kind), code: 'budget' });
  const [nothing, turn, day, call, soul] = all.over_budget;

  it('is told in Chinese with whose it is, how much of it is gone, and what helps', () => {
    setLanguage('zh');
    const said = [nothing, turn, day, call].map((kind) => kind && told(kind));
    expect(said.map((one) => one?.title)).toEqual([
      '这条消息的预算是 0',
      '这次运行已用 11,500 词元，上限 12,000 词元，下一次调用最多还要 1,500 词元',
      '所有智能体今天已用 $0.49，上限 $0.50，下一次调用最多还要 $0.02',
      '“Tea”今天已用 1 词元，上限 5 词元，下一次调用最多还要 9 词元',
    ]);
    expect(said.map((one) => one?.own)).toEqual(['', '', '', '']);
    expect(soul && told(soul).helps).toBe('在人格 ada 里提高上限，然后再说一次。');
    // A day that is too small for the call is as small tomorrow.
    expect(said.map((one) => /零点/.test(one?.helps ?? ''))).toEqual([false, false, true, false]);
  });
});

describe('a fault without a kind', () => {
  it('is told by its code with the English sentences quoted, and no advice that may be wrong', () => {
    setLanguage('zh');
    const fault: Fault = { code: 'refused', message: 'Ada is ended and cannot be paused', fix: 'look for another' };
    const own = 'Ada is ended and cannot be paused. Look for another.';
    expect(tellFault(fault)).toEqual({ title: '现在不能这样做', helps: '', own });
    expect(wholeFault(fault)).toBe(`现在不能这样做。原文：${own}`);
    setLanguage('en');
    expect(wholeFault(fault)).toBe(own);
  });

  it('of a kind that only a later runtime knows is told by its code too', () => {
    setLanguage('zh');
    const later = { ...of(), kind: { is: 'moon_full' } } as unknown as Fault;
    expect(tellFault(later).title).toBe('数据没能读出或写入');
    expect(tellFault(later).own).toContain('The runtime says it');
  });
});
