/** An inbox on an engine, people with tokens, and their pages in a real browser. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openInbox } from '../../cli/inbox/open.ts';
import { createToken, type NewToken } from '../../database/tokens.ts';
import type { RunningInbox } from '../../inbox/server.ts';
import { screenshotOnFailure } from '../support/browser.ts';
import type { Engine } from '../support/temporal.ts';

/** The inbox of an engine, on a free port. */
export function inboxOf({ client, database }: Engine): Promise<RunningInbox> {
  return openInbox({ client, databaseUrl: database.ownerUrl, ui: { url: 'http://ui.test', namespace: 'default' }, port: 0 });
}

/** A token that may do everything, unless told otherwise. */
export function tokenFor({ database }: Engine, person: string, more: Partial<NewToken> = {}): Promise<{ token: string; row: { tokenId: string } }> {
  return createToken(database.owner, { person, scopes: ['view', 'approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000, ...more });
}

/** Somebody at the inbox: a browser of their own, signed in through the form. */
export type Seat = { readonly page: Page; readonly context: BrowserContext; readonly errors: string[] };

/** Signs in; keeps a screenshot if the test fails, and every error that the page reports. */
export async function seatOf(browser: Browser, { url, token }: { readonly url: string; readonly token: string }, name: string): Promise<Seat> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  screenshotOnFailure(page, name);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error' && !message.text().includes('401')) errors.push(message.text()); });
  await page.goto(url);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#items, #count').first().waitFor();
  return { page, context, errors };
}

/** Opens a request by its place in the address. */
export async function open({ page }: Seat, opKey: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`request=${encodeURIComponent(opKey)}`)}`);
  await page.getByText(opKey, { exact: true }).waitFor();
}

/** Presses the button, and the one of the same name in the dialog. */
export async function press({ page }: Seat, name: string, comment = ''): Promise<void> {
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog');
  if (comment !== '') await dialog.getByLabel(/^Comment/).fill(comment);
  await dialog.locator('button[type=submit]').click();
}
