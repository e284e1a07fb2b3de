/** What killed, careless or foreign writers do to a file of JSON lines (troubles, JSONL). */

/** One damage. `keeps`: the whole lines that remain of so many; `isRefused`: no tail, so nothing may be cut off in silence. */
export type Damage = { readonly name: string; readonly apply: (file: Buffer) => Buffer; readonly keeps: (lines: number) => number; readonly isRefused?: true };

const lastLineAt = (file: Buffer): number => file.lastIndexOf(10, file.length - 2) + 1;
const secondLineAt = (file: Buffer): number => file.indexOf(10) + 1;
const half = (file: Buffer): Buffer => file.subarray(0, Math.floor((lastLineAt(file) + file.length) / 2));
const allButLast = (lines: number): number => lines - 1;

export const damages: readonly Damage[] = [
  { name: 'half a record', apply: half, keeps: allButLast },
  { name: 'the middle of a UTF-8 character', apply: (file) => Buffer.concat([half(file), Buffer.from('é').subarray(0, 1)]), keeps: allButLast },
  { name: 'a full record without newline', apply: (file) => file.subarray(0, -1), keeps: allButLast },
  { name: 'a bad line in the middle', apply: (file) => Buffer.concat([file.subarray(0, secondLineAt(file) + 5), file.subarray(file.indexOf(10, secondLineAt(file)))]), keeps: (lines) => lines, isRefused: true },
  { name: 'an empty last line', apply: (file) => Buffer.concat([file, Buffer.from('\n')]), keeps: (lines) => lines },
  { name: 'CRLF, and one line fewer', apply: (file) => Buffer.from(file.subarray(0, lastLineAt(file)).toString('utf8').replaceAll('\n', '\r\n')), keeps: allButLast },
];
