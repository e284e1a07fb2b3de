/** The cutting proxy's reading of the protocol, and the seeded plan of the race. */
import { expect, test } from 'vitest';
import { planRace } from '../../cli/race/plan.ts';
import { asksToCommit, endsARound, MessageSplitter } from '../../cli/race/wire.ts';

const typed = (type: string, body: string): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
};
const untyped = (code: number, body = ''): Buffer => {
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + Buffer.byteLength(body));
  head.writeInt32BE(code, 4);
  return Buffer.concat([head, Buffer.from(body)]);
};

test('messages come out whole however the stream is chopped, start-up and encryption request included', () => {
  const stream = Buffer.concat([untyped(80_877_103), untyped(196_608, 'user\0x\0\0'), typed('Q', 'BEGIN\0'), typed('P', 'name\0select 1\0\0\0'), typed('S', ''), typed('Q', 'COMMIT\0')]);
  for (const size of [1, 3, 7, stream.length]) {
    const splitter = new MessageSplitter('client');
    const messages = [];
    for (let at = 0; at < stream.length; at += size) messages.push(...splitter.push(stream.subarray(at, at + size)));
    expect(messages.map((message) => message.type)).toEqual(['', '', 'Q', 'P', 'S', 'Q']);
    expect(messages.map(asksToCommit)).toEqual([false, false, false, false, false, true]);
    expect(messages.filter(endsARound)).toHaveLength(3);
  }
});

test('COMMIT is known in every wording of it, and nothing else is taken for it', () => {
  const asked = (type: string, body: string): boolean => asksToCommit({ type, bytes: typed(type, body) });
  for (const text of ['COMMIT', 'commit;', '  Commit ; ']) expect(asked('Q', `${text}\0`)).toBe(true);
  expect(asked('P', '\0COMMIT\0\0\0')).toBe(true);
  expect(asked('B', '\0holdpoint:commit\0\0\0')).toBe(true);
  for (const text of ['ROLLBACK', "select 'COMMIT'", 'commit prepared \'x\'', 'select * from commit']) expect(asked('Q', `${text}\0`)).toBe(false);
  // Preparing is no request yet, and another statement may be called as it likes.
  expect(asked('P', 'holdpoint:commit\0COMMIT\0\0\0')).toBe(false);
  expect(asked('B', 'holdpoint:commit\0other\0\0\0')).toBe(false);
});

test('a stream that is no protocol of Postgres ends instead of growing', () => {
  expect(() => new MessageSplitter('server').push(Buffer.from('HTTP/1.1 200 OK\r\n'))).toThrow(RangeError);
});

test('a seed gives the same plan again, another seed another one, and one commit in fifty is cut in both ways', () => {
  expect(planRace(7, 500)).toEqual(planRace(7, 500));
  expect(planRace(8, 500)).not.toEqual(planRace(7, 500));
  const bouts = planRace(7, 500).flatMap((world) => world.bouts);
  expect(bouts).toHaveLength(500);
  const cuts = bouts.flatMap((bout) => (bout.cut === null ? [] : [bout.cut.at]));
  expect(cuts.toSorted()).toEqual([...Array<string>(5).fill('answer'), ...Array<string>(5).fill('commit')]);
  expect(planRace(7, 30).map((world) => world.bouts.length)).toEqual([25, 5]);
});
