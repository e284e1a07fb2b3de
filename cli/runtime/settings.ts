/** What a worker and a client read from the environment: addresses only, so that any machine can join by variables alone. */
import { defaultStateDir } from '../../stack/paths.ts';
import { runningServers } from '../../stack/running.ts';
import { UserError } from '../output.ts';

/** Where the servers are. */
export type Settings = {
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** Where Temporal's UI is, for links; absent where nobody told. */
  readonly temporalUiUrl?: string;
  /** The owner's or the worker role's URL. */
  readonly databaseUrl: string;
  readonly ollamaHost: string;
  /** Both task queues begin with it. */
  readonly queuePrefix: string;
};

/** Names of the two task queues: workflows, local and database activities on one, questions to models on the other. */
export function queueNames(prefix: string): { readonly commit: string; readonly model: string } {
  return { commit: `${prefix}-commit`, model: `${prefix}-model` };
}

/** The database that a Postgres of ours holds. */
export const databaseName = 'holdpoint';

/**
 * The environment, and where it names no database, the servers that `holdpoint start` left running on this machine: so that a second terminal needs no variables.
 * @throws UserError where neither leads to a database
 */
export async function findSettings(env: NodeJS.ProcessEnv = process.env): Promise<Settings> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  return readSettings(given['DATABASE_URL'] === undefined ? { ...(await runningServers(defaultStateDir(), databaseName)), ...given } : given);
}

/** @throws UserError where DATABASE_URL is missing */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const filled = (name: string): string | undefined => (env[name] === undefined || env[name] === '' ? undefined : env[name]);
  const databaseUrl = filled('DATABASE_URL');
  if (databaseUrl === undefined) throw new UserError('DATABASE_URL is not set: give the URL of the Postgres database that the engine runs on, or let `holdpoint start` run, which brings its own.');
  if (!/^postgres(ql)?:$/.test(URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : '')) throw new UserError('DATABASE_URL is not a URL like postgres://user:password@host:5432/database.');
  const temporalUiUrl = filled('TEMPORAL_UI_URL');
  return {
    ...(temporalUiUrl !== undefined && { temporalUiUrl }),
    temporalAddress: filled('TEMPORAL_ADDRESS') ?? '127.0.0.1:7233',
    temporalNamespace: filled('TEMPORAL_NAMESPACE') ?? 'default',
    databaseUrl,
    ollamaHost: filled('OLLAMA_HOST') ?? 'http://127.0.0.1:11434',
    queuePrefix: filled('HOLDPOINT_QUEUE_PREFIX') ?? 'holdpoint',
  };
}
