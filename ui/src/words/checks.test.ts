import { afterEach, describe, expect, it } from 'vitest';
import type { Check, CheckAbout, Fault, Finding } from '../api/generated';
import { tellCheck } from './checks';
import { mend as mendInEnglish } from './en/checks';
import { setLanguage } from './words.svelte';
import { found, mend } from './zh/checks';

const path = '/data/coterie';
const detail = 'the disk said no';
const fault: Fault = {
  code: 'no_model',
  message: 'there is no provider called acme',
  fix: 'type coterie model use',
  kind: { is: 'provider_unknown', name: 'acme' },
};
/** One of each; the type says when one is missing. */
const all: { [K in Finding['is']]: readonly Extract<Finding, { is: K }>[] } = {
  at: [{ is: 'at', path }],
  fault: [{ is: 'fault', fault }],
  damaged: [{ is: 'damaged', detail }],
  system_untried: [{ is: 'system_untried', system: 'macOS' }],
  souls_in_force: [{ is: 'souls_in_force', count: 6, path }],
  soul_not_in_force: [
    {
      is: 'soul_not_in_force',
      path,
      problem: { line: 1, column: 1, message: 'English', kind: { is: 'persona_empty' } },
      version: 0,
    },
    { is: 'soul_not_in_force', path, problem: null, version: 3 },
  ],
  skills_in_force: [{ is: 'skills_in_force', count: 1, path }],
  skill_not_in_force: [
    {
      is: 'skill_not_in_force',
      path,
      problem: { line: 1, column: 1, message: 'English', kind: { is: 'skill_no_file' } },
      kept: false,
    },
    {
      is: 'skill_not_in_force',
      path,
      problem: { line: 1, column: 1, message: 'English', kind: { is: 'skill_no_file' } },
      kept: true,
    },
  ],
  profile_unreadable: [{ is: 'profile_unreadable', path, detail }],
  profile_long: [{ is: 'profile_long', path, tokens: 9000, most: 500 }],
  profile_empty: [{ is: 'profile_empty', path }],
  part_missing: [{ is: 'part_missing', path }],
  part_cut: [{ is: 'part_cut', path, found_bytes: 9, shipped_bytes: 99 }],
  part_changed: [{ is: 'part_changed', path }],
  confines: [{ is: 'confines' }],
  confines_without_marks: [{ is: 'confines_without_marks' }],
  confines_on_mac: [{ is: 'confines_on_mac' }],
  unconfined: [{ is: 'unconfined', detail }],
  memories_found: [{ is: 'memories_found', memories: 7, meaning: 5 }],
  words_only: [{ is: 'words_only', memories: 7, detail }],
  embedder_away: [{ is: 'embedder_away', memories: 7, model: 'acme/embed', detail }],
  reranker_unused: [{ is: 'reranker_unused', path, detail }],
  import_cut_off: [{ is: 'import_cut_off', path, detail }],
  feed_stuck: [{ is: 'feed_stuck', events: 2, detail }],
  prompt_unused: [{ is: 'prompt_unused', detail }],
  keyring_works: [{ is: 'keyring_works', name: 'GNOME Keyring', keys: 2 }],
  keys_apart: [{ is: 'keys_apart', keys: 2 }],
  sealed_open: [{ is: 'sealed_open', keys: 2 }],
  sealed_locked: [{ is: 'sealed_locked', keys: 2 }],
  sealed_gone: [{ is: 'sealed_gone' }],
  model: [{ is: 'model', model: 'acme/big' }],
  model_demo: [{ is: 'model_demo', model: 'local/small' }],
  model_unlisted: [{ is: 'model_unlisted', model: 'acme/big' }],
  nobody_answers: [{ is: 'nobody_answers', fault }],
  provider_answers: [
    { is: 'provider_answers', models: 3, tells_anybody: false, left_alone_seconds: null },
    { is: 'provider_answers', models: 3, tells_anybody: true, left_alone_seconds: 20 },
  ],
  server_ready: [{ is: 'server_ready', tools: 9 }],
  server_off: [{ is: 'server_off' }],
  server_starting: [{ is: 'server_starting' }],
  server_sign_in: [{ is: 'server_sign_in' }],
  server_away: [{ is: 'server_away', detail }],
  agent_stopped: [{ is: 'agent_stopped', fault }],
};
const each = Object.values(all).flat() as Finding[];

const of = (finding?: Finding, about: CheckAbout = { is: 'engine' }): Check => ({
  name: 'engine',
  state: 'degraded',
  detail: 'found in English',
  fix: 'type coterie doctor',
  ...(finding ? { kind: { about, finding } } : {}),
});

afterEach(() => setLanguage('en'));

describe('a check', () => {
  it('is told in Chinese with all that it carries, and names no command', () => {
    setLanguage('zh');
    for (const finding of each) {
      const { name, detail: said, helps, own } = tellCheck(of(finding));
      const shown = JSON.stringify(finding);
      expect(name).toBe('内置模型程序');
      expect(`${said}${helps}`, shown).not.toMatch(/\{|undefined|null|coterie [a-z]+|English/);
      expect(said, shown).not.toBe('');
      if (helps) expect(helps, shown).toMatch(/。$/);
      for (const [key, value] of Object.entries(finding)) {
        if (typeof value === 'object' || typeof value === 'boolean' || ['is', 'detail', 'version'].includes(key))
          continue;
        expect(said, shown).toContain(value.toLocaleString('zh'));
      }
      expect(own.toLowerCase(), shown).toBe('detail' in finding ? `${detail}.` : '');
    }
    expect(tellCheck(of(all.part_missing[0])).detail).toBe(`${path} 不在了，本机模型不能运行`);
    expect(tellCheck(of(all.nobody_answers[0])).detail).toBe('没有智能体能回答：没有名为 acme 的服务商');
    expect(tellCheck(of(all.soul_not_in_force[0])).helps).toBe(
      '人格是空的，在这里写这个智能体是谁。在那之前不能用它创建智能体。',
    );
    expect(tellCheck(of(all.soul_not_in_force[1])).helps).toBe('把文件放回去。在那之前 v3 继续生效。');
    expect(tellCheck(of(all.provider_answers[1])).detail).toBe(
      '有回应，模型有 3 个；它对谁都列出模型，所以密钥没有经过检查；刚才连不上，再过 20 秒才会再试',
    );
    const keyring = { is: 'keyring_works', name: 'the system keyring (Secret Service)', keys: 0 } as const;
    expect(tellCheck(of(keyring)).detail).toBe('系统密钥环可用，存有 0 个密钥');
    expect(tellCheck(of(all.at[0], { is: 'provider', name: 'acme' })).name).toBe('服务商 acme');
  });

  it('keeps the runtime’s sentence in English, and names the window’s way out', () => {
    for (const finding of each) {
      const { name, detail: said, helps, own } = tellCheck(of(finding));
      const begins = finding.is.startsWith('model') ? 'found' : 'Found';
      expect([name, said, own]).toEqual(['Engine', `${begins} in English`, '']);
      if (mendInEnglish[finding.is] || 'fault' in finding) expect(helps).not.toMatch(/coterie [a-z]+/);
    }
    expect(tellCheck(of(all.fault[0])).helps).toBe('Add it in Settings under Models, or choose another model there.');
    expect(tellCheck(of(all.damaged[0])).helps).toBe('Type coterie doctor.');
  });

  it('says that an agent is to be resumed, unless a model brings it back by itself', () => {
    const stopped: Finding = { is: 'agent_stopped', fault: { ...fault, code: 'provider' } };
    expect(tellCheck(of(stopped)).helps).toMatch(/resume it from its menu in the roster\.$/);
    expect(tellCheck(of(all.agent_stopped[0])).helps).not.toContain('resume');
  });

  it('without a kind is quoted', () => {
    setLanguage('zh');
    expect(tellCheck(of())).toEqual({
      name: 'engine',
      detail: '',
      helps: '',
      own: 'Found in English. Type coterie doctor.',
    });
  });

  it('keeps to the words of the design', () => {
    for (const text of [...Object.values(found), ...Object.values(mend)]) expect(text).not.toMatch(/您|请/);
    for (const text of Object.values(mendInEnglish)) {
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text).not.toMatch(/coterie [a-z]+ [a-z]/);
    }
  });
});
