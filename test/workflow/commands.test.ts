/** The commands as a person runs them: a worker of its own, the list of what waits, one decision, and a drain on SIGTERM. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const holdpoint = fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url));
let engine: Engine;
let env: NodeJS.ProcessEnv;
let worker: ChildProcess;

beforeAll(async () => {
  engine = await testEngine();
  await engine.stopWorkers();
  env = {
    ...process.env, TEMPORAL_ADDRESS: engine.settings.temporalAddress, TEMPORAL_NAMESPACE: engine.settings.temporalNamespace,
    DATABASE_URL: engine.database.ownerUrl, HOLDPOINT_QUEUE_PREFIX: engine.settings.queuePrefix,
  };
  worker = spawn(process.execPath, [holdpoint, 'worker', '--json', '--grace-ms', '2000'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (worker.stdout === null) throw new Error('No output.');
  await once(worker.stdout, 'data');
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await engine.close();
});

type Said = { readonly code: number; readonly out: string; readonly err: string };
const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Said> => new Promise((resolve) => {
  execFile(process.execPath, [holdpoint, ...args], { env: { ...env, ...more } }, (error, out, err) => { resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }); });
});

test('what waits is listed, approved once, and then refused with exit code 1', async () => {
  const { handle, decision } = await startHeld(engine, 'by-command');
  const listed = await run(['approvals', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject({ approvals: [{ episodeId: 'by-command', digest: decision.digest, tool: 'change_delivery_address', proposer: 'agent:always-act' }] });
  const stranger = await run(['approve', 'by-command', '--by', 'mallory', '--json']);
  expect([stranger.code, JSON.parse(stranger.out)]).toMatchObject([1, { result: 'refused', reason: 'not_authorised' }]);
  const approved = await run(['approve', 'by-command', '--digest', decision.digest, '--json']);
  expect([approved.code, JSON.parse(approved.out)]).toMatchObject([0, { episodeId: 'by-command', result: 'accepted' }]);
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  const again = await run(['reject', 'by-command']);
  expect(again.code).toBe(1);
  expect(again.out).toMatch(/^Refused \(already_closed\): .* Recorded: approve by supervisor at 2\d{3}-[^ ]*Z\.\n$/);
  expect(await ledgerOf(engine, 'by-command')).toEqual({ committed: 1 });
}, 90_000);

test('used wrongly: one sentence, exit code 2 or 1, no stack trace', async () => {
  const [digest, queues, nobody, database] = await Promise.all([
    run(['approve', 'x', '--digest', 'abc']), run(['worker', '--queues', 'all']), run(['approve', 'nobody-asked']), run(['worker'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
  ]);
  expect([digest.code, queues.code, nobody.code, database.code]).toEqual([2, 2, 1, 1]);
  for (const { err } of [digest, queues, nobody, database]) expect(err).toMatch(/^holdpoint: [^\n]*\n$/);
}, 90_000);

test('nothing to reconcile, and the worker drains on SIGTERM', async () => {
  const { decision, handle } = await startHeld(engine, 'drained');
  expect(JSON.parse((await run(['reconcile', '--json'])).out)).toEqual({ episodes: [] });
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
  await engine.restart();
  await handle.executeUpdate('decide', { args: [decision] });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
}, 90_000);
