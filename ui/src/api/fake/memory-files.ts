/** Files with memories, and what is made of many of them, as the runtime does it, in short. */
import type { Command, Consolidated, Fault, Memory, MemoryExport, MemoryImport, NewMemory, Reply } from '../generated';
import type { FakeMemories } from './memories';

type Import = Extract<Command, { kind: 'import_memories' }>;
type Export = Extract<Command, { kind: 'export_memories' }>;
type Consolidate = Extract<Command, { kind: 'consolidate_memories' }>;

export class FakeMemoryFiles {
  /** What lies on the disk, by its path. */
  readonly files = new Map<string, readonly NewMemory[]>();
  #memories: FakeMemories;

  constructor(memories: FakeMemories) {
    this.#memories = memories;
  }

  do(command: Import | Export | Consolidate): Reply {
    switch (command.kind) {
      case 'consolidate_memories':
        return { kind: 'consolidated', data: this.#consolidate(command.preview) };
      case 'import_memories':
        return { kind: 'memory_import', data: this.#import(command) };
      case 'export_memories':
        return { kind: 'memory_export', data: this.#export(command) };
      default:
        return command satisfies never;
    }
  }

  #import({ path, format, scope, vouched, preview }: Import): MemoryImport {
    const found = this.files.get(path);
    if (!found) throw fault('not_found', `there is no file ${path}`, 'look at how its name is written');
    const told: MemoryImport = {
      format: format ?? (path.endsWith('.md') ? 'markdown' : path.endsWith('.json') ? 'chatgpt' : 'jsonl'),
      trust: vouched ? 'person' : 'untrusted',
      found: found.length,
      added: 0,
      repeated: 0,
      contested: 0,
      gave_way: [],
      left_out: 0,
      reasons: [],
      samples: [],
    };
    const there = new Set(this.#all().map((one) => one.text.toLowerCase()));
    for (const [at, given] of found.entries()) {
      const words = given.text.trim().toLowerCase();
      if (words === '') {
        told.left_out += 1;
        told.reasons.push({
          place: { file: null, part: { is: 'line', number: at + 1 } },
          why: { is: 'unfit', detail: 'the memory says nothing' },
        });
      } else if (there.has(words)) told.repeated += 1;
      else {
        told.added += 1;
        there.add(words);
        if (preview && told.samples.length < 5) told.samples.push(given);
        if (!preview)
          this.#memories.add({ ...given, scope: scope ?? given.scope }, { trust: told.trust, source: { file: path } });
      }
    }
    return told;
  }

  #export({ path, format, filter }: Export): MemoryExport {
    if (this.files.has(path))
      throw fault('refused', `${path} is there already`, 'choose another name, or remove the file first');
    const written = this.#memories.page(filter, null, Infinity).memories;
    this.files.set(path, written);
    return { path, format, memories: written.length };
  }

  /** What has the same words in another order is said once. */
  #consolidate(preview: boolean): Consolidated {
    const merged: [Memory, Memory][] = [];
    const first = new Map<string, Memory>();
    const all = this.#memories.page({}, null, Infinity).memories.toReversed();
    for (const memory of all) {
      const key = JSON.stringify([memory.scope, memory.text.toLowerCase().split(/\s+/).sort()]);
      const stays = first.get(key);
      if (stays) merged.push([stays, memory]);
      else first.set(key, memory);
    }
    if (!preview)
      for (const [stays, goes] of merged)
        this.#memories.do({ kind: 'merge_memories', memories: [stays.id, goes.id], text: stays.text });
    return { looked_at: all.length, merged, noticed: [], matters: [], left: 0, waiting: 0 };
  }

  #all(): readonly Memory[] {
    return this.#memories.page({ standing: 'any' }, null, Infinity).memories;
  }
}

function fault(code: Fault['code'], message: string, fix: string): Fault {
  return { code, message, fix };
}
