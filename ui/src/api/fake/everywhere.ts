/** What the fake workspace finds everywhere: whatever has all that is typed in it. */
import type { Found, FoundItem, Piece, Search } from '../generated';
import type { FakeMemories } from './memories';
import type { World } from './world';

export function searched(world: World, memories: FakeMemories, search: Search): Found {
  const wanted = search.text.trim().toLowerCase();
  const within = (place: Search['in'][number]) => search.in.length === 0 || search.in.includes(place);
  const fits = (text: string) => text.toLowerCase().includes(wanted);
  // Posts are in no group that the overview tells of.
  const messages = [...new Set(world.messages.map((message) => message.group))]
    .filter((group) => !search.group || group === search.group)
    .flatMap((group) => world.messagesOf(group))
    .flatMap((message): FoundItem[] => {
      const { body, author } = message;
      if (body.kind !== 'text' || !fits(body.text)) return [];
      if (search.agent && !(author.kind === 'agent' && author.id === search.agent)) return [];
      const { id, seq, group, run, at_ms } = message;
      return [{ kind: 'message', message: id, seq, group, author, run, snippet: cut(body.text, wanted), at_ms }];
    });
  const remembered = memories
    .page({ standing: 'any' }, null, 500)
    .memories.filter((memory) => fits(memory.text))
    .map((memory): FoundItem => {
      return { kind: 'memory', memory, snippet: cut(memory.text, wanted), at_ms: memory.created_at_ms };
    });
  const ran = [...world.runs.values()].flatMap((run): FoundItem[] => {
    const uses = (world.steps.get(run.id) ?? []).flatMap((step) =>
      step.step === 'tool_proposed' ? [`${step.tool} ${step.arguments}`] : [],
    );
    const line = uses.find(fits);
    return line === undefined ? [] : [{ kind: 'run', run, snippet: cut(line, wanted), at_ms: run.started_ms }];
  });
  const newest = (items: readonly FoundItem[]) => items.toSorted((a, b) => b.at_ms - a.at_ms).slice(0, search.limit);
  return {
    items: [
      ...(within('messages') ? newest(messages) : []),
      ...(within('memories') ? newest(remembered) : []),
      ...(within('runs') ? newest(ran) : []),
    ],
    unread: 0,
  };
}

function cut(text: string, wanted: string): Piece[] {
  const at = text.toLowerCase().indexOf(wanted);
  const pieces = [
    { text: text.slice(0, at), found: false },
    { text: text.slice(at, at + wanted.length), found: true },
    { text: text.slice(at + wanted.length), found: false },
  ];
  return pieces.filter((piece) => piece.text !== '');
}
