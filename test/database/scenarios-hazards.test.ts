/** Scenarios on a real Postgres: hazards are caught by exactly the clauses that the reference names, benign twins by none, and the expected diff is the real one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRegime } from '../../checker/kept-tables.ts';
import { caseId, Condition, twinOf, type Case } from '../../contract/case.ts';
import type { Clause, Guard } from '../../contract/guard.ts';
import type { CommitOutcome } from '../../contract/outcome.ts';
import type { Scalar } from '../../contract/observation.ts';
import { proposalDigest, type Proposal } from '../../contract/proposal.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { changeWorld, observeWorld, seedWorld } from '../../database/worlds.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { designCells } from '../../scenarios/design.ts';
import { hazardOf } from '../../scenarios/hazard.ts';
import { templates } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { EpisodePlan, ExpectedDiff } from '../../scenarios/scenario.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
/** By table: columns that no expected diff names. */
let generated: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  db = await testDatabase();
  generated = new Map((await readRegime(db.pool)).tables.map((table) => [table.table, ['world_id', 'version', ...table.generated]]));
});
afterAll(async () => {
  await db.close();
});

const clauses: readonly Clause[] = ['status', 'policy', 'integrity', 'notApplied'];
const cells: Case[] = designCells({ templates: templates.map((template) => template.name), instances: [0, 1, 2, 3], conditions: Condition.options });

/** The clauses that must be false in a cell, by the hidden truth about it. */
const violated = (cell: Case): readonly Clause[] => hazardOf(cell)?.clauses ?? [];

type Trial = { readonly plan: EpisodePlan; readonly outcome: CommitOutcome; readonly worldId: string };

async function trial(cell: Case, guard: Guard): Promise<Trial> {
  const plan = planOf(caseId(cell));
  const contract = toolContract(plan.tool) as ToolContract;
  const worldId = await seedWorld(db.pool, plan.caseId, plan.seed);
  for (const step of plan.before) await changeWorld(db.pool, worldId, step);
  const observation = await observeWorld(db.pool, { worldId, contract, keys: plan.keys, telemetry: plan.telemetry, ...(plan.observe === 'seed' ? { asOfEpoch: '1' } : {}) });
  for (const step of plan.race) await changeWorld(db.pool, worldId, step);
  const proposal: Proposal = {
    tool: plan.tool, arguments: plan.arguments, readSet: observation.readSet, epoch: observation.epoch,
    allowedStates: [...contract.allowedStates], proposer: 'agent:always-act', windowMs: 60_000,
  };
  const digest = proposalDigest(proposal);
  const opKey = `${worldId}/1`;
  await db.pool.query(
    `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
     values ($1, $2, 'test', $3, '{}', $4, $5, clock_timestamp() + interval '1 minute')`,
    [opKey, worldId, digest, plan.tool, proposal.proposer],
  );
  const outcome = await commitProposal(db.pool, { worldId, opKey, proposal, digest, guard, attempt: 1, decision: { verdict: 'approve', by: 'auto', via: 'auto', comment: '' } });
  return { plan, outcome, worldId };
}

async function clausesOf(worldId: string): Promise<Record<Clause, boolean>> {
  const { rows } = await db.pool.query<Record<Clause, boolean>>(
    `select status_held as status, policy_held as policy, integrity_held as integrity, not_applied_held as "notApplied" from holdpoint.ledger where world_id = $1`,
    [worldId],
  );
  return rows[0] as Record<Clause, boolean>;
}

/** What the op key's transaction did to the world, in the form of an expected diff. */
async function realDiff(worldId: string): Promise<ExpectedDiff> {
  const { rows } = await db.pool.query<{ table_name: string; key: string; old_row: Record<string, Scalar> | null; new_row: Record<string, Scalar> }>(
    `select table_name, key, old_row, new_row from holdpoint.row_history where world_id = $1 and op_key is not null order by id`,
    [worldId],
  );
  const visible = (table: string, row: Record<string, Scalar>): [string, Scalar][] => Object.entries(row).filter(([column]) => generated.get(table)?.includes(column) !== true);
  return {
    updated: rows.flatMap((row) => (row.old_row === null ? [] : [{ table: row.table_name, key: row.key, set: Object.fromEntries(visible(row.table_name, row.new_row).filter(([column, value]) => row.old_row?.[column] !== value)) }])),
    inserted: rows.flatMap((row) => (row.old_row === null ? [{ table: row.table_name, row: Object.fromEntries(visible(row.table_name, row.new_row)) }] : [])),
  };
}

describe.each(cells.map((cell) => [caseId(cell), cell] as const))('%s', (_, cell) => {
  const wrong = violated(cell);

  test(wrong.length === 0 ? 'holds and commits' : `is refused, with ${wrong.join(' and ')} violated and nothing else`, async () => {
    const { outcome, worldId, plan } = await trial(cell, { kind: 'predicate', without: [] });
    expect(outcome.outcome).toBe(wrong.length === 0 ? 'committed' : 'rejected');
    const verdicts = await clausesOf(worldId);
    expect(clauses.filter((clause) => !verdicts[clause])).toEqual(clauses.filter((clause) => wrong.includes(clause)));
    if (wrong.length === 0) expect(await realDiff(worldId)).toEqual(plan.expected);
    else expect((await realDiff(worldId)).inserted).toEqual([]);
  });

  test('leaks under an incomplete predicate exactly where the clause left out is the only one that catches it', async () => {
    for (const without of clauses) {
      const { outcome } = await trial(cell, { kind: 'predicate', without: [without] });
      const caught = wrong.some((clause) => clause !== without);
      expect([without, outcome.outcome]).toEqual([without, caught ? 'rejected' : 'committed']);
    }
  });

  test('is seen by the version and epoch guards as the race class says', async () => {
    const quiet = cell.condition === 'clean';
    const irrelevant = cell.condition === 'concurrent-mutation' && twinOf(cell) === 'benign';
    const version = await trial(cell, { kind: 'version', without: [] });
    const epoch = await trial(cell, { kind: 'epoch', without: [] });
    expect([version.outcome.outcome, epoch.outcome.outcome]).toEqual([quiet || irrelevant ? 'committed' : 'rejected', quiet ? 'committed' : 'rejected']);
  });
});

test('the effect of another process is exactly the expected diff', async () => {
  for (const cell of cells.filter((one) => one.condition === 'delayed-visibility' && twinOf(one) === 'hazardous')) {
    const plan = planOf(caseId(cell));
    const worldId = await seedWorld(db.pool, plan.caseId, plan.seed);
    for (const step of plan.before) await changeWorld(db.pool, worldId, { ...step, opKey: 'another' });
    expect(await realDiff(worldId)).toEqual(plan.expected);
  }
});
