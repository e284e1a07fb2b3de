/** A real browser for tests: Chromium from the package @sparticuz/chromium, unpacked once into the cache, or the one that HOLDPOINT_TEST_BROWSER names. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';
import { onTestFailed } from 'vitest';
import { cacheDir } from '../../stack/paths.ts';

/** Launches it. @throws Error that says what is missing: without a browser the tests of the page have shown nothing, so they do not skip */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await browserPath().catch((error: unknown) => { throw noBrowser(error); });
  // Not the package's own arguments: with --single-process, screenshots of dialogs hang.
  return playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }).catch((error: unknown) => { throw noBrowser(error); });
}

function noBrowser(error: unknown): Error {
  const why = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  return new Error(`No browser could be started (${why}): set HOLDPOINT_TEST_BROWSER to the path of a Chromium, for example Debian's package chromium.`, { cause: error });
}

async function browserPath(): Promise<string> {
  const given = process.env['HOLDPOINT_TEST_BROWSER'];
  if (given !== undefined && given !== '') return given;
  const { version } = JSON.parse(await readFile(new URL('../../node_modules/@sparticuz/chromium/package.json', import.meta.url), 'utf8')) as { version: string };
  const folder = join(cacheDir(), `chromium-${version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  // The package unpacks into the temporary folder and takes whatever is there under that name already: an own folder, and the whole of it moved into place.
  await mkdir(cacheDir(), { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = part;
  try {
    if (tmpdir() !== part) throw new Error('the temporary folder cannot be chosen here');
    const { default: packed } = await import('@sparticuz/chromium');
    await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  await rename(part, folder).catch(async (error: unknown) => {
    if (!existsSync(path)) throw error;
    await rm(part, { recursive: true }); // another process was faster
  });
  return path;
}

/** Keeps a screenshot of the page if the running test fails, and says where. */
export function screenshotOnFailure(page: Page, name: string): void {
  onTestFailed(async () => {
    const folder = join(tmpdir(), 'holdpoint-screenshots');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name.replaceAll(/[^\w-]+/g, '-').slice(0, 80)}.png`);
    await page.screenshot({ path, fullPage: true });
    process.stderr.write(`Screenshot: ${path}\n`);
  });
}
