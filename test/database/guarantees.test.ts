/** What each guard guarantees against each anomaly, shown with real connections interleaved at barriers; writes docs/guarantees.md. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuardKind } from '../../contract/guard.ts';
import type { CommitOutcome } from '../../contract/outcome.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { commitFunctionSql } from '../../database/commit/generate.ts';
import { changeWorld } from '../../database/worlds.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { anomalies, writing, type Anomaly } from './support/anomalies.ts';
import { renderGuarantees, type Cell, type ClauseResult, type Column, type Mutant } from './support/guarantees-table.ts';
import { interleave, orders, type Interleaved, type Order } from './support/interleave.ts';
import { approve, approvedRequest, contractOf, countOf, effectsOf, guardOf, propose, requestFor, seedFor, toolCases, toolNames, type Spoiler, type ToolName } from './support/tool-cases.ts';

const page = new URL('../../docs/guarantees.md', import.meta.url);
const cells = new Map<string, Map<Column, Cell>>();
const clauses: ClauseResult[] = [];
const mutants: Mutant[] = [];
const reasons = { status: 'status_violated', policy: 'policy_violated', integrity: 'integrity_violated', notApplied: 'already_applied' } as const;

let withEpoch: TestDatabase;
let withoutEpoch: TestDatabase;
let broken: TestDatabase;

beforeAll(async () => {
  withEpoch = await testDatabase();
  withoutEpoch = await testDatabase();
  broken = await testDatabase();
  // The history trigger without its epoch: it neither bumps nor locks the world's row.
  await withoutEpoch.owner.query(`create or replace function holdpoint.record_change() returns trigger
    language plpgsql security definer set search_path = pg_catalog as $$ begin
      insert into holdpoint.row_history (world_id, epoch, table_name, key, old_row, new_row, actor, reason)
      values (coalesce(new.world_id, old.world_id), 0, tg_table_schema || '.' || tg_table_name, coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[0], to_jsonb(old), to_jsonb(new), 'test', 'test');
      return null;
    end $$`);
});

afterAll(async () => {
  await Promise.all([withEpoch, withoutEpoch, broken].map((db) => db.close()));
});

function wordOf(outcome: CommitOutcome): string {
  return outcome.outcome === 'rejected' ? outcome.reason : outcome.outcome;
}

function isOutcome(value: unknown): value is CommitOutcome {
  return typeof value === 'object' && value !== null && 'outcome' in value;
}

/** Runs one order of an anomaly on a fresh world. */
async function provoke(db: TestDatabase, anomaly: Anomaly, { guard, order }: { guard: GuardKind; order: Order }): Promise<{ result: Interleaved<unknown>; happened: boolean }> {
  const request = await approvedRequest(db, anomaly.tool, guardOf(guard));
  const writer = await anomaly.prepareWriter(db, request, order);
  const result = await interleave(db, request, { order, writer });
  return { result, happened: await anomaly.happened(db, request, order) };
}

/** Runs all orders of a cell, checks who waited and what was answered, and returns what the cell says. */
async function cellOf(db: TestDatabase, anomaly: Anomaly, guard: GuardKind): Promise<Cell> {
  let happened = false;
  let refused = false;
  for (const order of orders) {
    const run = await provoke(db, anomaly, { guard, order });
    happened ||= run.happened;
    const { outcome, written, waited } = run.result;
    expect(waited, `${order}: where the second one waited`).toBe(order === 'writer before' ? 'no' : anomaly.waits(guard, order, db === withEpoch));
    if (order === 'commit holds') {
      expect(outcome.outcome).toBe('committed');
      if (isOutcome(written)) expect(wordOf(written), `${order}: the other commit`).toBe(anomaly.stopped[guard]);
    } else {
      expect(wordOf(outcome), order).toBe(anomaly.stopped[guard]);
      refused ||= outcome.outcome === 'rejected';
    }
  }
  if (happened) return 'happens';
  if (anomaly.harmful) return 'prevented';
  return refused ? 'refused' : 'commits';
}

function record(anomaly: string, column: Column, cell: Cell): void {
  cells.set(anomaly, (cells.get(anomaly) ?? new Map<Column, Cell>()).set(column, cell));
}

describe.each(anomalies)('$anomaly', (anomaly) => {
  it.each(['none', 'epoch', 'version', 'predicate'] as const)(`under the guard %s is as the table says`, async (guard) => {
    const cell = await cellOf(withEpoch, anomaly, guard);
    record(anomaly.anomaly, guard, cell);
    expect(cell).toBe(anomaly.expected[guard]);
  });

  it.each(['version', 'predicate'] as const)('under the guard %s stays so with the bump of the epoch switched off', async (guard) => {
    const cell = await cellOf(withoutEpoch, anomaly, guard);
    record(anomaly.anomaly, `${guard}, no epoch`, cell);
    expect(cell).toBe(anomaly.expected[guard]);
  });
});

describe('a writer between the lock request and its grant', () => {
  const all = toolNames.flatMap((tool) => toolCases[tool].spoilers.map((spoiler) => ({ tool, clause: spoiler.clause, how: spoiler.how, spoiler })));

  it.each(all)('$tool, $clause: $how, and the commit that waited is rejected with that clause', async ({ tool, spoiler }) => {
    const reason = reasons[spoiler.clause];
    let without = '';
    for (const db of [withEpoch, withoutEpoch]) {
      const guarded = await spoil(db, { tool, spoiler, leaveOut: false });
      expect(guarded.result.waited).toBe('work');
      expect(guarded.result.outcome).toMatchObject({ outcome: 'rejected', reason, clause: spoiler.clause });
      expect(guarded.added).toBe(0);
      const open = await spoil(db, { tool, spoiler, leaveOut: true });
      expect(open.result.waited).toBe('work');
      expect(open.result.outcome.outcome).toBe('committed');
      expect(open.added).toBe(1);
      without = open.result.outcome.outcome;
    }
    clauses.push({ tool, clause: spoiler.clause, how: spoiler.how, reason, without });
  });

  async function spoil(db: TestDatabase, { tool, spoiler, leaveOut }: { tool: ToolName; spoiler: Spoiler; leaveOut: boolean }): Promise<{ result: Interleaved<void>; added: number }> {
    const request = await approvedRequest(db, tool, guardOf('predicate', leaveOut ? [spoiler.clause] : []));
    const result = await interleave(db, request, { order: 'writer holds', writer: writing(request.worldId, spoiler.statements) });
    const record = await countOf(db, `select count(*) from holdpoint.ledger where op_key = $1 and verdict = 'committed'`, request.opKey);
    const others = spoiler.statements.filter((statement) => statement.startsWith(`insert into ${contractOf(tool).sideEffectTable} `)).length;
    const added = (await effectsOf(db, request.worldId, tool)) - others;
    expect(record, 'effect and record stand or fall together').toBe(added);
    return { result, added };
  }
});

describe('a commit function broken on purpose', () => {
  const address = 'change_delivery_address';
  const sound = commitFunctionSql(contractOf(address));
  const row = (name: string): Anomaly => {
    const found = anomalies.find((one) => one.anomaly === name);
    if (found === undefined) throw new Error(name);
    return found;
  };

  /** Replaces exactly one place of the generated text, so that a change of the generator cannot make the mutant sound unnoticed. */
  function mutate(sql: string, from: RegExp, to: (match: string, group: string) => string): string {
    const mutant = sql.replace(from, to);
    expect(mutant).not.toBe(sql);
    return mutant;
  }

  it('that checks in its lock statement leaks a hold', async () => {
    const contract = contractOf(address);
    const checked = contract.clauses.status.replaceAll('the_order.', 'x.');
    // The lock statement finds the status out, subquery included; the evaluation after it takes over what was found.
    const unsound = commitFunctionSql({ ...contract, clauses: { ...contract.clauses, status: 'v_status' } });
    await broken.owner.query(mutate(unsound, /^ {2}(?:perform|select) [^;]* from orders\.orders [^;]* for no key update;\n/m, (line) =>
      `  select ${checked} into v_status from orders.orders x where x.world_id = p_world and x.order_id = a_order_id for no key update;\n${line}`));
    const leaked = await provoke(broken, row('phantom absence'), { guard: 'predicate', order: 'writer holds' });
    expect(leaked.result).toMatchObject({ waited: 'work', outcome: { outcome: 'committed' } });
    expect(leaked.happened).toBe(true);
    mutants.push({ broken: 'one that checks in its lock statement', leak: 'it waits for the writer of a hold, is granted the lock, does not see the hold and prints a label' });
  });

  it('that does not lock the policy lets a withdrawal through before its own COMMIT', async () => {
    await broken.owner.query(mutate(sound, /( from holdpoint\.policies [^;]*) for share;/, (_, lock: string) => `${lock};`));
    const anomaly = row('policy withdrawn in between');
    const request = await approvedRequest(broken, address, guardOf('predicate'));
    const run = await interleave(broken, request, { order: 'commit holds', writer: await anomaly.prepareWriter(broken, request, 'commit holds') });
    expect(run).toMatchObject({ waited: 'no', outcome: { outcome: 'committed' } });
    const { rows } = await broken.owner.query<{ table_name: string }>(
      `select table_name from holdpoint.row_history where world_id = $1 and epoch > 1 and (table_name = 'holdpoint.policies' or op_key is not null) order by epoch, id`, [request.worldId],
    );
    expect(rows.map((one) => one.table_name)).toEqual(['holdpoint.policies', 'orders.orders', 'orders.labels']);
    mutants.push({ broken: 'one that does not lock the policy', leak: 'a withdrawal commits while the commit is open, and the history then shows the label after the withdrawal' });
  });
});

describe('a commit function that is sound', () => {
  it('commits in all four domains when nobody interferes, once, with its side effect', async () => {
    for (const tool of toolNames) {
      const request = await approvedRequest(withEpoch, tool, guardOf('predicate'));
      await expect(commitProposal(withEpoch.pool, request)).resolves.toMatchObject({ outcome: 'committed' });
      await expect(commitProposal(withEpoch.pool, request)).resolves.toMatchObject({ outcome: 'replayed' });
      expect(await effectsOf(withEpoch, request.worldId, tool)).toBe(1);
    }
  });

  it('refuses each clause also when the change came long before', async () => {
    for (const tool of toolNames)
      for (const spoiler of toolCases[tool].spoilers) {
        const worldId = await seedFor(withEpoch, tool);
        const request = requestFor(worldId, await propose(withEpoch, worldId, { tool }), { guard: guardOf('predicate') });
        await approve(withEpoch, request);
        for (const statement of spoiler.statements) await withEpoch.pool.query(statement, [worldId]);
        await expect(commitProposal(withEpoch.pool, request)).resolves.toMatchObject({ outcome: 'rejected', clause: spoiler.clause });
      }
  });

  it('sees a change made through changeWorld as it sees any other', async () => {
    const request = await approvedRequest(withEpoch, 'grant_role', guardOf('version'));
    await changeWorld(withEpoch.pool, request.worldId, { actor: 'test', reason: 'retitled', changes: [{ update: 'access.roles', keyColumn: 'role_id', key: 'editor', set: { title: 'Editor in chief' } }] });
    await expect(commitProposal(withEpoch.pool, request)).resolves.toMatchObject({ outcome: 'rejected', reason: 'read_set_stale' });
  });
});

describe('docs/guarantees.md', () => {
  it('says what came out of this run', async () => {
    const text = renderGuarantees({ rows: anomalies, cells, clauses, mutants });
    if (process.env['UPDATE_DOCS'] === '1') {
      await mkdir(new URL('.', page), { recursive: true });
      await writeFile(page, text);
    }
    expect(await readFile(page, 'utf8')).toBe(text);
  });
});
