/** The workflow bundle: what cannot run in the sandbox is refused, with the name of the file that brought it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, workflowBundle } from '../../cli/runtime/bundle.ts';

test('our workflows bundle', async () => {
  expect((await workflowBundle()).code.length).toBeGreaterThan(100_000);
});

test.each([['pg', "import pg from 'pg'; export const leak = pg;"], ['node:fs', "import { readFileSync } from 'node:fs'; export const leak = readFileSync;"]])('importing %s fails the bundle and names the file', async (name, source) => {
  const folder = await mkdtemp(join(fileURLToPath(new URL('../..', import.meta.url)), '.bundle-test-'));
  try {
    await writeFile(join(folder, 'helper.ts'), source);
    await writeFile(join(folder, 'workflow.ts'), "export { leak } from './helper.ts'; export async function flow(): Promise<void> {}");
    await expect(bundle(join(folder, 'workflow.ts'))).rejects.toThrow(new RegExp(`helper\\.ts imports ${name}`));
  } finally {
    await rm(folder, { recursive: true });
  }
});
