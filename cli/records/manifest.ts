/** A run's manifest: its whole configuration, and the versions of everything that it ran on. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NamedModel } from '../../analysis/summary.ts';
import type { BatchInput } from '../../contract/batch-input.ts';
import { configurationDigest, type Configuration } from './plan.ts';

/** The versions of the servers; null where a server was not needed or does not tell. */
export type ServerVersions = { readonly temporal: string | null; readonly postgres: string | null; readonly ollama: string | null };

/** No clock time is in it: the same run on the same versions gives the same bytes. */
export type Manifest = {
  readonly run: string;
  readonly configurationDigest: string;
  readonly configuration: BatchInput;
  readonly models: readonly NamedModel[];
  readonly versions: ServerVersions & { readonly holdpoint: string; readonly node: string };
  /** The checkout's commit, null outside of one; `modified`: tracked files differ from it. */
  readonly git: { readonly commit: string; readonly modified: boolean } | null;
};

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Gathers what is not given: the versions of Node and of this program, and the commit. */
export async function manifestOf(runId: string, configuration: Configuration, servers: ServerVersions): Promise<Manifest> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return {
    run: runId, configurationDigest: configurationDigest(configuration), configuration: configuration.input, models: configuration.models,
    versions: { holdpoint: version, node: process.versions.node, ...servers }, git: await gitState(),
  };
}

async function gitState(): Promise<Manifest['git']> {
  const git = async (...args: string[]): Promise<string> => (await promisify(execFile)('git', ['-C', root, ...args])).stdout.trim();
  try {
    const [commit, changes] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '--porcelain', '--untracked-files=no', '--', '.')]);
    return { commit, modified: changes !== '' };
  } catch {
    return null; // no git, or no checkout
  }
}
