/** Files that messages show, as the runtime keeps them: by what is in them. */
import type { Attachment, AttachmentContent, AttachmentKind, Fault } from '../generated';
import { hashOf } from './souls';

const most = 3_900_000;

export class FakeFiles {
  #kept = new Map<string, AttachmentContent>();

  keep(path: string, base64: string): Attachment {
    const name = path.split(/[\\/]/).at(-1) ?? path;
    const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
    if (bytes > most)
      throw fault(`the file ${name} is too large`, 'make it smaller, or show a part of it', {
        is: 'attachment_large',
        name,
        bytes,
        most,
      });
    const kind = kindOf(base64);
    if (!kind)
      throw fault(
        `the file ${name} is neither a picture (PNG, JPEG, GIF, WebP), a PDF nor a text file`,
        'save it as one of these, or paste what matters of it',
        { is: 'attachment_unfit', name },
      );
    const hash = hashOf(base64);
    this.#kept.set(hash, { kind, base64 });
    return { hash, name, kind, bytes };
  }

  content(hash: string): AttachmentContent {
    const kept = this.#kept.get(hash);
    if (!kept)
      throw fault('the file is not kept here any more', 'attach it again', { is: 'attachment_gone', name: '' });
    return kept;
  }
}

function fault(message: string, fix: string, kind: NonNullable<Fault['kind']>): Fault {
  return { code: 'bad_input', message, fix, kind };
}

/** By the first bytes, in base64. */
function kindOf(base64: string): AttachmentKind | null {
  if (base64.startsWith('iVBORw0KGg')) return 'png';
  if (base64.startsWith('/9j/')) return 'jpeg';
  if (base64.startsWith('R0lGOD')) return 'gif';
  if (base64.startsWith('UklGR')) return 'webp';
  return /[\0]/.test(atob(base64)) ? null : 'text';
}
