/** What a worker and a client read from the environment: addresses only, so that any machine can join by variables alone. */
import { UserError } from '../output.ts';

/** Where the servers are. */
export type Settings = {
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
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

/** @throws UserError where DATABASE_URL is missing */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const filled = (name: string): string | undefined => (env[name] === undefined || env[name] === '' ? undefined : env[name]);
  const databaseUrl = filled('DATABASE_URL');
  if (databaseUrl === undefined) throw new UserError('DATABASE_URL is not set: give the URL of the Postgres database that the engine runs on, or use `holdpoint start`, which brings its own.');
  return {
    temporalAddress: filled('TEMPORAL_ADDRESS') ?? '127.0.0.1:7233',
    temporalNamespace: filled('TEMPORAL_NAMESPACE') ?? 'default',
    databaseUrl,
    ollamaHost: filled('OLLAMA_HOST') ?? 'http://127.0.0.1:11434',
    queuePrefix: filled('HOLDPOINT_QUEUE_PREFIX') ?? 'holdpoint',
  };
}
