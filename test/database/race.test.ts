/** The race at reduced size on a real Postgres, its proxy's two cuts, and that a leaking commit turns it red. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { race } from '../../cli/race.ts';
import { startCutProxy, type Cut } from '../../cli/race/cut-proxy.ts';
import { CommitUnknownError } from '../../database/errors.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool } from '../../database/pool.ts';
import { inOneTrip, inTransaction } from '../../database/transaction.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(() => db.close());

const options = { seed: 3, connections: 12, signal: new AbortController().signal };

test('a race of 150 commits a guard shows all that it must', async () => {
  const own = await testDatabase();
  try {
    const result = await race(own.ownerUrl, { ...options, commits: 150 });
    expect(result.shortcomings).toEqual([]);
    for (const figures of Object.values(result.guards)) {
      expect(figures.attempted).toBe(150);
      expect(figures.committed + figures.replayed + figures.rejected + figures.closed).toBe(150);
      expect(figures.cutLanded + figures.cutLost).toBe(3);
      expect(figures).toMatchObject({ duplicates: 0, wronglyRejected: 0, brokenWorlds: 0, unknownWorlds: 0, unknownResolved: 3 });
    }
    expect(result.guards.none.unsafe).toBeGreaterThan(0);
    for (const guard of ['epoch', 'version', 'predicate'] as const) expect(result.guards[guard].unsafe).toBe(0);
  } finally {
    await own.close();
  }
}, 180_000);

test('the proxy cuts at COMMIT: with the answer withheld the transaction lands, with COMMIT withheld it does not', async () => {
  // A sequence is not rolled back: it tells that the statement was carried out although the transaction was lost.
  await db.owner.query('create table public.marks (mark text primary key); create sequence public.ticks; grant all on public.marks, public.ticks to holdpoint_worker');
  let ticks = 0;
  for (const [cut, landed] of [['answer', true], ['commit', false]] as const) {
    let next: Cut | null = cut;
    const proxy = await startCutProxy(roleUrl(db.ownerUrl, 'holdpoint_worker'), () => { const now = next; next = null; return now; });
    const pool = createPool({ url: proxy.url, max: 1 });
    const insert = (mark: string): { text: string; values: string[] } => ({ text: `insert into public.marks select $1 where nextval('public.ticks') > 0`, values: [mark] });
    await expect(inOneTrip(pool, insert(`${cut} one trip`))).rejects.toThrow(CommitUnknownError);
    next = cut;
    await expect(inTransaction(pool, (client) => client.query(insert(`${cut} statements`)))).rejects.toThrow(CommitUnknownError);
    await inOneTrip(pool, insert(`${cut} passes`));
    await pool.end();
    await expect.poll(async () => (await db.owner.query<{ mark: string }>(`select mark from public.marks where starts_with(mark, $1) order by 1`, [cut])).rows.map((row) => row.mark))
      .toEqual(landed ? [`${cut} one trip`, `${cut} passes`, `${cut} statements`] : [`${cut} passes`]);
    expect(proxy.counts()).toEqual({ commits: 3, cuts: 2 });
    const { rows } = await db.owner.query<{ ticks: string }>(`select last_value as ticks from public.ticks`);
    expect(rows[0]?.ticks).toBe(String((ticks += 3)));
    await proxy.close();
  }
});

test('a commit that no longer locks the policy leaks, and the race says so', async () => {
  const own = await testDatabase();
  try {
    const { rows } = await own.owner.query<{ name: string; text: string }>(`select p.proname as name, pg_get_functiondef(p.oid) as text from pg_proc p where p.proname like 'commit\\_%' and p.proname <> 'commit_rollback'`);
    for (const { name, text } of rows) {
      // Any lock of the policy row, however it is worded; and time for a withdrawal to pass between the check and the effect.
      const unlocked = text.replace(/(holdpoint\.policies[^;]*?) for share;/, '$1;');
      expect(unlocked, name).not.toBe(text);
      const leaky = unlocked.replace(/(\n\s*v_outcome := 'committed';\n)/, '$1    perform pg_sleep(0.02);\n');
      expect(leaky, name).not.toBe(unlocked);
      await own.owner.query(leaky);
    }
    const result = await race(own.ownerUrl, { ...options, commits: 100 });
    expect(result.guards.predicate.unsafe + result.guards.version.unsafe).toBeGreaterThan(0);
    expect(result.shortcomings.join()).toMatch(/The guard (version|predicate) let \d+ unsafe commits through/);
  } finally {
    await own.close();
  }
}, 180_000);
