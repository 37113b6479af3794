/** Souls of the fake workspace: short texts, and just enough checking to show every state of the editor. */
import type { CardFile, Fault, Reply, SoulCard, SoulDraft, SoulProblem, SoulSource } from '../generated';
import type { Desk } from './desk';
import type { World } from './world';

const soul = (name: string, role: string, description: string, language: string, avatar: string, body: string) =>
  `---\nname: ${name}\nrole: ${role}\ndescription: ${description}\nlanguage: ${language}\navatar: ${avatar}\nmodel: default\ntemperature: 0.7\ninterests: [plans, questions]\n---\n${body}\n`;

export const texts: Readonly<Record<string, string>> = {
  ada: soul(
    'Ada',
    'Thinking partner',
    'Thinks things through with you',
    'en',
    'Ada',
    'You are Ada. You think things through with people.\n\n# How you work\n\n- Find the question under the question.\n- Use an example before a principle.',
  ),
  otto: soul(
    'Otto',
    'Organiser',
    'Keeps lists and dates',
    'en',
    'Otto',
    'You are Otto. You keep lists and dates, and you say what is due next.',
  ),
  bo: soul(
    'Bo',
    'Sceptic',
    'Looks for the weak spot',
    'en',
    'Bo',
    'You are Bo. You look for the weak spot, and you say it kindly.',
  ),
  ines: soul(
    'Ines',
    'Data analyst',
    'Reads numbers with their spread',
    'en',
    'Ines',
    'You are Ines. You read numbers with their spread.',
  ),
  laochen: soul('老陈', '老师傅', '讲清东西怎么运转、怎么修', 'zh', '陈', '你是老陈。你把东西怎么运转、怎么修讲清楚。'),
  linxia: soul('林夏', '编辑', '改稿，也在中英文之间翻译', 'zh', '林夏', '你是林夏。你改稿，也在中英文之间翻译。'),
};

/** The front matter's simple values, by key. */
export function front(text: string): Readonly<Record<string, string>> {
  const head = /^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? '';
  const pairs = head.split('\n').flatMap((line) => {
    const pair = /^(\w+):\s*(.*)$/.exec(line);
    return pair?.[1] && pair[2] !== undefined ? [[pair[1], pair[2]] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** What is wrong with a text; empty when it may come into force. */
export function problems(text: string): SoulProblem[] {
  const lines = text.split('\n');
  if (lines[0] !== '---') return [{ line: 1, column: 1, message: 'a soul begins with ---' }];
  const end = lines.indexOf('---', 1);
  if (end === -1) return [{ line: lines.length, column: 1, message: 'the front matter does not end with ---' }];
  const found: SoulProblem[] = [];
  lines.slice(1, end).forEach((line, at) => {
    if (line.trim() !== '' && !/^\s*(#|- )|^\w+:/.test(line))
      found.push({ line: at + 2, column: 1, message: 'expected `key: value`' });
    const heat = /^temperature:\s*(.*)$/.exec(line)?.[1];
    if (heat !== undefined && !(Number(heat) >= 0 && Number(heat) <= 2)) {
      found.push({ line: at + 2, column: 14, message: `temperature goes from 0 to 2, not ${heat}` });
    }
  });
  return found;
}

/** A stand-in for the runtime's hash: different texts, different hashes. */
export function hashOf(text: string): string {
  let h = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 0x100000001b3n);
  return h.toString(16).padStart(64, '0');
}

/** Into the file, and in force where nothing is wrong with it. */
export function writeSoul(world: World, desk: Desk, name: string, text: string, source: SoulSource): Reply {
  const wrong = problems(text);
  const before = world.souls.get(name);
  const version = wrong.length > 0 ? (before?.version ?? 0) : (before?.version ?? 0) + 1;
  const hash = hashOf(text);
  world.files.set(name, text);
  const inForce = wrong.length > 0 ? (before?.hash ?? '') : hash;
  const soul = {
    name,
    path: `/home/you/.local/share/coterie/souls/${name}.md`,
    version,
    hash: inForce,
    file_hash: hash,
    problem: wrong[0] ?? null,
    warnings: [],
    updated_ms: world.now(),
  };
  if (wrong.length === 0)
    world.versions.set(name, [
      ...(world.versions.get(name) ?? []),
      { soul: name, version, hash, text, source, at_ms: world.now() },
    ]);
  world.save({ table: 'soul', row: soul });
  if (before && wrong.length === 0) soulChanged(world, desk, name, text, version);
  return { kind: 'soul', data: soul };
}

function soulChanged(world: World, desk: Desk, name: string, text: string, version: number): void {
  const head = front(text);
  for (const agent of [...world.agents.values()].filter((one) => one.soul === name)) {
    world.save({
      table: 'agent',
      row: {
        ...agent,
        soul_version: version,
        role: head['role'] ?? agent.role,
        description: head['description'] ?? agent.description,
      },
    });
    for (const group of world.groups.keys()) {
      const sits = world.membersOf(group).some((member) => member.who.kind === 'agent' && member.who.id === agent.id);
      if (sits && world.messagesOf(group).length > 0)
        desk.notice(group, { kind: 'notice', notice: { kind: 'soul_changed', agent: agent.id, version } });
    }
  }
}

/** What a name and a sentence come to, where no model can write. */
export function drafted(name: string, sentence: string): SoulDraft {
  const text = `---\nname: ${JSON.stringify(name)}\navatar: ${JSON.stringify(name)}\nmodel: default\n---\nYou are ${name}.\n\n${sentence}\n`;
  return { text, by: null, why_not: null };
}

/** As a card in JSON is read: its name and its description, and nothing else. */
export function readCard(files: readonly CardFile[]): SoulCard {
  const refused = (why: string): Fault => ({ code: 'bad_input', message: why, fix: 'give a character card' });
  const [file] = files;
  if (!file) throw refused('no file was given');
  let card: { data?: Record<string, unknown> };
  try {
    card = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0))));
  } catch {
    throw refused(`${file.name} cannot be read as a card: its JSON is damaged`);
  }
  const { name, description, ...rest } = card.data ?? {};
  return {
    forms: ['card_v2'],
    name: String(name),
    text: drafted(String(name), String(description)).text,
    taken: [
      { part: 'name', became: 'name' },
      { part: 'description', became: 'persona' },
    ],
    left_out: [
      ...Object.keys(rest).map((part) => ({ part, why: 'not_its_to_say' as const })),
      ...(file.name.endsWith('.png') ? [{ part: 'picture', why: 'picture' as const }] : []),
    ],
  };
}
