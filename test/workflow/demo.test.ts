/** The demo as a person runs it: the trace under three guards, on servers of its own, of which nothing is left. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { startCommand } from '../support/command.ts';

const labs = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('holdpoint-demo-'));

test('the guards refuse what was approved at version 17 and found at 18; without one the label and the order differ, and the judge says so', async () => {
  const before = labs();
  const { code, stdout, stderr } = await startCommand(['demo', '--json', '--pause-ms', '0'], {}).end;
  expect([code, stderr.includes('PAID, version 17'), /Warning/.test(stderr)], stderr).toEqual([0, true, false]);
  const { scenes } = JSON.parse(stdout) as { scenes: { boundary: { rows: unknown[] }[]; parcel: { orderAddress: string; labelOnParcel: string } }[] };
  expect(scenes).toMatchObject([
    { guard: 'predicate', outcome: { class: 'refused', reason: 'status_violated', steps: 1 }, boundary: [{ refusedBy: 'status', disposition: 'ESCALATE', decidedBy: ['maria.lindqvist'], via: 'cli' }], unsafe: null },
    { guard: 'version', outcome: { class: 'not_approved', reason: 'approval_rejected', steps: 2 }, boundary: [{ refusedBy: 'version', disposition: 'REPLAN', call: 'new' }, { decision: 'reject', outcome: 'closed' }], unsafe: null },
    { guard: 'none', outcome: { class: 'committed' }, boundary: [{ outcome: 'committed', asked: [], clauses: { status: false } }], unsafe: true },
  ]);
  for (const { boundary } of scenes) expect(boundary[0]?.rows).toContainEqual({ table: 'orders.orders', key: 'ord-48213', read: '17', found: '18' });
  expect(scenes.map(({ parcel }) => parcel.labelOnParcel === parcel.orderAddress)).toEqual([true, true, false]);
  expect(labs()).toEqual(before);
}, 300_000);

test('interrupted in the middle it says so in one sentence and leaves nothing', async () => {
  const before = labs();
  const { child, end } = startCommand(['demo', '--pause-ms', '60000'], {});
  await new Promise<void>((resolve) => { child.stderr?.on('data', (text: string) => { if (text.includes('The agent reads')) resolve(); }); });
  child.kill('SIGINT');
  const { code, stderr } = await end;
  expect([code, stderr.split('\n').at(-2)]).toEqual([1, 'holdpoint: The demo was interrupted; nothing of it was kept.']);
  expect(labs()).toEqual(before);
}, 300_000);
