/** Writes a file whole or not at all: under another name first, and by its own once it is on disk. */
import { open, rename, rm } from 'node:fs/promises';

/** Replaces the file by the text. A power cut leaves the old file or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writePart(path, text);
  await rename(`${path}.part`, path).catch(async (error: unknown) => {
    await rm(`${path}.part`, { force: true });
    throw error;
  });
}

/** The first half of that: the text on disk as `<path>.part`. */
export async function writePart(path: string, text: string): Promise<void> {
  const file = await open(`${path}.part`, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(`${path}.part`, { force: true }); // a full disk leaves nothing half-written behind
    throw error;
  } finally {
    await file.close();
  }
}

/** A JSON document as our files hold it. */
export const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
