/** Pictures that messages show, each asked for once and kept as long as the window is open. */
import type { Attachment, AttachmentKind } from '../api/generated';

type Content = { kind: AttachmentKind; base64: string };

/** More pictures than this are asked for again when they come back into sight. */
const most = 60;

export class Pictures {
  #ask: (hash: string) => Promise<Content>;
  // Each picture is a promise of its own; which are there is nobody's concern.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #known = new Map<string, Promise<string>>();

  constructor(ask: (hash: string) => Promise<Content>) {
    this.#ask = ask;
  }

  /** The picture as an address that an image can show. */
  of(attachment: Attachment): Promise<string> {
    const known = this.#known.get(attachment.hash);
    if (known) return known;
    const asked = this.#ask(attachment.hash).then(({ base64 }) => dataAddress(attachment.kind, base64));
    this.#keep(attachment.hash, asked);
    // Whoever looks again may have more luck.
    asked.catch(() => this.#known.delete(attachment.hash));
    return asked;
  }

  /** What the window has at hand already. */
  know(attachment: Attachment, base64: string): void {
    this.#keep(attachment.hash, Promise.resolve(dataAddress(attachment.kind, base64)));
  }

  #keep(hash: string, picture: Promise<string>): void {
    this.#known.set(hash, picture);
    const oldest = this.#known.keys().next();
    if (this.#known.size > most && !oldest.done) this.#known.delete(oldest.value);
  }
}

export const isPicture = (attachment: Attachment): boolean => attachment.kind !== 'text';

function dataAddress(kind: AttachmentKind, base64: string): string {
  return `data:image/${kind};base64,${base64}`;
}
