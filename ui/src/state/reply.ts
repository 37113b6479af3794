import { faultOf } from '../api/backend';
import type { Reply } from '../api/generated';

type Kind = Reply['kind'];
type DataOf<K extends Kind> = Extract<Reply, { kind: K }> extends { data: infer D } ? D : undefined;

/** What a reply holds, where only one kind of reply is right. */
export function expect<K extends Kind>(reply: Reply, kind: K): DataOf<K> {
  if (reply.kind !== kind) throw faultOf(`expected ${kind}, got ${reply.kind}`);
  return ('data' in reply ? reply.data : undefined) as DataOf<K>;
}
