/** Every further tool on a real Postgres: it commits once, each spoiler is refused by its own clause, and the checker, which shares no code with the guard, agrees. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeWorlds } from '../../checker/judge.ts';
import { canonicalText } from '../../contract/digest.ts';
import { failures, type Reason } from '../../contract/failures.ts';
import { Clause, type Guard } from '../../contract/guard.ts';
import type { Proposal } from '../../contract/proposal.ts';
import { commitProposal, type CommitRequest } from '../../database/commit/commit.ts';
import { observeWorld, seedWorld } from '../../database/worlds.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { accessCases } from './support/cases-access.ts';
import { billingCases } from './support/cases-billing.ts';
import { deploymentsCases } from './support/cases-deployments.ts';
import { ordersCases } from './support/cases-orders.ts';
import { approve, contractOf, countOf, guardOf, requestFor, type ToolCase } from './support/tool-cases.ts';

const cases = Object.entries({ ...ordersCases, ...billingCases, ...accessCases, ...deploymentsCases });

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

const reasonOf: Record<Clause, Reason> = { status: 'status_violated', policy: 'policy_violated', integrity: 'integrity_violated', notApplied: 'already_applied' };

async function proposed(tool: string, { args, rows }: ToolCase): Promise<{ worldId: string; proposal: Proposal }> {
  const worldId = await seedWorld(db.pool, tool, rows);
  const contract = contractOf(tool);
  const { readSet, epoch } = await observeWorld(db.pool, { worldId, contract, keys: args, telemetry: { ageMs: 0, previousStatus: 'ok' } });
  return { worldId, proposal: { tool, arguments: args, readSet, epoch, allowedStates: [...contract.allowedStates], proposer: 'agent:test', windowMs: 3_600_000 } };
}

async function approved(worldId: string, proposal: Proposal, guard: Guard): Promise<CommitRequest> {
  const request = requestFor(worldId, proposal, { guard });
  await approve(db, request);
  // The checker reads the proposal's canonical text, as the engine writes it.
  await db.owner.query('update holdpoint.approvals set proposal = $2 where op_key = $1', [request.opKey, canonicalText(proposal)]);
  return request;
}

describe.skipIf(cases.length === 0).each(cases)('%s', (tool, given) => {
  it('commits once, and the same thing under another op key is already applied', async () => {
    const { worldId, proposal } = await proposed(tool, given);
    const count = (): Promise<number> => countOf(db, `select count(*) from ${contractOf(tool).sideEffectTable} where world_id = $1`, worldId);
    const before = await count();
    const request = await approved(worldId, proposal, guardOf('predicate'));
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'committed' });
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'replayed' });
    const again = await commitProposal(db.pool, await approved(worldId, proposal, guardOf('predicate')));
    expect(again).toMatchObject({ outcome: 'rejected', reason: 'already_applied' });
    expect(await count()).toBe(before + 1);
    const [judged] = await judgeWorlds(db.pool, { worldIds: [worldId] });
    expect(judged).toMatchObject({ status: 'sound', findings: [] });
    expect(judged?.attempts.map((attempt) => attempt.unsafe)).toEqual([false, null]);
  });

  it('has a spoiler for each clause', () => {
    expect(new Set(given.spoilers.map((spoiler) => spoiler.clause))).toEqual(new Set(Clause.options));
  });

  it.each(given.spoilers.map((spoiler) => [spoiler.clause, spoiler.how, spoiler] as const))('%s: %s', async (clause, _, spoiler) => {
    for (const without of [[], [clause]]) {
      const { worldId, proposal } = await proposed(tool, given);
      for (const statement of spoiler.statements) await db.pool.query(statement, [worldId]);
      const outcome = await commitProposal(db.pool, await approved(worldId, proposal, guardOf('predicate', without)));
      if (without.length === 0) expect(outcome).toMatchObject({ outcome: 'rejected', reason: reasonOf[clause], clause });
      else expect(outcome).toMatchObject({ outcome: 'committed' });
      const [judged] = await judgeWorlds(db.pool, { worldIds: [worldId] });
      expect(judged?.attempts[0]).toMatchObject({ failedClauses: [clause], ...(without.length === 0 ? { wronglyRejected: false } : { unsafe: true }) });
      expect(judged).toMatchObject({ status: 'sound', findings: [] });
    }
    expect(failures[reasonOf[clause]].kind).toBe('commit');
  });
});
