/** The article's five tests again, as a person meets them: in a real browser, through the inbox. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditOf } from '../../cli/audit.ts';
import { requestOf } from '../../database/approvals.ts';
import { decisionsOf } from '../../database/decisions.ts';
import type { RunningInbox } from '../../inbox/server.ts';
import { planOf } from '../../scenarios/plan.ts';
import { launchBrowser } from '../support/browser.ts';
import { episodeRow, held, holdOrder, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';
import { inboxOf, open, press, seatOf, tokenFor, type Seat } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });
const plan = planOf('change-delivery-address/0/clean');
let engine: Engine;
let inbox: RunningInbox;
let browser: Browser;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  [engine, browser] = await Promise.all([testEngine(), launchBrowser()]);
  inbox = await inboxOf(engine);
  for (const person of ['maria.lindqvist', 'supervisor']) tokens[person] = (await tokenFor(engine, person)).token;
});
afterAll(async () => {
  await browser.close();
  await inbox.close();
  await engine.close();
});

const seat = (person: string, name: string): Promise<Seat> => seatOf(browser, { url: inbox.url, token: tokens[person] ?? '' }, name);
const change = async (episodeId: string, sql: string): Promise<void> => { await engine.database.owner.query(sql, [(await episodeRow(engine, episodeId)).worldId]); };
const forecast = ({ page }: Seat): Promise<string | null> => page.locator('#forecast').textContent();
const labels = async (episodeId: string): Promise<unknown[]> =>
  (await engine.database.owner.query<{ address: string }>('select address from orders.labels where world_id = $1 order by label_id', [(await episodeRow(engine, episodeId)).worldId])).rows;

test('entity changes: the page says live that it would be refused, and the approval that comes all the same is refused', async () => {
  const { handle, decision } = await startHeld(engine, 'page-entity', { replans: 0 });
  const maria = await seat('maria.lindqvist', 'page-entity');
  await open(maria, decision.opKey);
  expect(await forecast(maria)).toBe('Nothing changed since the model looked: this would be committed.');
  const diff = maria.page.locator('#change');
  await expect.poll(() => diff.textContent()).toContain(plan.arguments['newAddress']);
  expect(await diff.locator('del').first().textContent()).toContain('14 Mill Lane');
  await change('page-entity', `update orders.orders set status = 'PACKING' where world_id = $1`);
  await expect.poll(() => forecast(maria), { timeout: 5_000 }).toMatch(/status PAID -> PACKING: this would be refused\. The operational status/);
  await press(maria, 'Approve');
  expect(await handle.result()).toMatchObject({ class: 'refused', reason: 'status_violated' });
  expect(await ledgerOf(engine, 'page-entity')).toEqual({ rejected: 1, closed: 1 });
  expect(await labels('page-entity')).toHaveLength(1);
  await maria.page.getByRole('link', { name: 'history of the episode' }).click();
  await maria.page.getByText('refused by status').waitFor();
  await expect.poll(() => maria.page.locator('.timeline').textContent()).toMatch(/"PAID" -> "PACKING"[\s\S]*approve[\s\S]*status_violated/);
  // The page and the command tell the same, entry by entry.
  const { timeline } = await auditOf(engine.database.pool, 'page-entity');
  const items = maria.page.locator('.timeline li');
  expect(await items.locator('strong').allTextContents()).toEqual(timeline.map((entry) => entry.event));
  expect(await items.locator('.hint').allTextContents()).toEqual(timeline.map((entry) => entry.text).filter((text) => text !== ''));
  expect(await items.filter({ hasText: 'which the read did not have' }).count()).toBe(1);
  expect(await maria.page.getByRole('link', { name: 'in the Temporal UI' }).getAttribute('href')).toBe('http://ui.test/namespaces/default/workflows/page-entity');
  expect(maria.errors).toEqual([]);
});

test('approval expires: given in time and executed too late it is refused, and approval is requested again', async () => {
  const { handle, decision } = await startHeld(engine, 'page-expires', { windowMs: 6_000 });
  const maria = await seat('maria.lindqvist', 'page-expires');
  await open(maria, decision.opKey);
  const lock = await holdOrder(engine, 'page-expires');
  await press(maria, 'Approve');
  await maria.page.getByText('Approved by maria.lindqvist').first().waitFor();
  await expect.poll(async () => Date.parse((await requestOf(engine.database.pool, 'page-expires:1'))?.expiresAt ?? '') < Date.now() - 100, { timeout: 10_000 }).toBe(true);
  await lock.release();
  const second = await held(engine, 'page-expires', 2);
  expect(await ledgerOf(engine, 'page-expires')).toEqual({ rejected: 1, closed: 1 });
  await open(maria, second.opKey);
  await press(maria, 'Approve');
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
});

test('approval expires: nobody answers, and the page has nothing to decide any more', async () => {
  const { handle, decision } = await startHeld(engine, 'page-silence', { windowMs: 5_000 });
  const maria = await seat('maria.lindqvist', 'page-silence');
  await open(maria, decision.opKey);
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'proposal_expired' });
  await expect.poll(() => forecast(maria), { timeout: 6_000 }).toBe('Expired: nobody decided in time.');
  expect(await maria.page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
});

test('duplicate callback: two pages of one person approve at once and again, and one write occurs', async () => {
  const { handle, decision } = await startHeld(engine, 'page-duplicate');
  const [one, other] = await Promise.all([seat('maria.lindqvist', 'page-duplicate-1'), seat('maria.lindqvist', 'page-duplicate-2')]);
  for (const its of [one, other]) {
    await open(its, decision.opKey);
    await its.page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: 'Approve' }).click();
  }
  await Promise.all([one, other].map(({ page }) => page.getByRole('dialog').locator('button[type=submit]').click()));
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  const again = await one.page.evaluate(`fetch('/api/decision', { method: 'POST', headers: { 'content-type': 'application/json', 'x-holdpoint-inbox': '1' },
    body: ${JSON.stringify(JSON.stringify({ kind: 'approve', opKey: decision.opKey, digest: decision.digest, comment: '' }))} }).then((answer) => answer.json())`);
  expect(again).toMatchObject({ result: 'accepted', recorded: { verdict: 'approve', by: 'maria.lindqvist' } });
  expect(await ledgerOf(engine, 'page-duplicate')).toEqual({ committed: 1 });
  expect(await labels('page-duplicate')).toHaveLength(2);
});

test('permission changes: the approver is taken off the list while the commit waits, and the action is denied', async () => {
  const { handle, decision } = await startHeld(engine, 'page-permission');
  const maria = await seat('maria.lindqvist', 'page-permission');
  await open(maria, decision.opKey);
  const owner = await engine.database.owner.connect();
  await owner.query('begin');
  await owner.query(`update holdpoint.policies set approvers = '{supervisor}' where world_id = $1`, [(await episodeRow(engine, 'page-permission')).worldId]);
  await press(maria, 'Approve');
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
  await expect.poll(async () => (await engine.database.owner.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [rows[0]?.pid])).rowCount, { timeout: 15_000 }).toBeGreaterThan(0);
  await maria.page.getByText('Approved by maria.lindqvist').first().waitFor();
  await owner.query('commit');
  owner.release();
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'not_authorised' });
  expect(await ledgerOf(engine, 'page-permission')).toEqual({ rejected: 1, closed: 1 });
  expect(await labels('page-permission')).toHaveLength(1);
});

test('parameters change: an edit is a new proposal, the editor cannot approve it, and a page with the old one decides nothing', async () => {
  const { handle, decision } = await startHeld(engine, 'page-parameters');
  const [maria, supervisor] = await Promise.all([seat('maria.lindqvist', 'parameters-maria'), seat('supervisor', 'parameters-supervisor')]);
  await open(supervisor, decision.opKey);
  await supervisor.page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: 'Approve' }).click(); // the dialog is about the proposal as it is
  await open(maria, decision.opKey);
  await maria.page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: 'Edit' }).click();
  await maria.page.getByRole('dialog').getByLabel(/^new address/).fill('500 Other Avenue');
  await maria.page.getByRole('dialog').locator('button[type=submit]').click();
  const second = await held(engine, 'page-parameters', 2);
  await supervisor.page.getByRole('dialog').locator('button[type=submit]').click();
  await expect.poll(() => supervisor.page.getByRole('dialog').getByRole('alert').textContent()).toMatch(/^Refused \(already_decided\).*edit by maria\.lindqvist/);
  await supervisor.page.keyboard.press('Escape');
  await open(maria, second.opKey);
  await maria.page.getByText('You proposed this: somebody else decides.').waitFor();
  expect(await maria.page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  await open(supervisor, second.opKey);
  await expect.poll(() => supervisor.page.locator('#change').textContent()).toContain('500 Other Avenue');
  await press(supervisor, 'Approve', 'as the customer said');
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  expect(await labels('page-parameters')).toContainEqual({ address: '500 Other Avenue' });
  expect((await decisionsOf(engine.database.pool, { episodeId: 'page-parameters' })).map(({ kind, person, via, refused }) => [kind, person, via, refused])).toEqual([
    ['edit', 'maria.lindqvist', 'inbox', null], ['approve', 'supervisor', 'inbox', 'already_decided'], ['approve', 'supervisor', 'inbox', null]]);
  expect([...maria.errors, ...supervisor.errors]).toEqual([]);
});
