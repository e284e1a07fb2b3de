/** Finds the `ollama` command on the PATH or in the cache, or builds it for this machine's own processor. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fillDir, withLock } from './files.ts';
import { goInstall } from './go.ts';
import { cacheDir } from './paths.ts';
import { isExecutable, run, which } from './run.ts';
import { StackError, type Binary, type StackLine } from './types.ts';

/** Later versions than about 0.10 do not build as a Go module: the module proxy drops their vendored headers. */
export const builtVersion = '0.6.5';
const goModule = `github.com/ollama/ollama@v${builtVersion}`;

export const ollamaMend = 'install Ollama, or Go with gcc and g++ (it is then built in about two minutes), or set OLLAMA_HOST to a running server';

/** What the build needs that is not on the PATH. */
export async function missingForBuild(): Promise<string[]> {
  const needed = [['go'], ['gcc', 'cc', 'clang'], ['g++', 'c++', 'clang++']];
  const found = await Promise.all(needed.map((names) => Promise.all(names.map(which))));
  return needed.filter((_, i) => found[i]?.every((path) => path === undefined)).map(([name]) => name ?? '');
}

/** The command if it is there already; downloads nothing. */
export async function findOllama(): Promise<Binary | undefined> {
  const onPath = await which('ollama');
  const built = join(await buildDir(), 'bin', 'ollama');
  const places = [...(onPath === undefined ? [] : [{ path: onPath, from: 'PATH' }]), { path: built, from: `cache (built from ${goModule})` }];
  for (const { path, from } of places) {
    const version = await versionOf(path);
    if (version !== undefined) return { path, from, version };
  }
  return undefined;
}

/** The command, built if need be. @throws StackError with the compiler's own words. */
export async function getOllama(say: (line: StackLine) => void, signal?: AbortSignal): Promise<Binary> {
  const here = await findOllama();
  if (here !== undefined) return here;
  const onWait = (): void => { say({ part: 'ollama', text: 'waiting for another process that is building the server' }); };
  return withLock(join(cacheDir(), 'locks', 'ollama'), { signal, onWait }, async () => {
    const made = await findOllama();
    if (made !== undefined) return made;
    const missing = await missingForBuild();
    if (missing.length > 0) throw new StackError(`Ollama is not on the PATH and cannot be built without ${missing.join(' and ')}: ${ollamaMend}.`);
    say({ part: 'ollama', text: `building ${goModule} for this processor, once, which takes about two minutes`, fraction: 0 });
    await fillDir(await buildDir(), (dir) => build(dir, say, signal));
    const built = await findOllama();
    if (built === undefined) throw new StackError(`The Ollama that was built does not run on this machine: ${ollamaMend}.`);
    return built;
  });
}

async function build(dir: string, say: (line: StackLine) => void, signal?: AbortSignal): Promise<void> {
  const bin = join(dir, 'bin');
  await mkdir(bin, { recursive: true });
  // Without the processor's own instructions it is four to five times slower.
  const flags = `-O3 ${process.arch === 'arm64' ? '-mcpu' : '-march'}=native`;
  const what = {
    module: goModule,
    ldflags: `-s -w -X github.com/ollama/ollama/version.Version=${builtVersion}`,
    env: { CGO_ENABLED: '1', CGO_CFLAGS: flags, CGO_CXXFLAGS: flags },
    packages: 420,
  };
  const built = await goInstall(what, { workDir: join(dir, 'go'), signal, say: (text, fraction) => { say({ part: 'ollama', text, fraction }); } });
  await rename(built, join(bin, 'ollama'));
}

/** The folder of the build, named by the processor: on another one the command would end by an illegal instruction. */
async function buildDir(): Promise<string> {
  const flags = /^(flags|Features)\s*:.*$/m.exec(await readFile('/proc/cpuinfo', 'utf8').catch(() => ''))?.[0] ?? '';
  return join(cacheDir(), 'ollama', `${builtVersion}-${process.platform}-${process.arch}-${cpuKey(cpus()[0]?.model ?? '', flags)}`);
}

/** A folder name for a processor: its model in plain letters, and a digest of its feature flags. */
export function cpuKey(model: string, flags: string): string {
  const slug = model.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40);
  return `${slug === '' ? 'cpu' : slug}-${createHash('sha256').update(flags).digest('hex').slice(0, 8)}`;
}

async function versionOf(path: string): Promise<string | undefined> {
  if (!(await isExecutable(path))) return undefined;
  // It would ask a running server for its version; port 1 refuses at once.
  const result = await run(path, ['--version'], { timeoutMs: 10_000, env: { ...process.env, OLLAMA_HOST: '127.0.0.1:1' } });
  return /version is (\S+)/.exec(result.stdout + result.stderr)?.[1];
}
