/** A rollback from the command to the commit: who proposes, who decides, what is refused, and that it happens once. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeWorlds } from '../../checker/judge.ts';
import { startRollback } from '../../cli/runtime/client.ts';
import { requestOf } from '../../database/approvals.ts';
import { createToken, type Scope } from '../../database/tokens.ts';
import { detailOf } from '../../inbox/detail.ts';
import { previewProposal } from '../../database/preview.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { rollback } from '../../workflows/index.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { voiceOf } from '../support/people.ts';
import { episodeRow, held, ledgerOf, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
let engine: Engine;
let env: Record<string, string>;
const files: string[] = [];
beforeAll(async () => {
  engine = await testEngine();
  const { temporalAddress, temporalNamespace, queuePrefix } = engine.settings;
  env = { TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: temporalNamespace, DATABASE_URL: engine.database.ownerUrl, HOLDPOINT_QUEUE_PREFIX: queuePrefix, HOLDPOINT_TOKEN: '' };
});
afterAll(async () => {
  await engine.close();
  await Promise.all(files.map((file) => rm(file)));
});

const holdpoint = (...args: string[]): Promise<Ran> => holdpointWith(env, ...args);
const propose = (id: string, ...args: string[]): Promise<Ran> => holdpoint('propose-rollback', `${id}:1`, '--json', ...args);
const idOf = (id: string): string => `rollback/${id}:1`;
const ended = (id: string): Promise<unknown> => engine.client.workflow.getHandle<typeof rollback>(idOf(id)).result();

async function tokenFile(person: string, more: { scopes?: Scope[]; tools?: string[] } = {}): Promise<string> {
  const { token } = await createToken(engine.database.owner, { person, scopes: more.scopes ?? ['edit', 'approve'], ttlMs: 3_600_000, ...(more.tools && { tools: more.tools }) });
  const file = join(tmpdir(), `holdpoint-${randomBytes(6).toString('hex')}.token`);
  await writeFile(file, token, { mode: 0o600 });
  files.push(file);
  return file;
}

const addressOf = async (id: string): Promise<unknown> => {
  const { worldId } = await episodeRow(engine, id);
  return (await engine.database.owner.query<{ a: string; v: string; l: number }>(
    'select delivery_address as a, version as v, (select count(*)::int from orders.labels l where l.world_id = $1) as l from orders.orders where world_id = $1 and order_id = $2', [worldId, plan.arguments['orderId']])).rows[0];
};

test('proposed with a token, shown with the exact difference, approved by another person, taken back once', async () => {
  await engine.run('taken-back');
  expect(await addressOf('taken-back')).toMatchObject({ a: plan.arguments['newAddress'], l: 2 });
  const maria = await tokenFile('maria.lindqvist');
  const proposed = await propose('taken-back', '--token-file', maria);
  expect([proposed.code, JSON.parse(proposed.printed)]).toMatchObject([0, { rollbackId: idOf('taken-back'), opKey: `${idOf('taken-back')}:1`, proposer: 'person:maria.lindqvist', waitedAlready: false, change: { state: 'shown' } }]);
  const request = await held(engine, idOf('taken-back'));
  expect(await addressOf('taken-back')).toMatchObject({ a: plan.arguments['newAddress'], l: 2 });

  const shown = (await holdpoint('show', idOf('taken-back'))).printed;
  expect(shown).toMatch(/Take back one commit[^]*Nothing that was read has changed\.[^]*orders\.orders\/ord-48213: delivery_address ".*" -> ".*"[^]*orders\.labels\/\d+: delete /);
  expect(shown).toContain('maria.lindqvist');
  expect(JSON.parse((await holdpoint('approvals', '--json')).printed)).toMatchObject({ approvals: [{ tool: 'rollback', arguments: { opKey: 'taken-back:1' } }] });
  const detail = await detailOf({ pool: engine.database.pool, say: () => Promise.reject(new Error('Nothing is said.')), preview: (world, proposal) => previewProposal(engine.database.pool, world, proposal), instructionOf: () => null, episodeLink: () => null },
    { person: 'supervisor', tools: null, opKey: request.opKey, cache: new Map() } as unknown as Parameters<typeof detailOf>[1]);
  expect(detail).toMatchObject({ mine: true, forecast: { outcome: 'committed' }, preview: { change: { state: 'shown' } }, tool: { description: expect.stringContaining('Take back') as string } });

  const again = await propose('taken-back', '--token-file', maria);
  expect([again.code, JSON.parse(again.printed)]).toMatchObject([0, { digest: request.digest, waitedAlready: true }]);
  const other = await propose('taken-back', '--by', 'supervisor');
  expect([other.code, other.said]).toEqual([1, 'holdpoint: person:maria.lindqvist has asked for this already: `holdpoint show rollback/taken-back:1` shows what waits.\n']);

  const own = await holdpoint('approve', idOf('taken-back'), '--token-file', maria, '--json');
  expect([own.code, JSON.parse(own.printed)]).toMatchObject([1, { reason: 'not_authorised' }]);
  const approved = await holdpoint('approve', idOf('taken-back'), '--token-file', await tokenFile('supervisor'), '--json');
  expect([approved.code, JSON.parse(approved.printed)]).toMatchObject([0, { result: 'accepted', authenticated: true }]);
  expect(await ended('taken-back')).toMatchObject({ class: 'committed' });
  expect(await addressOf('taken-back')).toEqual({ a: expect.not.stringContaining(String(plan.arguments['newAddress'])) as string, v: '3', l: 1 });
  const { worldId } = await episodeRow(engine, 'taken-back');
  expect((await judgeWorlds(engine.database.pool, { worldIds: [worldId] }))[0]).toMatchObject({ status: 'sound', attempts: [{ unsafe: false }, { tool: 'rollback', unsafe: false }] });

  const third = await propose('taken-back', '--token-file', maria);
  expect([third.code, third.said]).toEqual([1, 'holdpoint: taken-back:1 was taken back already, by rollback/taken-back:1:1.\n']);
  const ofRollback = await holdpoint('propose-rollback', 'rollback/taken-back:1:1', '--token-file', maria);
  expect([ofRollback.code, ofRollback.said]).toEqual([1, 'holdpoint: rollback/taken-back:1:1 is a rollback itself: propose the action anew instead.\n']);
  expect((await holdpoint('audit', idOf('taken-back'))).printed).toMatch(/maria\.lindqvist[^]*approve[^]*committed/);
});

test('a row that changes while it waits is a divergence: shown, refused, and nothing is taken back', async () => {
  await engine.run('diverged');
  await propose('diverged', '--by', 'maria.lindqvist');
  const { say } = await voiceOf(engine, 'supervisor');
  const waiting = await held(engine, idOf('diverged'));
  const { worldId } = await episodeRow(engine, 'diverged');
  await engine.database.owner.query(`update orders.orders set warehouse_note = 'fragile' where world_id = $1`, [worldId]);
  expect((await holdpoint('show', idOf('diverged'))).printed).toContain('This would be refused (state_diverged)');
  expect(await say(idOf('diverged'), waiting, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await ended('diverged')).toMatchObject({ class: 'refused', reason: 'state_diverged' });
  expect(await ledgerOf(engine, idOf('diverged'))).toEqual({ closed: 1, rejected: 1 });
  expect(await addressOf('diverged')).toMatchObject({ a: plan.arguments['newAddress'], l: 2 });
  const refused = await propose('diverged', '--by', 'maria.lindqvist');
  expect([refused.code, refused.said]).toMatchObject([1, expect.stringMatching(/^holdpoint: The commit diverged:1 cannot be taken back \(state_diverged\): .* orders\.orders\/ord-48213 changed since the commit\.\n$/)]);
});

test('rejected, expired and cancelled ones change nothing, close their op keys, and the next one is a new step', async () => {
  await engine.run('unwanted');
  await propose('unwanted', '--by', 'maria.lindqvist');
  expect((await holdpoint('reject', idOf('unwanted'), '--by', 'supervisor')).code).toBe(0);
  expect(await ended('unwanted')).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
  await propose('unwanted', '--by', 'maria.lindqvist', '--window', '1s');
  expect(await ended('unwanted')).toMatchObject({ class: 'not_approved', reason: 'proposal_expired' });
  await propose('unwanted', '--by', 'maria.lindqvist');
  await held(engine, idOf('unwanted'), 3);
  await engine.client.workflow.getHandle(idOf('unwanted')).cancel();
  await expect(ended('unwanted')).rejects.toThrow();
  expect(await ledgerOf(engine, idOf('unwanted'))).toEqual({ closed: 3 });
  expect((await requestOf(engine.database.pool, `${idOf('unwanted')}:3`))?.verdict).toBe('cancelled');
  expect(await addressOf('unwanted')).toMatchObject({ a: plan.arguments['newAddress'], l: 2 });
});

test('a workflow that somebody starts by hand proposes nothing', async () => {
  await engine.run('by-hand');
  await startRollback(engine.client, idOf('by-hand'), engine.settings);
  await expect(ended('by-hand')).rejects.toMatchObject({ cause: { type: 'unknown_or_closed_request' } });
});

test('what cannot be proposed is refused in one sentence, and keeps no request', async () => {
  await engine.run('paid', { caseId: 'pay-invoice/0/clean' });
  await engine.run('plain');
  const { worldId } = await episodeRow(engine, 'plain');
  const said = async (...args: string[]): Promise<[unknown, string]> => {
    const { code, said: text } = await holdpoint('propose-rollback', ...args);
    return [code, text];
  };
  expect(await said('paid:1', '--by', 'ann')).toEqual([1, 'holdpoint: The commit paid:1 (pay_invoice) cannot be taken back: The vendor has been paid, and money comes back by a payment only.\n']);
  expect(await said('nothing:1', '--by', 'ann')).toMatchObject([1, expect.stringMatching(/^holdpoint: Nothing was committed under the op key "nothing:1": [^\n]*\n$/)]);
  expect(await said('plain:1')).toMatchObject([2, expect.stringMatching(/^holdpoint: Say who proposes: [^\n]*\n$/)]);
  expect(await said('plain:1', '--by', 'auto')).toMatchObject([2, expect.stringMatching(/^holdpoint: --by: [^\n]*\n$/)]);
  expect(await said('plain:1', '--by', 'ann', '--window', '31d')).toEqual([2, 'holdpoint: --window takes 1s to 30d.\n']);
  expect(await said('plain:1', '--token-file', await tokenFile('ann', { scopes: ['approve'] }))).toEqual([1, 'holdpoint: The token was not made for proposing: that takes the scope edit.\n']);
  expect(await said('plain:1', '--token-file', await tokenFile('ann', { tools: ['grant_role'] }))).toEqual([1, 'holdpoint: The token was not made for the tool change_delivery_address.\n']);
  await engine.database.owner.query('update holdpoint.policies set unauthenticated = false where world_id = $1', [worldId]);
  expect(await said('plain:1', '--by', 'ann')).toEqual([1, 'holdpoint: The policy of change_delivery_address asks for proof: set HOLDPOINT_TOKEN or give --token-file.\n']);
  const { rowCount } = await engine.database.owner.query(`select from holdpoint.approvals where episode_id in ('rollback/paid:1', 'rollback/plain:1')`);
  expect(rowCount).toBe(0);
});
