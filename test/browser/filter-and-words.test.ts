/** Small things that a person at the inbox meets: the filter by keyboard, a comment's limit, who can be asked, and what is left on the screen for whoever comes next. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { decisionsOf } from '../../database/decisions.ts';
import type { RunningInbox } from '../../inbox/server.ts';
import { planOf } from '../../scenarios/plan.ts';
import { launchBrowser } from '../support/browser.ts';
import { startHeld, testEngine, type Engine } from '../support/temporal.ts';
import { inboxOf, open, press, seatOf, tokenFor, type Seat } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });
const plan = planOf('change-delivery-address/0/clean');
let engine: Engine;
let inbox: RunningInbox;
let browser: Browser;
let token: string;
beforeAll(async () => {
  [engine, browser] = await Promise.all([testEngine(), launchBrowser()]);
  inbox = await inboxOf(engine);
  ({ token } = await tokenFor(engine, 'maria.lindqvist'));
});
afterAll(async () => {
  await browser.close();
  await inbox.close();
  await engine.close();
});
const seat = (name: string): Promise<Seat> => seatOf(browser, { url: inbox.url, token }, name);
const focused = ({ page }: Seat): Promise<unknown> => page.evaluate('document.activeElement.dataset.key ?? document.activeElement.id');
/** Opens a dialog of the open request, and says where what is wrong stands. */
async function dialogOf({ page }: Seat, name: string): Promise<{ readonly alert: () => Promise<string | null>; readonly submit: () => Promise<void> }> {
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog');
  return { alert: () => dialog.getByRole('alert').textContent(), submit: () => dialog.locator('button[type=submit]').click() };
}

test('Esc leaves the filter with what was typed, and keys are shortcuts again; Enter opens the first that matches, and no earlier one', async () => {
  const [first, second] = [await startHeld(engine, 'page-a-first'), await startHeld(engine, 'page-b-second')];
  const maria = await seat('page-filter');
  const { page } = maria;
  await page.locator('#items a').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('page-');
  await page.keyboard.press('Escape');
  expect([await page.getByLabel('Filter').inputValue(), await focused(maria)]).toEqual(['page-', first.decision.opKey]);
  await page.keyboard.press('j');
  expect(await focused(maria)).toBe(second.decision.opKey);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('or leave the filter').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.press('Control+a');
  // What is on the screen is still the list of before.
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => { letGo = resolve; });
  await page.route('**/api/waiting*', async (route) => { await held; await route.continue(); });
  await page.keyboard.type('b-second');
  await page.keyboard.press('Enter');
  expect(await page.locator('#items a').count()).toBe(2);
  letGo();
  await page.getByText(second.decision.opKey, { exact: true }).waitFor();
  await expect.poll(() => focused(maria)).toBe('detail-title');
  await page.keyboard.press('/');
  await page.keyboard.type('nothing has this');
  await page.keyboard.press('Enter');
  await page.getByText('0 of them match').waitFor();
  await page.keyboard.press('Escape');
  expect(await focused(maria)).toBe('list-title');
  expect(maria.errors).toEqual([]);
});

test('a comment that is too long or empty is told with its limit and its length, and not sent', async () => {
  const { decision } = await startHeld(engine, 'page-comment');
  const maria = await seat('page-comment');
  await open(maria, decision.opKey);
  const sent: string[] = [];
  maria.page.on('request', (request) => { if (request.url().endsWith('/api/decision')) sent.push(request.postData() ?? ''); });
  const field = maria.page.getByRole('dialog').getByLabel(/^Comment/);
  for (const [name, text, problem] of [
    ['Approve', 'x'.repeat(2_001), 'The comment has 2,001 characters: it takes at most 2,000.'], ['Comment', '  ', 'The comment is empty: it takes 1 to 2,000 characters.'],
    ['Comment', '', 'The comment is empty: it takes 1 to 2,000 characters.'], ['Hand on', 'y'.repeat(1_000_000), 'The comment has 1,000,000 characters: it takes at most 2,000.'],
  ] as const) {
    const { alert, submit } = await dialogOf(maria, name);
    if (name === 'Hand on') await maria.page.getByRole('dialog').getByLabel(/^To/).fill('supervisor');
    await field.fill(text);
    await submit();
    expect([name, await alert(), await focused(maria)]).toEqual([name, problem, 'said-comment']);
    await maria.page.keyboard.press('Escape');
  }
  expect(sent).toEqual([]);
  const { submit } = await dialogOf(maria, 'Comment');
  await field.fill('z'.repeat(1_990));
  await maria.page.getByRole('dialog').getByText('At most 2,000 characters: 10 left.').waitFor();
  await submit();
  await maria.page.getByText('Comment of maria.lindqvist kept.').waitFor();
  expect((await decisionsOf(engine.database.pool, decision)).map(({ kind, comment, refused }) => [kind, comment.length, refused])).toEqual([['comment', 1_990, null]]);
});

test('an edit that names an order which is not there is refused with the order, and the request waits on', async () => {
  const { decision, handle } = await startHeld(engine, 'page-typo');
  const maria = await seat('page-typo');
  await open(maria, decision.opKey);
  const { alert, submit } = await dialogOf(maria, 'Edit');
  await maria.page.getByRole('dialog').getByLabel(/^order id/).fill('ord-typo');
  await submit();
  await expect.poll(alert).toMatch(/^Refused \(malformed_decision\): .* In the arguments: orderId names no row that is there \(orders\.orders "ord-typo"\)\.$/);
  await maria.page.keyboard.press('Escape');
  expect(await handle.query('progress')).toMatchObject({ phase: 'held' });
});

test('the simulated approver is neither shown nor offered', async () => {
  const { decision } = await startHeld(engine, 'page-people');
  const maria = await seat('page-people');
  await open(maria, decision.opKey);
  await maria.page.locator('#who').getByText('supervisor, maria.lindqvist').waitFor();
  await dialogOf(maria, 'Hand on');
  const offered = await maria.page.evaluate(`[...document.querySelectorAll('#people option')].map((option) => option.value)`);
  expect(offered).toEqual(['supervisor', 'maria.lindqvist']);
  expect(await maria.page.locator('body').textContent()).not.toMatch(/\bauto\b/);
  await maria.page.keyboard.press('Escape');
  await engine.run('page-simulated', { caseId: plan.caseId });
  await maria.page.evaluate(`location.hash = 'episode=page-simulated'`);
  await maria.page.locator('.timeline').getByText('the simulated approver').waitFor();
  expect(await maria.page.locator('.timeline').textContent()).not.toMatch(/\bauto\b/);
  await maria.page.getByRole('link', { name: 'its latest proposal' }).click();
  await maria.page.locator('#forecast').getByText('Approved, simulated.').waitFor();
});

test('nothing that was said or listed for one person is there after they signed out, nor what comes in afterwards', async () => {
  const [{ decision }, late] = [await startHeld(engine, 'page-leaving'), await startHeld(engine, 'page-leaving-late')];
  const maria = await seat('page-leaving');
  const { page } = maria;
  await open(maria, decision.opKey);
  await press(maria, 'Approve');
  await page.locator('#status').getByText('Approved by maria.lindqvist.').waitFor();
  await open(maria, late.decision.opKey);
  let [letGo, arrived] = [(): void => undefined, (): void => undefined];
  const [held, isThere] = [new Promise<void>((resolve) => { letGo = resolve; }), new Promise<void>((resolve) => { arrived = resolve; })];
  await page.route('**/api/decision', async (route) => {
    const response = await route.fetch();
    arrived();
    await held;
    await route.fulfill({ response });
  });
  await press(maria, 'Reject');
  await isThere;
  const answered = page.waitForResponse('**/api/decision');
  await page.evaluate(`document.getElementById('sign-out').click()`); // the dialog is still open
  await page.getByLabel('Token').fill('typed meanwhile');
  letGo();
  await answered;
  // Whatever the page asks for because of that answer, it asks before this.
  for (let round = 0; round < 2; round += 1) await page.evaluate(`fetch('/api/session', { headers: { 'x-holdpoint-inbox': '1' } }).then((answer) => answer.text())`);
  expect([await page.getByLabel('Token').inputValue(), await page.locator('#sign-in-problem').textContent()]).toEqual(['typed meanwhile', '']);
  expect(await page.locator('body').textContent()).not.toMatch(/maria\.lindqvist|page-leaving|waiting/);
  expect(await page.locator('#status').textContent()).toBe('');
});
