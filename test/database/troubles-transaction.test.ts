/** Trouble: swallowed errors, contention, cut lines and dirty connections around one transaction. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeOpKey, commitProposal, commitQuery, outcomeOf, isUnknown, type CommitRequest } from '../../database/commit/commit.ts';
import { CommitUnknownError, ContentionError, isConnectionLoss, reasonOfDatabaseError, RolledBackError, sqlStateOf } from '../../database/errors.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Client, type Pool } from '../../database/pool.ts';
import { inOneTrip, inTransaction } from '../../database/transaction.ts';
import { changeWorld } from '../../database/worlds.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { seenWaitingFor, standingOf, withSessions } from './support/sessions.ts';
import { approve, approvedRequest, countOf, effectsOf, guardOf, ledgerOf, propose, requestFor, seedFor } from './support/tool-cases.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await db.owner.query('create table public.notes (id int primary key, body text not null); grant select, insert, update, delete on public.notes to holdpoint_worker');
  await db.owner.query('create sequence public.tries; grant usage on sequence public.tries to holdpoint_worker');
});
afterAll(() => db.close());

/** One more approved proposal of the same invoice, made from what the world says now. */
async function approvedIn(worldId: string): Promise<CommitRequest> {
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice' }), { guard: guardOf('version') });
  await approve(db, request);
  return request;
}

/** A pool of its own, ended after use. */
async function withPool<T>(options: { max: number; lockTimeoutMs?: number; statementTimeoutMs?: number }, use: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ url: roleUrl(db.ownerUrl, 'holdpoint_worker'), name: 'holdpoint-test-own', ...options });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

function streamOf(client: unknown): { destroy(): void; removeAllListeners(event: string): void; once(event: string, listener: () => void): void } {
  return (client as { connection: { stream: ReturnType<typeof streamOf> } }).connection.stream;
}

const caught = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => undefined, (error: unknown) => error);
const noteCount = (id: number): Promise<number> => countOf(db, 'select count(*) from public.notes where id = $1::int', String(id));

describe('a swallowed error', () => {
  it('makes COMMIT a rollback, which is told and never taken for committed', async () => {
    const work = async (client: Client): Promise<string> => {
      await client.query(`insert into public.notes values (1, 'effect')`);
      await client.query(`insert into public.notes values (1, 'audit')`).catch(() => undefined);
      return 'committed';
    };
    await expect(inTransaction(db.pool, work)).rejects.toBeInstanceOf(RolledBackError);
    expect(await noteCount(1)).toBe(0);
  });

  it('behind a savepoint costs the audit only', async () => {
    await inTransaction(db.pool, async (client) => {
      await client.query(`insert into public.notes values (2, 'effect')`);
      await client.query('savepoint audit');
      await client.query(`insert into public.notes values (2, 'audit')`).catch(() => client.query('rollback to audit'));
    });
    expect(await noteCount(2)).toBe(1);
  });
});

describe('an error that is no contention', () => {
  it('is thrown as it came, once, with nothing written', async () => {
    let runs = 0;
    const failing = inTransaction(db.pool, async (client) => {
      runs += 1;
      await client.query(`insert into public.notes values (3, 'effect')`);
      await client.query('select 1 / 0');
    });
    expect(sqlStateOf(await caught(failing))).toBe('22012');
    expect(runs).toBe(1);
    expect(await noteCount(3)).toBe(0);
    expect(sqlStateOf(await caught(inOneTrip(db.pool, { text: 'select 1 / 0' })))).toBe('22012');
  });

  it('of the program itself rolls back, keeps the connection and is not taken for a lost line', async () => {
    await withPool({ max: 1 }, async (pool) => {
      const { rows: before } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      const error = await caught(inTransaction(pool, async (client) => {
        await client.query(`insert into public.notes values (4, 'effect')`);
        throw new Error('The row is not what was expected.');
      }));
      const { rows: after } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      expect(await noteCount(4)).toBe(0);
      expect(isConnectionLoss(error)).toBe(false);
      expect(reasonOfDatabaseError(error)).not.toBe('database_unavailable');
      expect(after).toEqual(before);
    });
  });
});

describe('contention', () => {
  it('reruns the whole transaction with fresh reads, and says how often', async () => {
    let runs = 0;
    let reruns = 0;
    const result = await inTransaction(db.pool, async (client) => {
      runs += 1;
      await client.query(`insert into public.notes values (5, $1)`, [`run ${String(runs)}`]);
      if (runs < 3) await client.query(`do $$ begin raise exception 'again' using errcode = '${runs === 1 ? '40001' : '40P01'}'; end $$`);
      return runs;
    }, { onRerun: () => { reruns += 1; }, random: () => 0 });
    expect({ result, reruns }).toEqual({ result: 3, reruns: 2 });
    expect(await noteCount(5)).toBe(1);
  });

  it('that outlasts the bound is a ContentionError after exactly that many reruns', async () => {
    let runs = 0;
    const failing = inTransaction(db.pool, async (client) => {
      runs += 1;
      await client.query(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
    }, { reruns: 4, random: () => 0 });
    await expect(failing).rejects.toBeInstanceOf(ContentionError);
    expect(runs).toBe(5);
  });

  it('at COMMIT is rerun too', async () => {
    await db.owner.query(`create function public.trouble() returns trigger language plpgsql as $$ begin
        if nextval('public.tries') % 2 = 1 then raise exception 'late' using errcode = '40001'; end if; return null; end $$;
      create constraint trigger late after insert on public.notes deferrable initially deferred for each row when (new.id = 6) execute function public.trouble()`);
    let reruns = 0;
    const onRerun = (): void => { reruns += 1; };
    await inTransaction(db.pool, (client) => client.query(`insert into public.notes values (6, 'x')`), { onRerun, random: () => 0 });
    await inOneTrip(db.pool, { text: `delete from public.notes where id = 6` });
    await inOneTrip(db.pool, { text: `insert into public.notes values (6, 'y')` }, { onRerun, random: () => 0 });
    expect(reruns).toBe(2);
    expect(await noteCount(6)).toBe(1);
  });

  it('that a commit cannot outlast is contention_exhausted, with no effect and no record', async () => {
    const request = await approvedRequest(db, 'change_delivery_address', guardOf('predicate'));
    await db.owner.query(`create function public.always() returns trigger language plpgsql as $$ begin raise exception 'again' using errcode = '40P01'; end $$;
      create trigger always before insert on orders.labels for each row execute function public.always()`);
    let reruns = 0;
    try {
      const outcome = await commitProposal(db.pool, request, { reruns: 2, random: () => 0, onRerun: () => { reruns += 1; } });
      expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'contention_exhausted', clause: null });
    } finally {
      await db.owner.query('drop trigger always on orders.labels');
    }
    expect(reruns).toBe(2);
    expect(await effectsOf(db, request.worldId, 'change_delivery_address')).toBe(0);
    expect(await ledgerOf(db, request.opKey)).toEqual([]);
    await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ outcome: 'committed' });
  });

  it('two writers of several rows in opposite order deadlock, and both get through', async () => {
    const worldId = await seedFor(db, 'change_delivery_address');
    let reruns = 0;
    let arrived = 0;
    let open: () => void = () => undefined;
    const barrier = new Promise<void>((resolve) => { open = resolve; });
    const writer = (first: string, second: string): Promise<void> => {
      let runs = 0;
      return inTransaction(db.pool, async (client) => {
        runs += 1;
        const note = (order: string): Promise<unknown> => client.query(`update orders.orders set warehouse_note = warehouse_note || $3 where world_id = $1 and order_id = $2`, [worldId, order, first]);
        await note(first);
        if (runs === 1) {
          arrived += 1;
          if (arrived === 2) open();
          await barrier;
        }
        await note(second);
      }, { onRerun: () => { reruns += 1; } });
    };
    await Promise.all([writer('o1', 'o2'), writer('o2', 'o1')]);
    expect(reruns).toBeGreaterThanOrEqual(1); // the victim's second try may slip in before the other wakes, and deadlock with it again
    const { rows } = await db.owner.query<{ length: number; version: string }>('select length(warehouse_note) as length, version from orders.orders where world_id = $1', [worldId]);
    expect(rows).toEqual([{ length: 4, version: '3' }, { length: 4, version: '3' }]);
  });

  it('ten commits at once on one row, then ten on ten rows, all end in a right outcome', async () => {
    const worldId = await seedFor(db, 'record_invoice');
    const requests = await Promise.all(Array.from({ length: 10 }, () => approvedIn(worldId)));
    const outcomes = await Promise.all(requests.map((request) => commitProposal(db.pool, request)));
    expect(outcomes.filter((outcome) => outcome.outcome === 'committed')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.outcome !== 'committed') expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'read_set_stale' });
    expect(await effectsOf(db, worldId, 'record_invoice')).toBe(1);
    const apart = await Promise.all(Array.from({ length: 10 }, () => approvedRequest(db, 'record_invoice', guardOf('version'))));
    for (const outcome of await Promise.all(apart.map((request) => commitProposal(db.pool, request)))) expect(outcome.outcome).toBe('committed');
  });
});

describe('a line that is cut', () => {
  it('before COMMIT was sent is a failure without effect, and the pool goes on', async () => {
    const failing = inTransaction(db.pool, async (client) => {
      await client.query(`insert into public.notes values (10, 'x')`);
      streamOf(client).destroy();
      await client.query('select 1');
    });
    const error = await caught(failing);
    expect(isConnectionLoss(error)).toBe(true);
    expect(error).not.toBeInstanceOf(CommitUnknownError);
    expect(reasonOfDatabaseError(error)).toBe('database_unavailable');
    expect(await noteCount(10)).toBe(0);
  });

  it('after COMMIT was sent is unknown, and the row is there', async () => {
    const failing = inTransaction(db.pool, async (client) => {
      await client.query(`insert into public.notes values (11, 'x')`);
      swallowAnswer(client);
    });
    await expect(failing).rejects.toBeInstanceOf(CommitUnknownError);
    expect(reasonOfDatabaseError(await caught(failing))).toBe('commit_unknown');
    expect(await noteCount(11)).toBe(1);
  });

  it('under a guarded commit is unknown until the key is settled, and settling finds the effect', async () => {
    for (const settle of ['retry', 'close'] as const)
      await withPool({ max: 1 }, async (pool) => {
        const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
        pool.once('acquire', (client) => { swallowAnswer(client); });
        const error = await caught(commitProposal(pool, request));
        expect(isUnknown(error)).toBe(true);
        if (settle === 'retry') await expect(commitProposal(pool, { ...request, attempt: 2 })).resolves.toMatchObject({ outcome: 'replayed' });
        else await expect(closeOpKey(pool, { worldId: request.worldId, opKey: request.opKey, tool: 'record_invoice', reason: 'cancelled', by: 'test' })).resolves.toMatchObject({ state: 'committed' });
        expect(await effectsOf(db, request.worldId, 'record_invoice')).toBe(1);
      });
  });

  it('twenty times in the same tick as the commit is sent never leaves effect and record apart', async () => {
    for (let round = 0; round < 20; round += 1)
      await withPool({ max: 1 }, async (pool) => {
        const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
        pool.once('acquire', (client) => setImmediate(() => { streamOf(client).destroy(); }));
        const error = await caught(commitProposal(pool, request));
        expect(isUnknown(error)).toBe(true);
        const settled = await closeOpKey(pool, { worldId: request.worldId, opKey: request.opKey, tool: 'grant_role', reason: 'cancelled', by: 'test' });
        expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(settled.state === 'committed' ? 1 : 0);
      });
  });

  function swallowAnswer(client: unknown): void {
    const stream = streamOf(client);
    stream.removeAllListeners('data');
    stream.once('data', () => { stream.destroy(); });
  }
});

describe('a server that ends every session', () => {
  const endAll = (): Promise<unknown> => db.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'holdpoint-test-own'`);

  it('kills nobody: idle connections are replaced', async () => {
    await withPool({ max: 4 }, async (pool) => {
      await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0)')));
      await endAll();
      const requests = await Promise.all([1, 2, 3, 4].map(() => approvedRequest(db, 'grant_role', guardOf('predicate'))));
      for (const request of requests) {
        // The pool may not have heard yet: then the first try is unknown, and the same key settles it.
        const outcome = await commitProposal(pool, request).catch(() => commitProposal(pool, request)).catch(() => commitProposal(pool, request));
        expect(['committed', 'replayed']).toContain(outcome.outcome);
        expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(1);
      }
    });
  });

  it('in mid-commit makes the outcome unknown, and settling agrees with the effect', async () => {
    await withPool({ max: 4 }, async (pool) => {
      const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
      await withSessions(db.pool, 1, async (holder) => {
        await holder.client.query('begin');
        await holder.client.query(`update access.people set manager_note = 'x' where world_id = $1`, [request.worldId]);
        const asked = caught(commitProposal(pool, request));
        await waitingBackend();
        await endAll();
        expect(isUnknown(await asked)).toBe(true);
        await holder.client.query('commit');
      });
      expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(0);
      await expect(commitProposal(pool, request)).resolves.toMatchObject({ outcome: 'committed' });
    });
  });

  async function waitingBackend(): Promise<void> {
    for (let seen = 0; seen === 0; ) seen = await countOf(db, `select count(*) from pg_stat_activity where application_name = $1 and cardinality(pg_blocking_pids(pid)) > 0`, 'holdpoint-test-own');
  }
});

describe('what a connection had prepared', () => {
  it('may be gone, as behind a pooler that changes the server process: it is prepared again', async () => {
    await withPool({ max: 1 }, async (pool) => {
      let reruns = 0;
      for (const expected of [0, 1, 2]) {
        const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
        expect((await commitProposal(pool, request, { onRerun: () => { reruns += 1; }, random: () => 0 })).outcome).toBe('committed');
        expect(reruns).toBe(expected);
        await pool.query('deallocate all');
      }
    });
  });

  it("does not meddle with the caller's statements of any name, after an error either", async () => {
    await withPool({ max: 1 }, async (pool) => {
      const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
      expect(sqlStateOf(await caught(inOneTrip(pool, commitQuery({ ...request, worldId: 'nowhere' }))))).toBe('22P02');
      const { rows } = await pool.query<{ answer: string }>(commitQuery(request));
      expect(outcomeOf(rows[0]?.answer ?? '', request).outcome).toBe('committed');
      expect((await commitProposal(pool, request)).outcome).toBe('replayed');
      for (const name of ['begin', 'commit']) await expect(pool.query({ name, text: 'select 7 as n', values: [] })).resolves.toMatchObject({ rows: [{ n: 7 }] });
      expect((await commitProposal(pool, request)).outcome).toBe('replayed');
    });
  });
});

describe("a time limit of the client's", () => {
  it('leaves the outcome unknown once COMMIT was sent, also on a pool that does not pipeline', async () => {
    const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
    const pool = new pg.Pool({ connectionString: roleUrl(db.ownerUrl, 'holdpoint_worker'), max: 1, query_timeout: 300 });
    pool.on('connect', (client) => client.on('error', () => undefined));
    await withSessions(db.pool, 1, async ({ client }) => {
      await client.query('begin');
      await client.query('select from billing.purchase_orders where world_id = $1 for update', [request.worldId]);
      expect(await caught(commitProposal(pool, request))).toBeInstanceOf(CommitUnknownError);
      await client.query('commit');
    });
    await pool.end();
    // Settled by asking again: whichever came first, there is one effect.
    expect(['committed', 'replayed']).toContain((await commitProposal(db.pool, request)).outcome);
    expect(await effectsOf(db, request.worldId, 'record_invoice')).toBe(1);
  });
});

describe('a pool', () => {
  it('of two serves twenty commits at once', async () => {
    const requests = await Promise.all(Array.from({ length: 20 }, () => approvedRequest(db, 'record_invoice', guardOf('epoch'))));
    await withPool({ max: 2 }, async (pool) => {
      for (const outcome of await Promise.all(requests.map((request) => commitProposal(pool, request)))) expect(outcome.outcome).toBe('committed');
    });
  });

  it('is clean after 500 failures: nothing idle in a transaction, no advisory lock, and the next query works', async () => {
    await withPool({ max: 8 }, async (pool) => {
      const failures = Array.from({ length: 500 }, (_, index) => {
        if (index % 5 === 0) return inOneTrip(pool, { text: 'select 1 / 0' });
        return inTransaction(pool, async (client) => {
          await client.query('select pg_advisory_xact_lock($1)', [index]);
          await client.query(`insert into public.notes values ($1, 'x')`, [1000 + index]);
          if (index % 5 === 1) throw new TypeError('forced');
          if (index % 5 === 2) throw new Error('forced');
          await client.query(index % 5 === 3 ? 'select nonsense' : `insert into public.notes values ($1, 'x')`, index % 5 === 3 ? [] : [1000 + index]);
        });
      });
      const results = await Promise.allSettled(failures);
      expect(results.filter((result) => result.status === 'fulfilled')).toEqual([]);
      await expect(pool.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
      // A connection that was ended rather than returned is rolled back by the server a moment later.
      let left = 1;
      for (const untilMs = Date.now() + 5_000; left > 0 && Date.now() < untilMs; )
        left = await countOf(db, `select (select count(*) from pg_stat_activity where application_name = $1 and state like 'idle in transaction%')
          + (select count(*) from pg_locks l join pg_database d on d.oid = l.database where l.locktype = 'advisory' and d.datname = current_database()) as count`, 'holdpoint-test-own');
      expect(left).toBe(0);
      expect(await countOf(db, 'select count(*) from public.notes where id >= $1::int', '1000')).toBe(0);
    });
  });

  it('gives up a lock at the server: a commit that timed out leaves no late row', async () => {
    const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
    await withPool({ max: 2, lockTimeoutMs: 100 }, (pool) => withSessions(db.pool, 1, async (holder) => {
      await holder.client.query('begin');
      await holder.client.query(`update billing.purchase_orders set buyer_note = 'x' where world_id = $1`, [request.worldId]);
      const error = await caught(commitProposal(pool, request));
      expect(sqlStateOf(error)).toBe('55P03');
      expect(reasonOfDatabaseError(error)).toBe('database_contention');
      await holder.client.query('commit');
      // Whatever the timed-out statement held is gone: the key can be claimed at once, and nothing was written under it.
      expect(await ledgerOf(db, request.opKey)).toEqual([]);
      expect(await effectsOf(db, request.worldId, 'record_invoice')).toBe(0);
      await expect(closeOpKey(pool, { worldId: request.worldId, opKey: request.opKey, tool: 'record_invoice', reason: 'cancelled', by: 'test' })).resolves.toEqual({ state: 'closed' });
    }));
  });
});

it('writers of several rows do not deadlock over the epoch: its row comes last', async () => {
  const worldId = await seedFor(db, 'change_delivery_address');
  await withSessions(db.pool, 2, async (one, two) => {
    const note = (order: string): string => `update orders.orders set warehouse_note = 'x' where world_id = ${worldId} and order_id = '${order}'`;
    await one.client.query('begin');
    await two.client.query('begin');
    await one.client.query(note('o1'));
    await two.client.query(note('o2'));
    await two.client.query('commit'); // an immediate epoch lock would have made this wait for the first writer, and the next line deadlock
    await one.client.query(note('o2'));
    await one.client.query('commit');
  });
  expect(await countOf(db, 'select epoch as count from holdpoint.epochs where world_id = $1', worldId)).toBe(3);
});

it('a commit under the epoch guard waits for a writer on its way through COMMIT, and for no other', async () => {
  const request = await approvedRequest(db, 'change_delivery_address', guardOf('epoch'));
  await withSessions(db.pool, 2, async (writer, committer) => {
    await writer.client.query('begin');
    await writer.client.query(`update orders.orders set warehouse_note = 'x' where world_id = $1 and order_id = 'o2'`, [request.worldId]);
    await committer.client.query('begin');
    const asked = committer.client.query<{ answer: string }>(commitQuery(request));
    expect(await standingOf(db.owner, committer, asked)).toBe('done');
    const ending = writer.client.query('commit');
    await seenWaitingFor(db.owner, { session: writer, asked: ending }, committer);
    await committer.client.query('commit');
    await ending;
    expect(outcomeOf((await asked).rows[0]?.answer ?? '', request).outcome).toBe('committed');
  });
});

it('changes of a world that hit no row are refused whole', async () => {
  const worldId = await seedFor(db, 'grant_role');
  const changes = [
    { update: 'access.people', keyColumn: 'person_id', key: 'ann', set: { manager_note: 'x' } },
    { update: 'access.people', keyColumn: 'person_id', key: 'nobody', set: { manager_note: 'x' } },
  ];
  await expect(changeWorld(db.pool, worldId, { actor: 'test', reason: 'test', changes })).rejects.toThrow('hit 0 rows');
  expect(await countOf(db, `select count(*) from access.people where world_id = $1 and manager_note = 'x'`, worldId)).toBe(0);
});
