/** Pictures that messages show, each asked for once and kept as long as the window is open. */
import type { Attachment, AttachmentKind } from '../api/generated';

type Content = { kind: AttachmentKind; base64: string };
export type Size = { width: number; height: number };
export type Picture = {
  /** An image can show it. */
  address: string;
  /** In its own pixels; none where it cannot be drawn. */
  size: Size | null;
};

/** More pictures than this are asked for again when they come back into sight. */
const most = 60;

export class Pictures {
  #ask: (hash: string) => Promise<Content>;
  // Each picture is a promise of its own; which are there is nobody's concern.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #known = new Map<string, Promise<Picture>>();

  constructor(ask: (hash: string) => Promise<Content>) {
    this.#ask = ask;
  }

  /** Known once its size is, so that it takes its place at once and nothing jumps. */
  of(attachment: Attachment): Promise<Picture> {
    const known = this.#known.get(attachment.hash);
    if (known) return known;
    const asked = this.#ask(attachment.hash).then(({ base64 }) => picture(attachment.kind, base64));
    this.#keep(attachment.hash, asked);
    // Whoever looks again may have more luck.
    asked.catch(() => this.#known.delete(attachment.hash));
    return asked;
  }

  /** What the window has at hand already. */
  know(attachment: Attachment, base64: string): void {
    this.#keep(attachment.hash, picture(attachment.kind, base64));
  }

  #keep(hash: string, picture: Promise<Picture>): void {
    this.#known.set(hash, picture);
    const oldest = this.#known.keys().next();
    if (this.#known.size > most && !oldest.done) this.#known.delete(oldest.value);
  }
}

export const isPicture = (attachment: Attachment): boolean => attachment.kind !== 'text';

/** As large as it can be within `most`, at the most as large as it is; nothing of it is thinner than a pixel. */
export function fitted({ width, height }: Size, most: Size): Size {
  const share = Math.min(1, most.width / width, most.height / height);
  const pixels = (length: number) => Math.max(1, Math.round(length * share));
  return { width: pixels(width), height: pixels(height) };
}

async function picture(kind: AttachmentKind, base64: string): Promise<Picture> {
  const address = `data:image/${kind};base64,${base64}`;
  return { address, size: await sizeOf(address) };
}

async function sizeOf(address: string): Promise<Size | null> {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    return null;
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  return width > 0 && height > 0 ? { width, height } : null;
}
