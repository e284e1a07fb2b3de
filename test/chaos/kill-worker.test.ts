/** SIGKILL of the worker's process at every point of an episode: the database holds the same as without it, once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approve, backendGone, holdOrder, killWorker, leftBehind, openChaos, requested, type Chaos } from './support.ts';

let chaos: Chaos;
let calm: Record<string, unknown>;
beforeAll(async () => {
  chaos = await openChaos();
  const worker = await chaos.worker();
  await chaos.start('kill-calm');
  await approve(chaos, 'kill-calm');
  await chaos.client.workflow.getHandle('kill-calm').result();
  calm = await leftBehind(chaos, 'kill-calm');
  await worker.stop();
}, 180_000);
afterAll(() => chaos.close(), 60_000);

const outcomeOf = (episodeId: string): Promise<unknown> => chaos.client.workflow.getHandle(episodeId).result();

test('an undisturbed episode leaves one request, one decision, one ledger row and one label', () => {
  expect(calm).toMatchObject({ outcome: { class: 'committed', steps: 1 }, opKeys: ['committed'], ledger: [{ verdict: 'committed' }], requests: [{ verdict: 'approve', via: 'update', comment: 'seen' }] });
  const written = (calm['history'] as { table: string; ours: boolean | null }[]).filter((row) => row.ours === true).map((row) => row.table);
  expect(written.sort()).toEqual(['orders.labels', 'orders.orders']);
});

test('one SIGKILL that meets six episodes at six points leaves each as if nothing had happened', async () => {
  const points = ['kill-before-propose', 'kill-held', 'kill-decided', 'kill-in-commit', 'kill-in-commit-lost', 'kill-after-commit'];
  const dying = await chaos.worker({ stopAt: 'before:propose@kill-before-propose,before:commit@kill-decided,after:commit@kill-after-commit' });
  for (const episodeId of points) await chaos.start(episodeId);
  for (const episodeId of points.slice(1)) await requested(chaos, episodeId);
  const landing = await holdOrder(chaos, 'kill-in-commit');
  const failing = await holdOrder(chaos, 'kill-in-commit-lost');
  for (const episodeId of points.slice(2)) await approve(chaos, episodeId);
  await Promise.all([dying.says('before:propose@kill-before-propose'), dying.says('before:commit@kill-decided'), dying.says('after:commit@kill-after-commit')]);
  const [landingPid, failingPid] = await Promise.all([landing.blocks(), failing.blocks()]);
  await killWorker(dying);
  // COMMIT was in the same write as the call: where the lock is granted now, the dead worker's transaction commits. The other one's session is ended.
  await landing.release();
  await chaos.database.owner.query('select pg_terminate_backend($1)', [failingPid]);
  await Promise.all([backendGone(chaos, landingPid), backendGone(chaos, failingPid)]);
  await failing.release();
  expect((await leftBehind(chaos, 'kill-in-commit'))['opKeys']).toEqual(['committed']);
  expect((await leftBehind(chaos, 'kill-in-commit-lost'))['opKeys']).toBeNull();
  expect((await leftBehind(chaos, 'kill-after-commit'))['opKeys']).toEqual(['committed']);

  const next = await chaos.worker();
  await Promise.all([approve(chaos, 'kill-before-propose'), approve(chaos, 'kill-held')]);
  for (const episodeId of points) {
    expect(await outcomeOf(episodeId)).toMatchObject({ class: 'committed', steps: 1 });
    expect(await leftBehind(chaos, episodeId), episodeId).toEqual(calm);
  }
  await next.stop(); // else it would take the next test's work, without its hooks
}, 240_000);

test('one episode whose worker is killed five times has one request, one decision and one commit', async () => {
  const id = 'kill-five-times';
  const first = await chaos.worker({ stopAt: `before:propose@${id}` });
  await chaos.start(id);
  await first.says(`before:propose@${id}`);
  await killWorker(first);

  const second = await chaos.worker({ stopAt: `before:commit@${id}` });
  await requested(chaos, id);
  await killWorker(second);

  const third = await chaos.worker({ stopAt: `before:commit@${id}` });
  await approve(chaos, id);
  await third.says(`before:commit@${id}`);
  await killWorker(third);

  const row = await holdOrder(chaos, id);
  const fourth = await chaos.worker();
  const blocked = await row.blocks();
  await killWorker(fourth);
  await chaos.database.owner.query('select pg_terminate_backend($1)', [blocked]);
  await backendGone(chaos, blocked);
  await row.release();

  const fifth = await chaos.worker({ stopAt: `after:commit@${id}` });
  await fifth.says(`after:commit@${id}`);
  await killWorker(fifth);

  await chaos.worker();
  expect(await outcomeOf(id)).toMatchObject({ class: 'committed', steps: 1 });
  expect(await leftBehind(chaos, id)).toEqual(calm);
}, 300_000);
