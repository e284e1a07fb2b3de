/** Three worker processes share a batch, one is killed in the middle of it, and nothing is lost. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startBatch } from '../../cli/runtime/client.ts';
import { guardLabel } from '../../contract/names.ts';
import { says, startOllamaStub, type OllamaStub } from '../support/ollama-stub.ts';
import { killWorker, openChaos, type Chaos } from './support.ts';

const seeds = [1, 2, 3];
const guards = [{ kind: 'none' as const }, { kind: 'predicate' as const }];
const cases = ['change-delivery-address', 'grant-role'];
let stub: OllamaStub;
let chaos: Chaos;
beforeAll(async () => {
  // The stub stands in for the model server: it abstains in well-formed words, so half of the batch goes through the model queue and half through commits.
  stub = await startOllamaStub(['stub'], () => says(JSON.stringify({ decision: 'abstain' })));
  chaos = await openChaos(stub.host);
}, 180_000);
afterAll(async () => {
  await chaos.close();
  await stub.close();
}, 60_000);

test('a worker killed in mid-batch costs time only: every outcome is recorded, once', async () => {
  const [, , dying] = await Promise.all([chaos.worker({ queues: 'model' }), chaos.worker({ queues: 'commit' }), chaos.worker({ queues: 'model,commit' })]);
  const planned = 2 * seeds.length * guards.length * cases.length * 2;
  const batch = await startBatch(chaos.client, {
    batchId: 'scaled', input: { templates: cases, instances: [0, 1], conditions: ['clean'], models: ['stub', 'always-act'], seeds, guards, window: 8, pageSize: 20 },
  }, { queuePrefix: chaos.settings.queuePrefix });
  await vi.waitFor(async () => { expect((await ended()).length).toBeGreaterThan(planned / 3); }, { timeout: 90_000, interval: 20 });
  expect((await ended()).length).toBeLessThan(planned);
  await killWorker(dying);

  expect(await batch.result()).toMatchObject({ planned, done: planned, failed: 0, skipped: 0, running: 0 });
  const outcomes = await ended();
  expect(new Set(outcomes.map((row) => `${row.caseId} ${row.model} ${row.seed} ${row.guard}`)).size).toBe(planned);
  expect(outcomes.filter((row) => row.model === 'always-act').map((row) => row.class)).toEqual(Array.from({ length: planned / 2 }, () => 'committed'));
  const { rows } = await chaos.database.owner.query<{ committed: number; keys: number }>(
    `select count(*)::int as committed, count(distinct op_key)::int as keys from holdpoint.ledger where verdict = 'committed'`);
  expect(rows[0]).toEqual({ committed: planned / 2, keys: planned / 2 });
  const labels = new Set(outcomes.map((row) => row.guard));
  expect([...labels].sort()).toEqual(guards.map((guard) => guardLabel({ ...guard, without: [] })).sort());
}, 240_000);

async function ended(): Promise<{ caseId: string; model: string; seed: string; guard: string; class: string }[]> {
  const { rows } = await chaos.database.owner.query<{ caseId: string; model: string; seed: string; guard: string; class: string }>(
    `select case_id as "caseId", model, seed, guard, outcome ->> 'class' as class from holdpoint.episodes where batch_id = 'scaled' and outcome is not null`);
  return rows;
}
