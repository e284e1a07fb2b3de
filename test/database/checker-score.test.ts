/** The judge and the scorer on the real scenarios: all templates, six conditions, both twins, against what guard-precision says of each family. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeWorlds } from '../../checker/judge.ts';
import { scoreEpisode, scoreWorlds, type Score, type ScoreRequest } from '../../checker/score.ts';
import { caseId, Condition } from '../../contract/case.ts';
import { GuardKind } from '../../contract/guard.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { changeWorld } from '../../database/worlds.ts';
import { templates } from '../../scenarios/index.ts';
import { actCase, setUpCase, type Acted } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(() => db.close());

function requestOf(acted: Acted): ScoreRequest {
  const { worldId, episodeId, plan } = acted;
  const drift = [...plan.before, ...plan.race].filter((step) => !step.towardsGoal).flatMap((step) => step.changes);
  return { worldId, episodeId, expected: plan.expected, drift, twin: plan.twin };
}
const score = (acted: Acted): Promise<Score> => scoreEpisode(db.pool, requestOf(acted));

type Cell = { condition: Condition; hazardous: boolean; kind: GuardKind; acted: Acted };
async function actAll(): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const template of templates) for (const condition of Condition.options) for (const instance of [0, 1]) for (const kind of GuardKind.options) {
    const acted = await actCase(db.pool, caseId({ template: template.name, instance, condition }), { kind, without: [] });
    cells.push({ condition, hazardous: acted.plan.twin === 'hazardous', kind, acted });
  }
  return cells;
}

/** As the owner, who can do what a worker cannot: changes a world's history so that `allowed` of its policy is no truth value. */
async function spoil(worldId: string): Promise<void> {
  await db.owner.query('alter table holdpoint.row_history disable trigger append_only');
  await db.owner.query(`update holdpoint.row_history set new_row = new_row || '{"allowed": "perhaps"}' where world_id = $1 and table_name = 'holdpoint.policies'`, [worldId]);
  await db.owner.query('alter table holdpoint.row_history enable trigger append_only');
}

test('every cell of all templates scores as the reference says, many at once as one by one', async () => {
  const acted = await actAll();
  const scores = await scoreWorlds(db.pool, acted.map((cell) => requestOf(cell.acted)));
  const oneByOne: Score[] = [];
  for (const cell of acted) oneByOne.push(await score(cell.acted));
  expect(scores).toEqual(oneByOne);
  const cells = acted.map((cell, index) => ({ ...cell, score: oneByOne[index] as Score }));
  const count = (kind: GuardKind, holds: (cell: (typeof cells)[number]) => boolean): number => cells.filter((cell) => cell.kind === kind && holds(cell)).length;
  expect(cells.every((cell) => cell.score.integrity === 'sound')).toBe(true);
  expect(count('none', (cell) => cell.score.unsafe)).toBe(5 * templates.length); // five families, the hazardous half
  expect(count('none', (cell) => cell.score.unsafe !== cell.hazardous)).toBe(0);
  for (const kind of ['epoch', 'version', 'predicate'] as const) expect(count(kind, (cell) => cell.score.unsafe)).toBe(0);
  expect(count('predicate', (cell) => cell.score.blockedBenign)).toBe(0);
  expect(count('version', (cell) => cell.score.blockedBenign)).toBe(4 * templates.length); // four predicate-preserving families
  expect(count('epoch', (cell) => cell.score.blockedBenign)).toBe(5 * templates.length); // and the write outside the read set
  expect(cells.every((cell) => !cell.score.wrongEffect)).toBe(true);
  const alreadyDone = (cell: (typeof cells)[number]): boolean => cell.hazardous && !cell.score.committed && cell.score.safeSuccess;
  expect(count('predicate', (cell) => alreadyDone(cell) && ['delayed-visibility', 'timeout-after-commit'].includes(cell.condition))).toBe(2 * templates.length);
  expect(count('predicate', (cell) => cell.condition === 'partial-success' && cell.hazardous && cell.score.safeSuccess)).toBe(0);
  expect(count('predicate', (cell) => !cell.hazardous && cell.score.safeSuccess)).toBe(7 * templates.length);
}, 120_000);

test('the clauses that fail are the ones the reference names for each family', async () => {
  for (const template of templates) {
    const failed = async (condition: Condition): Promise<readonly string[]> => {
      const acted = await actCase(db.pool, caseId({ template: template.name, instance: 0, condition }), { kind: 'none', without: [] });
      const [world] = await judgeWorlds(db.pool, { worldIds: [acted.worldId] });
      return world?.attempts[0]?.failedClauses ?? ['nothing judged'];
    };
    expect(await failed('clean')).toEqual([]);
    expect(await failed('concurrent-mutation')).toEqual(['policy']);
    expect(await failed('delayed-visibility')).toContain('notApplied');
    expect(await failed('timeout-after-commit')).toEqual(expect.arrayContaining(['status', 'notApplied']));
    expect(await failed('partial-success')).toEqual(expect.arrayContaining(['integrity', 'notApplied']));
    expect(await failed('stale-read')).toContain('status');
  }
}, 60_000);

test('a commit that was safe but changed something else is a wrong effect and no success', async () => {
  const acted = await setUpCase(db.pool, 'change-delivery-address/1/clean', { kind: 'none', without: [] });
  const other = { ...acted.plan.expected, updated: acted.plan.expected.updated.map((update) => ({ ...update, set: { delivery_address: '1 Elsewhere' } })) };
  await commitProposal(db.pool, acted.request);
  const wrong = await scoreEpisode(db.pool, { worldId: acted.worldId, episodeId: acted.episodeId, expected: other, drift: [], twin: 'clean' });
  expect(wrong).toMatchObject({ committed: true, unsafe: false, wrongEffect: true, safeSuccess: false });
  expect(await score(acted)).toMatchObject({ wrongEffect: false, safeSuccess: true });
  await changeWorld(db.pool, acted.worldId, { actor: 'x', reason: 'undeclared', changes: [{ update: 'orders.customers', keyColumn: 'customer_id', key: 'cus-4410', set: { name: 'Somebody' } }] });
  expect(await score(acted)).toMatchObject({ unsafe: false, diffExact: false, wrongEffect: true });
});

test('among many worlds, one whose check fails is unjudged, one that is broken is broken, and the others have their scores', async () => {
  const acted: Acted[] = [];
  for (const guard of ['none', 'predicate', 'version', 'none', 'predicate'] as const) acted.push(await actCase(db.pool, 'record-invoice/0/stale-read', { kind: guard, without: [] }));
  const [first, spoilt, broken, ...others] = acted as [Acted, Acted, Acted, ...Acted[]];
  const before = await scoreWorlds(db.pool, [first, ...others].map(requestOf));
  await spoil(spoilt.worldId);
  await db.owner.query(`insert into holdpoint.row_history (world_id, epoch, table_name, key, actor, reason) select world_id, epoch, 'orders.elsewhere', 'x', 'x', 'x' from holdpoint.row_history where world_id = $1 limit 1`, [broken.worldId]);
  const [firstNow, spoiltNow, brokenNow, ...othersNow] = await scoreWorlds(db.pool, [first, spoilt, broken, ...others].map(requestOf));
  expect([firstNow, ...othersNow]).toEqual(before);
  expect(before).toMatchObject([{ integrity: 'sound', unsafe: true }, { integrity: 'sound', unsafe: true }, { integrity: 'sound', unsafe: false }]);
  expect(spoiltNow).toEqual({ unjudged: expect.stringMatching(new RegExp(`^World ${spoilt.worldId} cannot be judged: .*perhaps`)) as string });
  expect(brokenNow).toMatchObject({ integrity: 'broken' });
  await expect(score(spoilt)).rejects.toThrow('perhaps');
});

test('two episodes of one world are scored each by its own attempts, and a world that is not there is broken', async () => {
  const acted = await actCase(db.pool, 'grant-role/1/clean', { kind: 'predicate', without: [] });
  const own = requestOf(acted);
  const scores = await scoreWorlds(db.pool, [own, { ...own, episodeId: 'another' }, { ...own, worldId: '999999' }]);
  expect(scores).toMatchObject([{ committed: true, safeSuccess: true }, { committed: false, diffExact: true }, { committed: false, integrity: 'broken' }]);
  expect(await scoreWorlds(db.pool, [])).toEqual([]);
});
