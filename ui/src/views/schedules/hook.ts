/** The token that programs show a source: drawn here, kept with the keys, and shown once. */

/** What it is called among the keys. */
export const hookKey = (source: string): string => `hook/${source.replaceAll(' ', '+')}`;

export function drawToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
