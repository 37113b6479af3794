/** The door of the shell: one command, and one channel per subscription. The only file that knows Tauri. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { faultOf, type Backend, type News } from './backend';
import type { Answer, Call, FromOwner, Mark, Reply, ToOwner } from './generated';

export const tauri: Backend = { ask, events };

async function ask(call: Call): Promise<Reply> {
  const say: ToOwner = { request: { id: requestId(), call } };
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

/** A UUID of version 7: what a request makes takes its id, so ids sort by time. */
function requestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, (BigInt(Date.now()) << 16n) | BigInt(view.getUint16(6)));
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
