/** Trouble: an interleaving that nobody thought of. Random schedules of commits and other writers, judged against their serial order. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { mutations, play, type Operation, type Schedule } from './support/schedules.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

const addresses = ['2 New Street', '3 Third Street', '4 Fourth Street'];
const commit: fc.Arbitrary<Operation> = fc.constantFrom(...addresses).map((address) => ({ commit: address }));
const mutation: fc.Arbitrary<Operation> = fc.constantFrom(...mutations).map((mutate) => ({ mutate }));

/** Two or three commits, two mutations, and their two steps each in any order. */
const schedules: fc.Arbitrary<Schedule> = fc
  .tuple(fc.array(commit, { minLength: 2, maxLength: 3 }), fc.array(mutation, { minLength: 2, maxLength: 2 }))
  .chain(([commits, others]) => {
    const operations = [...commits, ...others];
    const turns = operations.flatMap((_, index) => [index, index]);
    return fc.record({ operations: fc.constant(operations), turns: fc.shuffledSubarray(turns, { minLength: turns.length }) });
  });

// Fast-check prints seed and path of a failure; HOLDPOINT_SEED plays one again.
const given = process.env['HOLDPOINT_SEED'];
const settings: fc.Parameters<[Schedule]> = { numRuns: 30, endOnFailure: true, ...(given !== undefined && given !== '' && { seed: Number(given) }) };

it.each(['epoch', 'version', 'predicate'] as const)('no schedule makes the guard %s commit unsafely, refuse without a reason, or answer other than it did', async (guard) => {
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const played = await play(db, guard, schedule);
      waits += played.waits;
      expect(played.unsafe).toEqual([]);
      expect(played.unexplained).toEqual([]);
    }),
    settings,
  );
  expect(waits, 'schedules in which nobody waits show nothing').toBeGreaterThan(10);
});

it('the same kind of schedules make a commit without a guard unsafe, so that they can show something', async () => {
  let unsafe = 0;
  for (const schedule of fc.sample(schedules, { numRuns: 30, seed: 20_240_601 })) unsafe += (await play(db, 'none', schedule)).unsafe.length;
  expect(unsafe).toBeGreaterThan(5);
});
