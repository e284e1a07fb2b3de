/** JSON lines that outlive a kill: a file is read line by line, and what a dying writer left half done is cut off into a side file. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../output.ts';

/** A line: its text without the end, its number from 1, and the offset of the byte after its end. */
export type Line = { readonly text: string; readonly number: number; readonly endsAt: number };

/**
 * The lines of a file that end in a newline, in order; nothing where the file is not there. Empty ones are left out. What follows the last newline is no line:
 * its writer died. The file is never in memory as a whole.
 * @throws UserError naming the line that is not UTF-8
 */
export async function* wholeLines(path: string): AsyncGenerator<Line> {
  if (!(await exists(path))) return;
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let offset = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      number += 1;
      const text = textOf(bytes.subarray(start, end), `${path}, line ${String(number)}`);
      start = end + 1;
      if (text !== '') yield { text, number, endsAt: offset + start };
    }
    offset += start;
    rest = bytes.subarray(start);
  }
}

/** As wholeLines, parsed. @throws UserError naming the line that is not JSON: a bad line that is not the last is a loss, and must not be skipped in silence */
export async function* wholeRecords(path: string): AsyncGenerator<Line & { readonly record: unknown }> {
  for await (const line of wholeLines(path)) yield { ...line, record: parsed(line.text, `${path}, line ${String(line.number)}`) };
}

/** How many whole lines a file has, at most so many, and the offset behind the last of them. @throws UserError naming a counted line that is damaged */
export async function countRecords(path: string, most = Infinity): Promise<{ readonly count: number; readonly endsAt: number }> {
  let [count, endsAt] = [0, 0];
  if (most > 0) for await (const line of wholeRecords(path)) {
    count += 1;
    endsAt = line.endsAt;
    if (count >= most) break;
  }
  return { count, endsAt };
}

/** What was cut off a file, and where it lies now. */
export type Cut = { readonly bytes: number; readonly sideFile: string };

/** Cuts everything from an offset on off into a side file next to it, `<file>.torn-1` or the next free number. @returns null where nothing is there to cut */
export async function cutAt(path: string, offset: number): Promise<Cut | null> {
  const size = await stat(path).then((found) => found.size, () => 0);
  if (size <= offset) return null;
  const sideFile = await keepTail(path, offset);
  await truncate(path, offset);
  return { bytes: size - offset, sideFile };
}

async function keepTail(path: string, offset: number): Promise<string> {
  let number = 1;
  while (await exists(`${path}.torn-${String(number)}`)) number += 1;
  const sideFile = `${path}.torn-${String(number)}`;
  await pipeline(createReadStream(path, { start: offset }), createWriteStream(sideFile, { flags: 'wx', flush: true }));
  return sideFile;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer, where: string): string {
  try {
    return utf8.decode(bytes).trim();
  } catch {
    throw new UserError(`${where} is not UTF-8: the file was damaged, not only cut short.`);
  }
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(`${where} is not JSON: the file was damaged, not only cut short.`);
  }
}

/** The first thing that is wrong with a record, in a few words. */
export function problemOf({ issues: [first] }: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] }): string {
  return [...(first === undefined || first.path.length === 0 ? [] : [first.path.join('.')]), first?.message ?? 'it is not of the expected form'].join(': ');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}
