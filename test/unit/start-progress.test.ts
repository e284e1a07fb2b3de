/** Progress: one line on a terminal, plain lines elsewhere, and an estimate that follows the pace. */
import { expect, test } from 'vitest';
import { bar, createProgress, inWords } from '../../cli/start/progress.ts';
import { createEstimate } from '../../cli/start/time-left.ts';

test('on a terminal the line is written anew and what is said stays above it', () => {
  const out: string[] = [];
  const progress = createProgress({ write: (text: string) => out.push(text) > 0, isTTY: true, columns: 40 });
  progress.show('one');
  progress.say('said');
  progress.clear();
  expect(out.join('')).toBe('one\r\u001b[2Ksaid\none\r\u001b[2K');
});

test('elsewhere a plain line comes every five seconds', () => {
  const out: string[] = [];
  let nowMs = 0;
  const progress = createProgress({ write: (text: string) => out.push(text) > 0 }, () => nowMs);
  for (; nowMs <= 11_000; nowMs += 1_000) progress.show(`at ${String(nowMs)}`);
  expect(out).toEqual(['at 5000\n', 'at 10000\n']);
});

test('there is no estimate before there is a pace, and none of a standing batch', () => {
  const left = createEstimate({ episodes: 40, proposals: 10 });
  expect(left(0, { ended: 0, answered: 0 })).toBeNull();
  expect(left(10_000, { ended: 0, answered: 0 })).toBeNull();
  expect(left(20_000, { ended: 4, answered: 1 })).toBe(180_000);
});

test('the estimate follows frozen replies: the slow beginning is forgotten', () => {
  const left = createEstimate({ episodes: 400, proposals: 100 });
  left(0, { ended: 0, answered: 0 });
  left(100_000, { ended: 4, answered: 1 });
  left(101_000, { ended: 8, answered: 2 });
  expect(left(147_000, { ended: 192, answered: 48 })).toBeLessThan(60_000);
});

test('times and bars are words for people', () => {
  expect([inWords(4_400), inWords(200_000), inWords(7_500_000)]).toEqual(['4 s', '3 min 20 s', '2 h 5 min']);
  expect([bar(0, 4), bar(0.5, 4), bar(2, 4)]).toEqual(['[....]', '[##..]', '[####]']);
});
