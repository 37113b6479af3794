/** The door of the shell: one command, and one channel per subscription. The only file that knows Tauri. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { faultOf, newRequestId, type Backend, type News } from './backend';
import type { Answer, Call, FromOwner, Mark, Reply, RequestId, ToOwner } from './generated';

export const tauri: Backend = { ask, events };

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
