/** Builds a command from a Go module in a folder of its own, so that nothing is left in the person's Go folders. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, tail, which } from './run.ts';
import { StackError } from './types.ts';

export type GoBuild = {
  /** Path and version, as `go install` takes it. */
  readonly module: string;
  readonly ldflags: string;
  readonly env: Readonly<Record<string, string>>;
  /** About how many packages are compiled, for the progress. */
  readonly packages: number;
};

export type GoBuildOptions = {
  /** Deleted afterwards apart from the command itself; 1 GB at most meanwhile. */
  readonly workDir: string;
  readonly say: (text: string, fraction: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/** Returns the built command's path inside `workDir`. @throws StackError with the compiler's own words. */
export async function goInstall(build: GoBuild, options: GoBuildOptions): Promise<string> {
  const go = await which('go');
  if (go === undefined) throw new StackError(`Go is not on the PATH, so ${build.module} cannot be built`);
  const { workDir, say, signal } = options;
  const bin = join(workDir, 'bin');
  const progress = progressOf(build.packages);
  const onLine = (line: string): void => {
    const at = progress(line);
    if (at !== undefined) say(at.text, at.fraction);
  };
  const env = {
    ...process.env, ...build.env,
    ...{ GOBIN: bin, GOPATH: join(workDir, 'path'), GOMODCACHE: join(workDir, 'modules'), GOCACHE: join(workDir, 'cache') },
    GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -modcacherw`.trim(),
  };
  const result = await run(go, ['install', '-v', '-trimpath', '-ldflags', build.ldflags, build.module], { env, signal, onLine, timeoutMs: 1_800_000 });
  await Promise.all(['path', 'modules', 'cache'].map((dir) => rm(join(workDir, dir), { recursive: true, force: true })));
  const [command] = result.code === 0 ? await readdir(bin) : [];
  if (command === undefined) throw new StackError(`Go could not build ${build.module}: ${tail(result.stderr)}`);
  return join(bin, command);
}

/**
 * Turns lines of `go install -v` into progress, about every 5 %: downloads count as the first quarter, compiled packages as the rest.
 * Returns undefined where a line adds nothing worth saying.
 */
export function progressOf(packages: number): (line: string) => { text: string; fraction: number } | undefined {
  let downloads = 0;
  let compiled = 0;
  let saidFraction = -1;
  return (line) => {
    if (line.startsWith('go: downloading ')) downloads += 1;
    else if (/^[\w./-]+$/.test(line)) compiled += 1;
    else return undefined;
    const downloaded = compiled > 0 ? 0.25 : Math.min(0.25, downloads / 400);
    const fraction = Math.min(0.99, downloaded + (0.75 * compiled) / packages);
    if (fraction < saidFraction + 0.05) return undefined;
    saidFraction = fraction;
    return { text: compiled > 0 ? `compiling (${String(compiled)} packages so far)` : `downloading modules (${String(downloads)} so far)`, fraction };
  };
}
