/** Two real processes on one results folder: the second is refused, and what a dead one held is taken over. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCommand, type CommandEnd, type CommandProcess } from '../support/command.ts';
import { says, startOllamaStub, type OllamaStub } from '../support/ollama-stub.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-writer-'));
let db: TestDatabase;
let stub: OllamaStub;
/** Lets the stub's model answer; until then every question waits. */
let answer: () => void;
const asked = new Promise<void>((resolve) => { answer = resolve; });
beforeAll(async () => {
  db = await testDatabase();
  stub = await startOllamaStub(['tiny'], () => (response, body) => void asked.then(() => { says('{"decision":"abstain","tool":"none","arguments":{},"confidence":0.5}')(response, body); }));
});
afterAll(async () => {
  rmSync(folders, { recursive: true, force: true });
  await Promise.all([stub.close(), db.close()]);
});

const running: CommandProcess[] = [];
afterAll(() => { for (const { child } of running) child.kill('SIGKILL'); });
const start = (command: string, folder: string, ...args: string[]): CommandProcess => {
  const started = startCommand([command, '--seeds', '13', '--json', '--quiet', '--results', folder, ...args], { DATABASE_URL: db.ownerUrl, OLLAMA_HOST: stub.host });
  running.push(started);
  return started;
};
const freeze = (folder: string): CommandProcess => start('freeze', folder, '--design', 'smoke', '--models', 'tiny');
const evaluate = (folder: string): CommandProcess => start('evaluate', folder, '--design', 'pilot');
const until = (holds: () => boolean): Promise<void> => vi.waitFor(() => { if (!holds()) throw new Error('not yet'); }, { timeout: 60_000, interval: 10 });

function expectRefused(end: CommandEnd, folder: string, holder: CommandProcess): void {
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr.trim().split('\n')).toEqual([`holdpoint: ${folder} is being written by process ${String(holder.child.pid)}: wait until that has ended, or name another folder by --results.`]);
}

test('a second freeze, or an evaluation of what is being frozen, is refused, and the first one ends as if alone', async () => {
  const folder = join(folders, 'freeze');
  const first = freeze(folder);
  await until(() => stub.chats.length > 0);
  expectRefused(await freeze(folder).end, folder, first);
  expectRefused(await start('evaluate', folder, '--design', 'smoke', '--proposer', 'tiny').end, folder, first);
  answer();
  const end = await first.end;
  expect(end.code, end.stderr).toBe(0);
  expect(readFileSync(join(folder, 'proposals.jsonl'), 'utf8').trim().split('\n')).toHaveLength(8);
  expect(stub.chats).toHaveLength(8);
  expect(existsSync(join(folder, '.lock'))).toBe(false);
}, 120_000);

test('a second evaluation is refused; once the first is dead, the next one takes the folder over', async () => {
  const folder = join(folders, 'evaluate');
  const first = evaluate(folder);
  await until(() => existsSync(join(folder, 'settings.json')));
  first.child.kill('SIGSTOP'); // so that it cannot end before the second one looks
  expectRefused(await evaluate(folder).end, folder, first);
  first.child.kill('SIGKILL');
  await first.end;
  expect(existsSync(join(folder, '.lock'))).toBe(true);
  const next = await evaluate(folder).end;
  expect(next.code, next.stderr).toBe(0);
  expect(JSON.parse(next.stdout)).toMatchObject({ decisions: 48, controllers: { 'always-execute': { unsafe: 20 } } });
}, 180_000);

test('a lock whose process number belongs to another process by now is taken over', async () => {
  const folder = join(folders, 'reused');
  mkdirSync(folder);
  writeFileSync(join(folder, '.lock'), `${String(process.pid)} an-earlier-process x`);
  const end = await start('evaluate', folder, '--design', 'smoke').end;
  expect(end.code, end.stderr).toBe(0);
}, 120_000);
