/** Backups of the fake workspace, by their paths: written, found whole or not, put in its place or taken in. */
import type { Command, Fault, Reply, TakenIn } from '../generated';

const kinds = [
  'back_up',
  'restore',
  'look_through_backup',
  'restore_looked_through',
  'forget_restore',
  'take_in',
] as const;
type OfBackups = Extract<Command, { kind: (typeof kinds)[number] }>;

export function isOfBackups(command: Command): command is OfBackups {
  return (kinds as readonly string[]).includes(command.kind);
}

export class FakeBackups {
  /** What lies on the disk, and whether it is whole. */
  readonly files = new Map<string, 'whole' | 'damaged'>();
  /** Of those that were replaced by others. */
  readonly hashes = new Map<string, string>();
  /** Which of them takes the place of the workspace when that is opened anew. */
  waits: string | null = null;
  looked: string | null = null;
  /** Those that were taken in, with whether somebody vouched for them. */
  readonly taken = new Map<string, boolean>();

  do(command: OfBackups): Reply {
    switch (command.kind) {
      case 'back_up': {
        const { path } = command;
        if (this.files.has(path)) throw there(path);
        this.files.set(path, 'whole');
        return { kind: 'backup', data: { path, made_ms: Date.now(), files: 12, bytes: 3_400_000, left_out: 1 } };
      }
      case 'restore':
      case 'look_through_backup': {
        const { path } = command;
        if (this.files.get(path) !== 'whole') throw damaged(path);
        if (command.kind === 'restore') this.waits = path;
        else this.looked = path;
        const replaced = '/lin/coterie/replaced/2026-05-12-143100-000';
        const found = { path, made_ms: Date.UTC(2026, 4, 12), version: '0.1.0', files: 12, bytes: 3_400_000 };
        return { kind: 'restore', data: { ...found, replaced, in_place: false } };
      }
      case 'restore_looked_through':
        this.waits = this.looked;
        return { kind: 'done' };
      case 'forget_restore':
        this.waits = this.looked = null;
        return { kind: 'done' };
      case 'take_in': {
        const { path, vouched, preview, looked_through } = command;
        if (this.files.get(path) !== 'whole') throw damaged(path);
        const hash = this.hashes.get(path) ?? path;
        if (looked_through !== null && looked_through !== hash) throw replaced(path);
        const isHere = this.taken.has(path);
        const lifted = vouched && this.taken.get(path) === false ? 7 : 0;
        const told = { ...takenIn(path, preview, isHere), hash, vouched: lifted, contested: vouched ? 0 : 3 };
        if (!preview) this.taken.set(path, vouched);
        return { kind: 'taken_in', data: told };
      }
    }
  }
}

function takenIn(path: string, preview: boolean, isHere: boolean): Omit<TakenIn, 'hash' | 'vouched' | 'contested'> {
  const all = [
    ['soul', 1],
    ['agent', 2],
    ['conversation', 2],
    ['message', 40],
    ['memory', 7],
    ['file', 1],
  ] as const;
  const counts = all.map(([what, n]) => ({ what, new: isHere ? 0 : n, here: isHere ? n : 0, left_out: 0 }));
  const renamed = isHere ? [] : [{ what: 'agent', from: 'Ada', to: 'Ada2' } as const];
  const files = isHere ? [] : ['skills/brewing'];
  const what = { path, made_ms: Date.UTC(2026, 4, 12), version: '0.1.0', preview };
  return { ...what, counts, stays_out: [], renamed, gave_way: [], files };
}

const there = (path: string): Fault => ({
  code: 'refused',
  message: `${path} is there already`,
  fix: 'choose another name, or remove the file first',
});

const replaced = (path: string): Fault => ({
  code: 'refused',
  message: `${path} is not the backup any more that was looked through`,
  fix: 'look it through again; nothing was changed here',
  kind: { is: 'backup_replaced', path },
});

function damaged(path: string): Fault {
  const detail = 'its end is missing';
  return {
    code: 'storage',
    message: `the backup ${path} is damaged: ${detail}`,
    fix: 'choose another backup; nothing was changed here',
    kind: { is: 'backup_damaged', path, detail },
  };
}
