/** Many worlds at once are the same as one by one: seeding, changing, asking, and looking at the predicate without committing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeWorlds } from '../../checker/judge.ts';
import { caseId, Condition } from '../../contract/case.ts';
import { freezeProposal } from '../../contract/proposal.ts';
import { requestOf } from '../../database/approvals.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { checkWorlds, isHeld } from '../../database/frozen/check.ts';
import { insertRequests } from '../../database/frozen/requests.ts';
import { changeWorlds, seedWorlds } from '../../database/frozen/worlds.ts';
import { changeWorld, observeWorld, seedWorld } from '../../database/worlds.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { designCells } from '../../scenarios/design.ts';
import { templates } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import { setUpCase } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
let generated: readonly string[];
beforeAll(async () => {
  db = await testDatabase();
  const { rows } = await db.pool.query<{ column_name: string }>(`select distinct column_name from information_schema.columns where is_identity = 'YES'`);
  generated = ['world_id', ...rows.map((row) => row.column_name)];
});
afterAll(() => db.close());

const cells = designCells({ templates: templates.map((template) => template.name), instances: [0, 1], conditions: Condition.options }).map(caseId);

/** A world's history without what differs from world to world: ids, clocks, transactions. */
async function historyOf(worldId: string): Promise<unknown[]> {
  const { rows } = await db.pool.query<{ told: unknown }>(
    `select jsonb_build_array(epoch, table_name, old_row - $2::text[], new_row - $2::text[], actor, reason, op_key) as told from holdpoint.row_history where world_id = $1 order by epoch, id`,
    [worldId, generated],
  );
  return rows.map((row) => row.told);
}

test.each(cells)('%s: worlds that are seeded and changed together have the history of one that was alone', async (id) => {
  const plan = planOf(id);
  const alone = await seedWorld(db.pool, id, plan.seed);
  const worldIds = await seedWorlds(db.pool, { label: id, rows: plan.seed }, 3);
  expect(new Set([...worldIds, alone]).size).toBe(4);
  for (const step of [...plan.before, ...plan.race]) {
    await changeWorld(db.pool, alone, step);
    await changeWorlds(db.pool, worldIds, step);
  }
  const expected = await historyOf(alone);
  for (const worldId of worldIds) expect(await historyOf(worldId)).toEqual(expected);
  for (const world of await judgeWorlds(db.pool, { worldIds })) expect(world.status).toBe('sound');
});

test('a change that misses a row in one of the worlds changes none of them', async () => {
  const plan = planOf(cells[0] ?? '');
  const worldIds = await seedWorlds(db.pool, { label: 'a', rows: plan.seed }, 2);
  const other = await seedWorlds(db.pool, { label: 'b', rows: [] }, 1);
  const mutation = { actor: 'test', reason: 'test', changes: [{ update: 'holdpoint.policies', keyColumn: 'tool', key: plan.tool, set: { allowed: false } }] };
  await expect(changeWorlds(db.pool, [...worldIds, ...other], mutation)).rejects.toThrow('A change hit 2 rows in 3 worlds');
  const { rows } = await db.pool.query<{ allowed: boolean }>('select allowed from holdpoint.policies where world_id = any ($1)', [worldIds]);
  expect(rows).toEqual([{ allowed: true }, { allowed: true }]);
});

describe('the check', () => {
  test.each(cells)('%s: says what the commit says, and leaves nothing behind', async (id) => {
    const { worldId, plan, request } = await setUpCase(db.pool, id, { kind: 'predicate', without: [] });
    const before = await historyOf(worldId);
    const [check] = await checkWorlds(db.pool, [worldId], { tool: plan.tool, args: plan.arguments });
    expect(await historyOf(worldId)).toEqual(before);
    const outcome = await commitProposal(db.pool, request);
    expect(check !== undefined && isHeld(check)).toBe(outcome.outcome === 'committed');
    const { rows } = await db.pool.query(
      `select status_held as status, policy_held as policy, integrity_held as integrity, not_applied_held as "notApplied" from holdpoint.ledger where world_id = $1`, [worldId]);
    expect([check?.clauses]).toEqual(rows);
  });

  test('a row that is not there holds nothing, and each world is looked at by itself', async () => {
    const plan = planOf(cells[0] ?? '');
    const there = await seedWorld(db.pool, 'there', plan.seed);
    const empty = await seedWorld(db.pool, 'empty', []);
    const checks = await checkWorlds(db.pool, [empty, there, empty], { tool: plan.tool, args: plan.arguments });
    expect(checks.map(isHeld)).toEqual([false, true, false]);
    expect(checks[0]?.allThere).toBe(false);
    await expect(checkWorlds(db.pool, [there], { tool: plan.tool, args: {} })).rejects.toThrow('Nothing to check');
    await expect(checkWorlds(db.pool, [there], { tool: 'no_such_tool', args: {} })).rejects.toThrow('Nothing to check');
  });
});

test('requests that are made together are each as one alone, and each world commits its own', async () => {
  const plan = planOf(cells[0] ?? '');
  const contract = toolContract(plan.tool) as ToolContract;
  const worldIds = await seedWorlds(db.pool, { label: 'together', rows: plan.seed }, 3);
  const { readSet, epoch } = await observeWorld(db.pool, { worldId: worldIds[0] ?? '', contract, keys: plan.keys, telemetry: plan.telemetry });
  const proposal = freezeProposal({ tool: plan.tool, arguments: plan.arguments, readSet, epoch, allowedStates: [...contract.allowedStates], proposer: 'agent:test', windowMs: 60_000 });
  const places = worldIds.map((worldId) => ({ worldId, opKey: `together:${worldId}`, episodeId: `together:${worldId}` }));
  await insertRequests(db.pool, places, proposal);
  for (const { worldId, opKey } of places) {
    const request = await requestOf(db.pool, opKey);
    expect(request).toMatchObject({ worldId, episodeId: opKey, verdict: null, live: true });
    const decision = { verdict: 'approve', by: 'auto', via: 'auto', comment: '' } as const;
    expect(await commitProposal(db.pool, { worldId, opKey, proposal, digest: request?.digest ?? '', guard: { kind: 'epoch', without: [] }, attempt: 1, decision })).toMatchObject({ outcome: 'committed' });
  }
});
