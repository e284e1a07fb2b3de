/** Locks, whole folders, child processes and the unreachable environment, on a real file system with real processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillDir, readJson, withLock, writeJson } from '../../stack/files.ts';
import { joinPieces } from '../../stack/gguf.ts';
import { identityOf } from '../../stack/identity.ts';
import { freePort, isFree } from '../../stack/ports.ts';
import { startServer, stopProcess, type ServerSpec } from '../../stack/process.ts';
import { run } from '../../stack/run.ts';
import { StackError } from '../../stack/stack.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stack-files-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

test('20 holders of one lock never overlap, and nothing is left behind', async () => {
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(join(dir, 'lock'), {}, work)));
  expect(most).toBe(1);
  expect(await readdir(dir)).toEqual([]);
}, 30_000);

test('the lock of a holder that died is taken over', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
  const pid = child.pid ?? 0;
  await writeFile(join(dir, 'lock'), `${String(pid)} ${(await identityOf(pid)) ?? ''} x`);
  const dead = once(child, 'exit');
  child.kill('SIGKILL');
  await dead;
  const onWait = vi.fn();
  expect(await withLock(join(dir, 'lock'), { onWait }, () => Promise.resolve('mine'))).toBe('mine');
  expect(onWait).not.toHaveBeenCalled(); // it was held by nobody
});

test('waiting for a living holder is said once and ends by the signal', async () => {
  await writeFile(join(dir, 'lock'), `${String(process.pid)} ${(await identityOf(process.pid)) ?? ''} x`);
  const onWait = vi.fn();
  const abort = new AbortController();
  const waiting = withLock(join(dir, 'lock'), { signal: abort.signal, onWait }, () => Promise.resolve());
  await vi.waitFor(() => { expect(onWait).toHaveBeenCalledTimes(1); });
  expect(onWait).toHaveBeenCalledWith(process.pid);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('who does not want to wait throws, and a place that takes no lock is an error, not a wait', async () => {
  await writeFile(join(dir, 'lock'), `${String(process.pid)} ${(await identityOf(process.pid)) ?? ''} x`);
  const refuse = (pid: number): never => { throw new Error(`held by ${String(pid)}`); };
  await expect(withLock(join(dir, 'lock'), { onWait: refuse }, () => Promise.resolve())).rejects.toThrow(`held by ${String(process.pid)}`);
  await writeFile(join(dir, 'file'), '');
  await expect(withLock(join(dir, 'file', 'lock'), {}, () => Promise.resolve())).rejects.toThrow();
  expect((await readdir(dir)).sort()).toEqual(['file', 'lock']);
});

test('a folder that could not be filled is not there', async () => {
  await expect(fillDir(join(dir, 'full'), async (part) => {
    await writeFile(join(part, 'half'), '');
    throw new Error('cut');
  })).rejects.toThrow('cut');
  expect(await readdir(dir)).toEqual([]);
});

test('torn JSON reads as nothing', async () => {
  await writeJson(join(dir, 'a', 'x.json'), { a: 1 });
  expect(await readJson(join(dir, 'a', 'x.json'))).toEqual({ a: 1 });
  await writeFile(join(dir, 'torn.json'), '{"a":');
  expect(await readJson(join(dir, 'torn.json'))).toBeUndefined();
});

test('pieces are joined in order and digested as a whole', async () => {
  await writeFile(join(dir, 'one'), 'ab');
  await writeFile(join(dir, 'two'), 'c');
  expect(await joinPieces([join(dir, 'one'), join(dir, 'two')], join(dir, 'out'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await readFile(join(dir, 'out'), 'utf8')).toBe('abc');
});

test('a command that is not there, or takes too long, is a value and not a throw', async () => {
  expect((await run('/no/such/command', [])).code).toBe(-1);
  expect((await run('sleep', ['60'], { timeoutMs: 50 })).code).toBe(-1);
});

const server = (script: string, more: Partial<ServerSpec> = {}): ServerSpec => ({
  name: 'The server', command: process.execPath, args: ['-e', script], env: process.env, cwd: dir, logFile: join(dir, 'logs', 'x.log'),
  answers: () => Promise.resolve(false), startTimeoutMs: 20_000, retryMs: 0, stopSignal: 'SIGTERM', stopTimeoutMs: 5_000, ...more,
});

test('a server that ends at once is told with its exit code and the end of its own log', async () => {
  await startServer(server('console.error("older"); process.exit(1)')).catch(() => undefined);
  const failure = await startServer(server('console.error("the disk is full"); process.exit(3)')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StackError);
  expect(String(failure)).toMatch(/exit code 3.*the disk is full/);
  expect(String(failure)).not.toContain('older');
});

test('a server that cannot be run at all is told too', async () => {
  await expect(startServer({ ...server(''), command: '/no/such/server' })).rejects.toThrow(/ENOENT/);
});

test('a server that ignores the stop signal is killed after its time', async () => {
  const port = await freePort([]);
  const script = `process.on('SIGTERM', () => {}); require('net').createServer().listen(${String(port)}, '127.0.0.1')`;
  const started = await startServer(server(script, { answers: async () => !(await isFree(port)), stopTimeoutMs: 100 }));
  const mark = started.mark();
  await started.stop();
  expect(await identityOf(mark.pid)).toBeUndefined();
});

test('a process number that belongs to another process by now is left alone', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
  await stopProcess({ pid: child.pid ?? 0, identity: 'another' }, { stopSignal: 'SIGKILL', stopTimeoutMs: 10 });
  expect(await identityOf(child.pid ?? 0)).toBeDefined();
  child.kill('SIGKILL');
});
