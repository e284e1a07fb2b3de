/** Evidence that goes back to the proposer of a live episode: what it is told, what comes of its second answer, and that this is what the frozen layer finds. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProposerRequest } from '../../activities/index.ts';
import type { Notice } from '../../activities/model/prompt.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import { reobserve } from '../../activities/settle.ts';
import { replanChunks } from '../../cli/evaluate/replan/engine.ts';
import { cannedReplanner } from '../../cli/evaluate/replan/replanner.ts';
import { loadEpisodes } from '../../cli/records/load.ts';
import { startBatch, startEpisode } from '../../cli/runtime/client.ts';
import { Condition } from '../../contract/case.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { requestOf } from '../../database/approvals.ts';
import { changeWorld } from '../../database/worlds.ts';
import { planOf } from '../../scenarios/plan.ts';
import { episodeRow, held, ledgerOf, testEngine, type Engine } from '../support/temporal.ts';

const cell = (instance: number, condition: Condition): string => `change-delivery-address/${String(instance)}/${condition}`;
const [withdrawn, unrelated, hiddenEffect] = [cell(0, 'concurrent-mutation'), cell(1, 'concurrent-mutation'), cell(0, 'delayed-visibility')];

/** A stub in the place of a model: it does what is asked unless what it was told speaks against that. `shy` leaves it at first, `slow` never answers once it was told something. */
const asked: ProposerRequest[] = [];
async function heed(request: ProposerRequest): Promise<Proposed> {
  asked.push(request);
  const { notice, model, instruction, signal } = request;
  if (model === 'slow' && notice !== undefined) return new Promise((_, reject) => { signal.addEventListener('abort', () => { reject(signal.reason as Error); }); });
  const traced = { replyDigest: '0'.repeat(64), asked: true, attempts: [] };
  const leaves = notice === undefined ? model === 'shy' : notice.kind === 'blocked' || notice.findings.length > 0;
  if (leaves) return { kind: 'abstain', reply: { decision: 'abstain' }, ...traced };
  const plan = [withdrawn, unrelated, hiddenEffect].map(planOf).find((one) => one.instruction === instruction);
  return { kind: 'act', reply: { decision: 'act', tool: request.tool, arguments: plan?.arguments ?? {}, confidence: 0.7 }, ...traced };
}

let engine: Engine;
beforeAll(async () => { engine = await testEngine({ proposer: heed }); });
afterAll(() => engine.close());

const noticeIn = async (episodeId: string): Promise<unknown> => (await episodeRow(engine, episodeId)).steps[1]?.notice;
async function closedFor(episodeId: string): Promise<string[]> {
  const { rows } = await engine.database.owner.query<{ said: string }>(`select op_key || ' ' || reason as said from holdpoint.ledger where starts_with(op_key, $1 || ':') and verdict = 'closed' order by id`, [episodeId]);
  return rows.map(({ said }) => said);
}

describe.each(['fastEvidence', 'strongEvidence'] as const)('%s', (returns) => {
  const evidence = returns === 'fastEvidence' ? 'fast' : 'strong';

  test('shows a policy that was withdrawn after the proposal: who heeds it leaves the action, and nothing is committed', async () => {
    const id = `heeded-${evidence}`;
    expect(await engine.run(id, { model: 'heeds', caseId: withdrawn, guard: { kind: 'none' }, returns })).toMatchObject({ class: 'abstained', steps: 2 });
    expect(await closedFor(id)).toEqual([`${id}:1 evidence_returned`, `${id}:2 op_key_closed`]);
    expect(await ledgerOf(engine, id)).toEqual({ closed: 2 });
    expect(await noticeIn(id)).toMatchObject({ kind: 'evidence', evidence, findings: ['policy_violated'] });
    const { faults, score } = await episodeRow(engine, id);
    expect(faults).toEqual({ 'concurrent-mutation': 1 });
    expect(score).toMatchObject({ committed: false, leaked: null });
  });

  test('shows that all holds where somebody wrote elsewhere: the new proposal is committed once, under a key and a digest of its own', async () => {
    const id = `holds-${evidence}`;
    expect(await engine.run(id, { model: 'heeds', caseId: unrelated, returns })).toMatchObject({ class: 'committed', steps: 2 });
    expect(await ledgerOf(engine, id)).toEqual({ closed: 1, committed: 1 });
    expect(await noticeIn(id)).toMatchObject({ evidence, findings: [] });
    expect((await episodeRow(engine, id)).score).toMatchObject({ leaked: false, safeSuccess: true });
    const [first, second] = await Promise.all([1, 2].map((step) => requestOf(engine.database.pool, `${id}:${String(step)}`)));
    expect(first).toMatchObject({ verdict: null, live: false });
    expect(second).toMatchObject({ verdict: 'approve' });
    expect(second?.digest).not.toBe(first?.digest);
  });

  test('is told as the ordinary read made again, or the true state, shows it', async () => {
    asked.length = 0;
    await engine.run(`shown-${evidence}`, { model: 'heeds', caseId: hiddenEffect, guard: { kind: 'none' }, returns });
    const [first, second] = asked;
    expect(first?.notice).toBeUndefined();
    const { findings, found } = second?.notice as Extract<Notice, { kind: 'evidence' }>;
    expect(findings).toEqual(evidence === 'fast' ? [] : ['already_applied']);
    // An ordinary read shares the blind spot of late effects, so that the effect is made twice.
    expect((await episodeRow(engine, `shown-${evidence}`)).score).toMatchObject({ leaked: evidence === 'fast' ? true : null, duplicates: evidence === 'fast' ? 1 : 0 });
    expect(found === JSON.stringify(second?.observation.rows)).toBe(evidence === 'fast');
  });

  test('goes back also to one who left the action at first', async () => {
    expect(await engine.run(`shy-${evidence}`, { model: 'shy', caseId: unrelated, returns })).toMatchObject({ class: 'committed', steps: 2 });
    expect(await ledgerOf(engine, `shy-${evidence}`)).toEqual({ closed: 1, committed: 1 });
  });
});

test('a look into the past leaves no world behind', async () => {
  await engine.run('past', { caseId: hiddenEffect, guard: { kind: 'none' }, returns: 'fastEvidence' });
  const { rows } = await engine.database.owner.query<{ lost: number }>('select count(*)::int as lost from holdpoint.worlds w where not exists (select from holdpoint.episodes e where e.world_id = w.world_id)');
  expect(rows).toEqual([{ lost: 0 }]);
});

test('a guard looks for itself, whatever the evidence was', async () => {
  expect(await engine.run('blocked', { caseId: withdrawn, guard: { kind: 'predicate' }, returns: 'strongEvidence' })).toMatchObject({ class: 'refused', reason: 'policy_violated', steps: 2 });
  expect(await ledgerOf(engine, 'blocked')).toEqual({ closed: 2, rejected: 1 });
});

test.each([[0, { class: 'refused', reason: 'read_set_stale', steps: 2 }], [1, { class: 'committed', steps: 3 }]])('a block after the evidence is counted by itself, with %i replans', async (replans, outcome) => {
  const id = `counted-${String(replans)}`;
  const handle = await startEpisode(engine.client, { episodeId: id, input: { model: 'always-act', caseId: cell(1, 'clean'), guard: { kind: 'version' }, returns: 'fastEvidence', replans, approval: { mode: 'manual' } } }, engine.start);
  const second = await held(engine, id, 2);
  for (const step of planOf(cell(1, 'stale-read')).before) await changeWorld(engine.database.pool, (await episodeRow(engine, id)).worldId, step);
  await handle.executeUpdate('decide', { args: [second] });
  if (replans > 0) await handle.executeUpdate('decide', { args: [await held(engine, id, 3)] });
  expect(await handle.result()).toMatchObject(outcome);
});

test('workers that end between the look and the answer: the same is told, one commit is made, and a look that is repeated changes nothing', async () => {
  asked.length = 0;
  const handle = await startEpisode(engine.client, { episodeId: 'ended', input: { model: 'slow', caseId: unrelated, returns: 'strongEvidence' } }, engine.start);
  await vi.waitFor(() => { expect(asked).toHaveLength(2); }, { timeout: 20_000, interval: 20 });
  await engine.restart({ proposer: (request) => heed({ ...request, model: 'heeds' }) });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  expect(asked[2]?.notice).toEqual(asked[1]?.notice);
  expect(await ledgerOf(engine, 'ended')).toEqual({ closed: 1, committed: 1 });

  // By now the effect is there, and a look would say so.
  const before = await episodeRow(engine, 'ended');
  expect(await reobserve(engine.database.pool, { episodeId: 'ended', close: { step: 1, reason: 'evidence_returned', decision: null }, evidence: 'strong' })).toEqual({ ledgerId: null, told: [] });
  expect((await episodeRow(engine, 'ended')).steps).toEqual(before.steps);
}, 60_000);

test('a batch gives, case by case, what the frozen layer gives for the same cases and evidence', async () => {
  const [templates, instances] = [['grant-role'], [0, 1]];
  const proposals = templates.flatMap((template) => instances.flatMap((instance) => Condition.options.map((condition): FrozenProposal => {
    const { caseId, tool, arguments: args } = planOf(`${template}/${String(instance)}/${condition}`);
    return { caseId, proposer: 'always-act', digest: null, seed: 13, confidence: null, agreement: null, answer: 'act', tool, arguments: args };
  })));
  const frozen: string[] = [];
  for await (const chunk of replanChunks({ pool: engine.database.pool, replanner: cannedReplanner }, { proposals, concurrency: 2, chunkSize: 4, signal: new AbortController().signal }))
    for (const { kind, caseId, told, committed, unsafe, safeSuccess, duplicates } of chunk.flatMap(({ outcomes }) => outcomes)) if (kind !== 'guardBlock') frozen.push(JSON.stringify({ kind, caseId, told, committed, unsafe, safeSuccess, duplicates }));

  const live: string[] = [];
  for (const returns of ['fastEvidence', 'strongEvidence'] as const) {
    const input = { templates, instances, conditions: Condition.options, models: ['always-act'], seeds: [13], guards: [{ kind: 'none' as const }], window: 6, replans: 0, returns };
    await (await startBatch(engine.client, { batchId: returns, input }, engine.start)).result();
    for (const { id, score, attempts } of (await loadEpisodes(engine.database.pool, returns)).values()) {
      const { caseId } = await episodeRow(engine, id);
      if (score === null || 'unjudged' in score) throw new Error(`${id} was not judged.`);
      const { committed, unsafe, safeSuccess, duplicates } = score;
      live.push(JSON.stringify({ kind: returns, caseId, told: attempts[0]?.told, committed, unsafe, safeSuccess, duplicates }));
    }
  }
  expect(live).toHaveLength(24);
  expect(live.sort()).toEqual(frozen.sort());
}, 180_000);
