/** What is printed to be copied into a shell stays one word, whatever an id holds. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decisionCommand, shellWord } from '../../contract/shell-word.ts';

it('any text that can be shown comes back from a shell as it went in', () => {
  const texts = ["x'; touch pwned; '", "it's odd:1", '$(id) `id` $HOME', 'a b', '--json', 'plain/0/clean', '*', '~', '"', '\\', ...fc.sample(fc.string({ minLength: 1 }), { numRuns: 40, seed: 7 })];
  for (const text of texts) {
    const word = shellWord(text);
    if (word !== null) expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' }), text).toBe(text);
  }
});

it('an id with characters that cannot be seen is not offered for copying', () => {
  for (const text of ['', 'a\u001bb', 'a\u202eb', 'a\nb']) expect(shellWord(text)).toBeNull();
  expect(decisionCommand('approve', 'a\u001bb', 'd')).not.toContain('holdpoint approve');
});

it('an id that looks like an option comes after the end of options', () => {
  expect(decisionCommand('reject', '--json', 'abc')).toBe('npx holdpoint reject --digest abc -- --json');
});
