/** The inbox as a page: safe against other sites and against what a model writes, operable by keyboard, readable on a phone, quick with a thousand waiting. */
import { createServer, request as ask } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { decisionsOf } from '../../database/decisions.ts';
import { revokeToken } from '../../database/tokens.ts';
import type { RunningInbox } from '../../inbox/server.ts';
import { planOf } from '../../scenarios/plan.ts';
import { launchBrowser } from '../support/browser.ts';
import { ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';
import { inboxOf, open, press, seatOf, tokenFor, type Seat } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });
const plan = planOf('change-delivery-address/0/clean');
const nasty = '<img src=x onerror="document.title=\'run\'"><script>document.title="run"</script>\u202egnp.';
let engine: Engine;
let inbox: RunningInbox;
let browser: Browser;
let token: string;
beforeAll(async () => {
  [engine, browser] = await Promise.all([testEngine({
    proposer: () => Promise.resolve({ kind: 'act', reply: { decision: 'act', tool: plan.tool, arguments: { ...plan.arguments, newAddress: nasty } }, replyDigest: '0'.repeat(64), asked: true, attempts: [] }),
  }), launchBrowser()]);
  inbox = await inboxOf(engine);
  ({ token } = await tokenFor(engine, 'maria.lindqvist'));
});
afterAll(async () => {
  await browser.close();
  await inbox.close();
  await engine.close();
});
const seat = (name: string): Promise<Seat> => seatOf(browser, { url: inbox.url, token }, name);

/** A bare request with whatever headers. */
function raw(path: string, { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = ask(new URL(path, inbox.url), { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; }).on('end', () => { resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }); });
    });
    sent.on('error', reject).end(body);
  });
}
const own = { 'x-holdpoint-inbox': '1', 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const post = (path: string, document: unknown, headers: Record<string, string> = {}): ReturnType<typeof raw> => raw(path, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(document) });

test('the door: other hosts, other sites, forms and strangers get nothing, and no answer can be framed or run a script of its own', async () => {
  const { port } = new URL(inbox.url);
  expect((await raw('/', { headers: { host: `evil.test:${port}` } })).status).toBe(403);
  for (const headers of [{ ...own, 'sec-fetch-site': 'cross-site' }, { ...own, origin: 'http://evil.test' }, { ...own, origin: 'null' }, { ...own, 'x-holdpoint-inbox': '' }, { ...own, 'content-type': 'text/plain' }])
    expect((await raw('/api/session', { method: 'POST', headers, body: JSON.stringify({ token }) })).status).toBe(403);
  const nowhere = { 'x-holdpoint-inbox': '1', 'content-type': 'application/json' };
  expect((await raw('/api/session', { method: 'POST', headers: nowhere, body: JSON.stringify({ token }) })).status).toBe(403);
  expect((await raw('/api/waiting', { headers: own })).status).toBe(401);
  expect((await raw('/../package.json')).status).toBe(404);
  const { row, token: blind } = await tokenFor(engine, 'supervisor', { scopes: ['approve'] });
  expect([row.tokenId.length > 0, (await post('/api/session', { token: blind })).status, (await post('/api/session', { token: 'hp_x_y' })).status]).toEqual([true, 401, 401]);
  const signed = await post('/api/session', { token });
  expect(String(signed.headers['set-cookie'])).toMatch(/^holdpoint_inbox_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  expect(signed.text).not.toContain(token);
  const page = await raw('/');
  expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' });
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self';.*frame-ancestors 'none'/);
  expect(page.text).not.toMatch(/<script(?! type="module" src=)|<style|\son\w+=/);
});

test('a token that is revoked is out at once, a comment of a million characters is refused, and a digest that was swapped decides nothing', async () => {
  const { decision } = await startHeld(engine, 'page-attacked');
  const { token: short, row } = await tokenFor(engine, 'supervisor');
  const cookie = String((await post('/api/session', { token: short })).headers['set-cookie']).split(';')[0] ?? '';
  const said = (more: Record<string, string>): ReturnType<typeof post> => post('/api/decision', { kind: 'approve', opKey: decision.opKey, digest: decision.digest, comment: '', ...more }, { cookie });
  expect(JSON.parse((await said({ comment: 'x'.repeat(1_000_000) })).text)).toMatchObject({ result: 'refused', reason: 'malformed_decision' });
  expect(JSON.parse((await said({ digest: 'a'.repeat(64) })).text)).toMatchObject({ result: 'refused', reason: 'stale_proposal' });
  await revokeToken(engine.database.owner, row.tokenId);
  expect((await said({})).status).toBe(401);
  expect((await decisionsOf(engine.database.pool, { opKey: decision.opKey })).map(({ refused, comment }) => [refused, comment.length])).toEqual([['malformed_decision', 200], ['stale_proposal', 0]]);
  expect(await ledgerOf(engine, 'page-attacked')).toEqual({});
});

test('a forged request of another site does nothing, although somebody is signed in beside it', async () => {
  const { decision } = await startHeld(engine, 'page-forged');
  const evil = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html' });
    answer.end(`<iframe id="f" src="${inbox.url}"></iframe><form id="g" method="post" enctype="text/plain" action="${inbox.url}api/decision"><input name='{"kind":"approve","opKey":"${decision.opKey}","digest":"${decision.digest}","x":"' value='"}'></form>`);
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
  try {
    const { context } = await seat('page-forged');
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${String((evil.address() as AddressInfo).port)}/`);
    const body = JSON.stringify({ kind: 'approve', opKey: decision.opKey, digest: decision.digest });
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json', 'x-holdpoint-inbox': '1' }])
      await page.evaluate(`fetch('${inbox.url}api/decision', { method: 'POST', credentials: 'include', headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body)} }).catch(() => null)`);
    const [answer] = await Promise.all([page.waitForResponse(/api\/decision/), page.evaluate(`document.getElementById('g').submit()`)]);
    expect(answer.status()).toBe(403);
    expect(await decisionsOf(engine.database.pool, { opKey: decision.opKey })).toEqual([]);
    await context.close();
  } finally {
    evil.close();
  }
});

test('a script in a model\'s text is shown as text, and what cannot be seen is made visible', async () => {
  const { decision } = await startHeld(engine, 'page-script', { model: 'nasty' });
  const maria = await seat('page-script');
  await open(maria, decision.opKey);
  await expect.poll(() => maria.page.locator('#proposal').textContent()).toContain('<img src=x onerror="document.title=\'run\'"><script>');
  expect(await maria.page.locator('#proposal').textContent()).toContain('\\u{202e}gnp.');
  expect([await maria.page.title(), await maria.page.locator('#view img, #view script').count()]).toEqual(['Holdpoint inbox', 0]);
  expect(maria.errors).toEqual([]);
});

test('by keyboard alone: sign in, find, open, approve; every step shows its focus and Esc leaves the dialog', async () => {
  const { decision, handle } = await startHeld(engine, 'page-keyboard');
  const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  await page.goto(inbox.url);
  await page.getByLabel('Token').waitFor();
  await page.keyboard.type(token);
  await page.keyboard.press('Enter');
  await page.locator('#items a').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(decision.opKey.slice(0, 8));
  await expect.poll(() => page.locator('#items a').count()).toBe(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.dataset.key')).toBe(decision.opKey);
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  await page.getByText(decision.opKey, { exact: true }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('detail-title');
  await page.keyboard.press('a');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('a');
  await page.keyboard.type('looks right');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await decisionsOf(engine.database.pool, { opKey: decision.opKey })).toMatchObject([{ kind: 'approve', comment: 'looks right', via: 'inbox', refused: null }]);
});

test('on a phone of 375 px nothing runs out of the page, and reject, comment and hand on work there', async () => {
  const { decision, handle } = await startHeld(engine, 'page-phone');
  const maria = await seat('page-phone');
  await maria.page.setViewportSize({ width: 375, height: 720 });
  await open(maria, decision.opKey);
  await expect.poll(() => maria.page.locator('#change').textContent()).toContain('delivery_address');
  expect(await maria.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
  await press(maria, 'Comment', 'asked the customer');
  await maria.page.locator('#said').getByText('asked the customer').waitFor();
  await press(maria, 'Reject', 'wrong street');
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
  await maria.page.getByText('Rejected by maria.lindqvist. wrong street').waitFor();
});

test('with 1,000 waiting the counts are right and the first screen is there within a second', async () => {
  const { decision } = await startHeld(engine, 'page-many');
  await engine.database.owner.query(`insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
    select 'page-many-' || n || ':1', a.world_id, 'page-many-' || n, a.digest, a.proposal, a.tool, a.proposer, a.expires_at + n * interval '1 second' from holdpoint.approvals a, generate_series(1, 999) n where a.op_key = $1`, [decision.opKey]);
  const maria = await seat('page-many');
  await maria.page.getByLabel('Filter').fill('page-many');
  await expect.poll(() => maria.page.locator('#count').textContent()).toMatch(/1,000 of them match; the first 50 are shown$|^1,000 waiting; the first 50 are shown$/);
  expect(await maria.page.locator('#items li').count()).toBe(50);
  expect(await maria.page.locator('#items a').first().getAttribute('data-key')).toBe('page-many:1');
  await maria.page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => maria.page.locator('#items li').count()).toBe(150);
  const timesMs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const startedMs = performance.now();
    await maria.page.reload({ waitUntil: 'commit' });
    await maria.page.locator('#items li').first().waitFor();
    timesMs.push(performance.now() - startedMs);
  }
  process.stderr.write(`First screen with 1,000 waiting: ${timesMs.map((ms) => ms.toFixed(0)).join(', ')} ms\n`);
  expect(Math.min(...timesMs)).toBeLessThan(1_000); // the other rounds are the machine's
});
