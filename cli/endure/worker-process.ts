/** A worker in a process of its own, started as any machine would start one, so that it can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '../../database/role-url.ts';
import { UserError } from '../output.ts';
import type { Settings } from '../runtime/settings.ts';

/** What it serves. `stopAt`: the test hook of runtime/stop-at.ts. */
export type WorkerProcessOptions = { readonly settings: Settings; readonly queues?: string; readonly stopAt?: string; readonly graceMs?: number };

/** One worker process. */
export type WorkerProcess = {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves once a line that holds the text was printed; rejects if the process ends before. */
  says(text: string): Promise<void>;
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  /** SIGTERM, and waits until it is gone. */
  stop(): Promise<void>;
};

const command = fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url));

/** Starts `holdpoint worker` with the environment variables that the README names, and waits until it is ready. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const { settings, queues = 'commit,model' } = options;
  const child = spawn(process.execPath, [command, 'worker', '--queues', queues, '--grace-ms', String(options.graceMs ?? 2_000), '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: settings.temporalAddress, TEMPORAL_NAMESPACE: settings.temporalNamespace, DATABASE_URL: roleUrl(settings.databaseUrl, 'holdpoint_worker'),
      OLLAMA_HOST: settings.ollamaHost, HOLDPOINT_QUEUE_PREFIX: settings.queuePrefix, HOLDPOINT_STOP_AT: options.stopAt ?? '',
    },
  });
  let printed = '';
  let ended: string | undefined;
  const waiting = new Set<() => void>();
  const tell = (): void => { for (const look of waiting) look(); };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { printed = (printed + text).slice(-100_000); tell(); });
  const gone = once(child, 'close').then(([code, signal]) => { ended = String(code ?? signal); tell(); });
  const says = (text: string): Promise<void> => new Promise((resolve, reject) => {
    const look = (): void => {
      if (printed.includes(text)) resolve();
      else if (ended !== undefined) reject(new UserError(`A worker ended (${ended}) before it said "${text}": ${printed.trim().slice(-500)}`));
      else return;
      waiting.delete(look);
    };
    waiting.add(look);
    look();
  });
  const kill = (signal: NodeJS.Signals): void => { child.kill(signal); };
  await says('"ready": true');
  return {
    pid: child.pid ?? 0, kill, says, gone,
    stop: async () => {
      kill('SIGTERM');
      await gone;
    },
  };
}
