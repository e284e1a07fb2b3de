/** The doctor: it tells what is there and how to mend the rest, and it neither starts nor downloads anything. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

type Report = { ok: boolean; parts: { part: string; state: string; mend?: string }[]; models: { name: string; state: string; why?: string }[]; tools: { name: string; version?: string; mend?: string }[] };

const timeoutMs = 60_000;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stack-doctor-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** Runs the command as a person would, with an empty cache and only these variables. */
async function doctor(args: readonly string[], env: Record<string, string>): Promise<{ code: number; stdout: string }> {
  const bin = fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url));
  const child = spawn(process.execPath, [bin, 'doctor', ...args], { env: { HOME: dir, HOLDPOINT_CACHE_DIR: join(dir, 'cache'), ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout };
}

const stateOf = (report: Report, part: string): string | undefined => report.parts.find((found) => found.part === part)?.state;

test('on an empty machine it says what is missing and how to mend it, exits with 1 and leaves nothing', async () => {
  const { code, stdout } = await doctor(['--json'], { PATH: join(dir, 'nothing') });
  const report = JSON.parse(stdout) as Report;
  expect(code).toBe(1);
  expect(report.ok).toBe(false);
  expect([stateOf(report, 'temporal'), stateOf(report, 'ollama')]).toEqual(['missing', 'missing']);
  for (const part of report.parts.filter((found) => found.state === 'missing')) expect(part.mend).toBeTruthy();
  for (const tool of report.tools.filter((found) => found.version === undefined)) expect(tool.mend).toBeTruthy();
  expect(report.models.find((model) => model.name === 'qwen3:4b')?.why).toContain('needs Ollama 0.6.6');
  expect(await readdir(dir)).toEqual([]);
}, timeoutMs);

test('with the tools at hand everything can be had, and the exit code is 0', async () => {
  const { code, stdout } = await doctor([], { PATH: process.env['PATH'] ?? '', ...(process.env['PYENV_ROOT'] !== undefined && { PYENV_ROOT: process.env['PYENV_ROOT'] }) });
  expect(stdout).toMatch(/temporal +(obtainable|here)/);
  expect(stdout).toContain('Everything needed');
  expect(code).toBe(0);
  // Go writes a folder of its own into the home when it is asked for its version.
  expect(await readdir(dir)).not.toContain('cache');
}, timeoutMs);

test('a dead address in the environment is missing even where a server could be started', async () => {
  await symlink(process.execPath, join(dir, 'node'));
  const { code, stdout } = await doctor(['--json'], { PATH: dir, TEMPORAL_ADDRESS: '127.0.0.1:1', DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x', OLLAMA_HOST: '127.0.0.1:1' });
  const report = JSON.parse(stdout) as Report;
  expect(report.parts.map((part) => part.state)).toEqual(['missing', 'missing', 'missing']);
  expect(stdout).not.toContain('secret');
  expect(code).toBe(1);
}, timeoutMs);
