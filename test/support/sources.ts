/** The project's own files as text, for tests that hold documents and configuration against the code. */
import { readdirSync, readFileSync } from 'node:fs';

/** The project's folder. */
export const root = new URL('../../', import.meta.url);

const rooms = ['contract', 'scenarios', 'guards', 'database', 'activities', 'workflows', 'checker', 'analysis', 'explain', 'stack', 'inbox', 'cli', 'bin', 'test'];

/** Every TypeScript and JavaScript file of the rooms, with its text. */
export function sources(): { path: string; text: string }[] {
  const present = new Set(readdirSync(root));
  return rooms.filter((room) => present.has(room)).flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|mjs)$/.test(path))
      .map((path) => ({ path: `${room}/${path}`, text: readFileSync(new URL(`${room}/${path}`, root), 'utf8') })));
}

/** The environment variables that the code reads: `process.env['X']`, `env['X']`, and names given to a function that reads one. Setting one is not reading it. `tests`: whether those count that only tests read. */
export function environmentNames({ tests } = { tests: true }): string[] {
  const read = /\benv\['([A-Z][A-Z0-9_]*)'\](?!\s*=[^=])|\bfilled\('([A-Z][A-Z0-9_]*)'\)/g;
  return [...new Set(sources().filter(({ path }) => tests || !path.startsWith('test/')).flatMap(({ text }) => [...text.matchAll(read)].map((match) => match[1] ?? match[2] ?? '')))].sort();
}
