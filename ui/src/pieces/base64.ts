/** The bytes of a file, as they go over the door. */
export function base64Of(blob: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => failed(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(blob);
  });
}
