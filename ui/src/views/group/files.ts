/** Files on their way into a message: read, and made smaller where a picture is too large to be shown. */
import { base64Of } from '../../pieces/base64';

/** What the workspace takes of a picture is a little more. */
const pictureBytes = 3_500_000;
/** A picture with a longer side is refused by some providers, however few bytes it has. */
const mostSide = 8000;
/** No model looks closer than this. */
const longestSide = 2048;
const taken = /^image\/(png|jpeg|gif|webp)$/;

export type Read = { name: string; base64: string };

export async function read(file: File): Promise<Read> {
  const fit = await fitting(file);
  return { name: fit.name, base64: await base64Of(fit.blob) };
}

/** The files of a paste or a drop, if that is what it is about: a text that is pasted stays a text. */
export function filesIn(data: DataTransfer | null): File[] {
  if (!data || data.getData('text/plain') !== '') return [];
  return [...data.files];
}

/** A picture that is too large, in bytes or from side to side, or in a format that no model takes, is drawn anew if the window can draw it. */
async function fitting(file: File): Promise<{ name: string; blob: Blob }> {
  const asItIs = { name: file.name, blob: file };
  const isPicture = file.type.startsWith('image/') && file.type !== 'image/svg+xml';
  if (!isPicture) return asItIs;
  const picture = await decoded(file).catch(() => null);
  if (!picture) return asItIs;
  const isSmall = file.size <= pictureBytes && Math.max(picture.width, picture.height) <= mostSide;
  const blob = taken.test(file.type) && isSmall ? null : await drawn(picture).catch(() => null);
  picture.close();
  return blob ? { name: file.name.replace(/\.\w+$/, '') + '.jpg', blob } : asItIs;
}

/** Fails, and never throws at once, where the window cannot read it. */
async function decoded(file: File): Promise<ImageBitmap> {
  return createImageBitmap(file);
}

async function drawn(picture: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return null;
  // What is see-through would turn black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.88));
}
