/** The door of the shell: one command, and one channel per subscription. The only file that knows Tauri. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { faultOf, newRequestId, type Backend, type Desktop, type Drop, type News } from './backend';
import type { Answer, Call, FromOwner, Mark, Reply, RequestId, ToOwner } from './generated';

const desktop: Desktop = {
  stand: ({ isPaused: is_paused, ...words }) => asked('stand', { stand: { ...words, is_paused } }),
  startsWithSystem: () => asked('starts_with_system'),
  startWithSystem: (on) => asked('start_with_system', { on }),
  links,
  quit: () => asked('quit'),
};

export const tauri: Backend = {
  ask,
  events,
  dropped,
  chooseModelFile: () => chosen('choose_model_file'),
  chooseMemoryFile: () => chosen('choose_memory_file'),
  chooseMemoryFolder: () => chosen('choose_memory_folder'),
  chooseBackup: () => chosen('choose_backup'),
  reopen,
  choosePlace: (name) => chosen('choose_place', { name }),
  zoom: (percent) => asked('zoom', { percent }),
  desktop,
  tell: (title, text) => invoke<boolean>('tell', { title, text }),
};

async function ask(call: Call, id: RequestId = newRequestId()): Promise<Reply> {
  const say: ToOwner = { request: { id, call } };
  let answer: Answer | null;
  try {
    answer = await invoke<Answer | null>('door', { say });
  } catch (thrown) {
    throw faultOf(thrown);
  }
  if (!answer) throw faultOf('the shell gave no answer');
  if ('Err' in answer.result) throw answer.result.Err;
  return answer.result.Ok;
}

async function reopen(): Promise<boolean> {
  const reopens = await invoke<boolean>('reopen');
  if (reopens) location.reload();
  return reopens;
}

function events(after: Mark | null, on: (news: News) => void): () => void {
  const channel = new Channel<FromOwner>();
  channel.onmessage = (said) => {
    if (!('answer' in said)) on(said);
  };
  const say: ToOwner = { subscribe: { after } };
  // Without a subscription nothing would be heard: that is the same as having missed it all.
  let heard = true;
  const missed = () => heard && on({ resync: { now: after ?? { epoch: 0, n: 0 } } });
  invoke('door', { say, events: channel }).catch(() => setTimeout(missed, 2000));
  return () => {
    heard = false;
    channel.onmessage = () => undefined;
  };
}

/** The shell tells of files by an event of its own: a page is not told where a file lies. */
function dropped(on: (drop: Drop) => void): () => void {
  const hear = (event: Event) => {
    const { kind, paths } = (event as CustomEvent<{ kind: Drop['kind']; paths: string[] }>).detail;
    on(kind === 'dropped' ? { kind, paths, read } : { kind });
  };
  window.addEventListener('coterie-files', hear);
  return () => window.removeEventListener('coterie-files', hear);
}

/** Only what was dropped on the window can be read. */
async function read(path: string): Promise<File> {
  try {
    const bytes = await invoke<ArrayBuffer>('read_dropped', { path });
    return new File([bytes], path.split(/[\\/]/).at(-1) ?? path);
  } catch (thrown) {
    throw faultOf(thrown);
  }
}

async function chosen(command: string, given: Record<string, string> = {}): Promise<string | null> {
  try {
    return await invoke<string | null>(command, given);
  } catch (thrown) {
    throw faultOf(thrown);
  }
}

/** The shell rings when there is one; those that came before the page are there already. */
function links(on: (link: string) => void): () => void {
  const take = () =>
    void asked<string[]>('take_links').then(
      (links) => links.forEach(on),
      () => undefined,
    );
  window.addEventListener('coterie-link', take);
  take();
  return () => window.removeEventListener('coterie-link', take);
}

async function asked<T = void>(command: string, given: Record<string, unknown> = {}): Promise<T> {
  try {
    return await invoke<T>(command, given);
  } catch (thrown) {
    throw faultOf(thrown);
  }
}
