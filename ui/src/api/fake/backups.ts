/** Backups of the fake workspace, by their paths: written, found whole or not, and put in its place. */
import type { Command, Fault, Reply } from '../generated';

const kinds = ['back_up', 'restore', 'look_through_backup', 'restore_looked_through', 'forget_restore'] as const;
type OfBackups = Extract<Command, { kind: (typeof kinds)[number] }>;

export function isOfBackups(command: Command): command is OfBackups {
  return (kinds as readonly string[]).includes(command.kind);
}

export class FakeBackups {
  /** What lies on the disk, and whether it is whole. */
  readonly files = new Map<string, 'whole' | 'damaged'>();
  /** Which of them takes the place of the workspace when that is opened anew. */
  waits: string | null = null;
  looked: string | null = null;

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
    }
  }
}

const there = (path: string): Fault => ({
  code: 'refused',
  message: `${path} is there already`,
  fix: 'choose another name, or remove the file first',
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
