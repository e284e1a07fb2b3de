/** The three leaks that the README gives to newcomers: real episodes, recorded, and explained from their files while nothing else runs. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hazardOf } from '../../scenarios/hazard.ts';
import type { Account } from '../../explain/account.ts';
import { startCommand } from '../support/command.ts';
import { leaks } from '../support/leaks.ts';

const folder = fileURLToPath(new URL('../../docs/leaks/', import.meta.url));
const nothing = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TEMPORAL_ADDRESS: '127.0.0.1:1' };

test('the files are those that the README explains, each with its command', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect((await readdir(folder)).sort()).toEqual(leaks.map(({ name }) => `${name}.json`).sort());
  for (const { name } of leaks) expect(readme).toContain(`npx holdpoint explain docs/leaks/${name}.json`);
});

test.each(leaks)('$name: why it leaked and what would have stopped it, from the file alone', async ({ name, truth }) => {
  const { code, stdout, stderr } = await startCommand(['explain', `${folder}${name}.json`, '--json'], nothing).end;
  expect([code, stderr]).toEqual([0, '']);
  const { explanation, source, replay, cannotKnow } = JSON.parse(stdout) as Account;
  expect([source, replay?.result, replay?.ended]).toEqual(['history', 'replays', true]);
  const hazard = hazardOf(truth);
  expect({ verdict: explanation.verdict, family: explanation.family, clauses: explanation.remedy?.clauses }).toEqual({ verdict: 'leak', family: hazard?.family, clauses: hazard?.clauses });
  expect(explanation.unseen.length).toBeGreaterThan(0);
  expect(explanation.timeline.map((entry) => entry.event)).toEqual(expect.arrayContaining(['opened', 'world changed', 'proposed', 'decided', 'locked', 'committed', 'effect']));
  expect(cannotKnow).toEqual([expect.stringContaining('comments'), expect.stringContaining('over the batch')]);
});

test('they name no machine and no path', async () => {
  for (const { name } of leaks) {
    const text = await readFile(`${folder}${name}.json`, 'utf8');
    const decoded = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map((match) => Buffer.from(match[1] ?? '', 'base64').toString('utf8'));
    for (const piece of [text, ...decoded]) expect(piece).not.toMatch(/\/(work|root|home|Users|tmp|var)\/|\d+@\w|postgres:\/\//);
  }
});
