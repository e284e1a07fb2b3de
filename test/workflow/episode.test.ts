/** One episode from end to end on a real Temporal and Postgres. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});
afterAll(() => engine.close());

/** Ledger rows of an episode, by verdict: counted by SQL, not by what the engine says. */
async function ledger(episodeId: string): Promise<Record<string, number>> {
  const { rows } = await engine.database.owner.query<{ verdict: string; n: number }>(`select verdict, count(*)::int as n from holdpoint.ledger where starts_with(op_key, $1 || ':') group by 1`, [episodeId]);
  return Object.fromEntries(rows.map((row) => [row.verdict, row.n]));
}

test('an episode commits once and is scored', async () => {
  const outcome = await engine.run('one');
  expect(outcome).toMatchObject({ class: 'committed', reason: null, steps: 1 });
  expect(await ledger('one')).toEqual({ committed: 1 });
});
