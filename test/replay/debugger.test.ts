/** Temporal's debugger on our workflows: what its extension for VS Code does, done here over the same protocol, with a real inspector that stops in our source. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { temporal } from '@temporalio/proto';
import { afterEach, expect, test } from 'vitest';
import { inspectorAt, type Inspector } from '../support/inspector.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = `${root}workflows/episode.ts`;

let [server, child, inspector]: [Server?, ChildProcess?, Inspector?] = [];
afterEach(() => {
  inspector?.close();
  child?.kill('SIGKILL');
  server?.close();
});

/** The extension's side: hands out the history, and is told of each workflow task before it goes on. */
async function extension(golden: string, onTask: (eventId: number) => Promise<void>): Promise<string> {
  const history = historyFromJSON(JSON.parse(await readFile(`${root}test/replay/histories/${golden}.json`, 'utf8')));
  const bytes = temporal.api.history.v1.History.encode(history).finish();
  server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/history') return void response.end(bytes);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
      const { eventId } = JSON.parse(body) as { eventId: number };
      onTask(eventId).then(() => response.end(), () => response.writeHead(500).end());
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** The entry that the settings name to the extension, as a process. */
async function start(url: string, ...flags: string[]): Promise<{ ended: Promise<number | null>; errors: AsyncIterable<string> }> {
  const { 'temporal.replayerEntrypoint': entry } = JSON.parse(await readFile(`${root}.vscode/settings.json`, 'utf8')) as Record<string, string>;
  child = spawn(process.execPath, [...flags, entry ?? ''], { cwd: root, env: { ...process.env, TEMPORAL_DEBUGGER_PLUGIN_URL: url }, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child?.once('exit', resolve));
  return { ended, errors: createInterface({ input: child.stderr as NodeJS.ReadableStream }) };
}

test('the replay stops at a workflow task and at a line of workflows/episode.ts, shows the episode\'s own values there, and goes on to its end', async () => {
  const tasks: number[] = [];
  const url = await extension('episode-committed', async (eventId) => {
    tasks.push(eventId);
    if (eventId === 10) await inspector?.pause(); // as the extension does where an event has a breakpoint
  });
  const { ended, errors } = await start(url, '--inspect-brk=127.0.0.1:0');
  const line = 1 + (await readFile(source, 'utf8')).split('\n').findIndex((text) => text.includes('const decision = await decide(run, proposed)'));
  expect(line).toBeGreaterThan(1);
  inspector = await inspectorAt(await addressIn(errors), { source, line });

  const task = await inspector.nextStop();
  expect(tasks).toEqual([3, 10]);
  expect(task).toMatchObject({ place: null, functions: expect.arrayContaining(['notifyRunner', 'scheduleActivity']) as string[] });
  await inspector.goOn();

  const stop = await inspector.nextStop();
  expect(stop).toMatchObject({ place: { source, line }, functions: expect.arrayContaining(['runStep']) as string[] });
  expect(await inspector.evaluate(stop, 'proposed.opKey')).toBe('episode-committed:1');
  expect(await inspector.evaluate(stop, 'run.phase')).toBe('proposing');
  expect(await inspector.evaluate(stop, 'episodeId')).toBe('fake'); // the SDK's: a history does not hand the id on
  await inspector.detach();
  expect(await ended).toBe(0);
  expect(tasks).toEqual([3, 10, 16]);
}, 60_000);

test('without the extension its entry says in one sentence what it is for', async () => {
  const { ended, errors } = await start('');
  const lines: string[] = [];
  for await (const text of errors) lines.push(text);
  expect(await ended).toBe(2);
  expect(lines).toEqual([expect.stringContaining('see docs/debugging.md')]);
});

/** Where the inspector listens. What the process says afterwards is read on, so that it never waits for a reader. */
async function addressIn(errors: AsyncIterable<string>): Promise<string> {
  for await (const text of errors) {
    const address = /ws:\/\/\S+/.exec(text)?.[0];
    if (address !== undefined) {
      child?.stderr?.resume();
      return address;
    }
  }
  throw new Error('The process ended before it said where its inspector listens.');
}
