/** Test files share one Temporal server, so an episode's id that two of them start is refused in whichever comes second: found here, whatever the order. */
import { expect, test } from 'vitest';
import { sources } from '../support/sources.ts';

const started = /(?:startHeld\(engine, |engine\.run\(|startEpisode\(\w+(?:\.\w+)*, \{ episodeId: )['`]([\w./-]+)['`]/g;

test('no two test files start an episode under one id', () => {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of sources().filter((source) => source.path.startsWith('test/')))
    for (const [, id = ''] of text.matchAll(started)) files.set(id, (files.get(id) ?? new Set()).add(path));
  expect(files.size).toBeGreaterThan(100);
  expect([...files].filter(([, paths]) => paths.size > 1).map(([id, paths]) => `${id}: ${[...paths].join(', ')}`)).toEqual([]);
});
