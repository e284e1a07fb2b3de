/** The demo from end to end, on servers of its own that are gone afterwards: the trace under a predicate, under versions, and with the guard off. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { GuardKind } from '../../contract/guard.ts';
import { withLab } from '../endure/lab.ts';
import { say } from '../output.ts';
import { connect } from '../runtime/client.ts';
import { startWorkers } from '../runtime/worker.ts';
import { hireManager } from './manager.ts';
import { playScene, type SceneEnd } from './scene.ts';

/** `pauseMs`: between two events, in milliseconds, so that people can follow. */
export type DemoOptions = { readonly pauseMs: number; readonly signal: AbortSignal };

const scenes: readonly (readonly [GuardKind, string])[] = [
  ['predicate', 'Guard: predicate. What the action needs is checked in the commit\'s own transaction; a status that forbids it goes to a person (ESCALATE).'],
  ['version', 'Guard: version. Any change of what was read is refused, and the proposal is made anew (REPLAN).'],
  ['none', 'No guard. The approval alone is checked: what happens without Holdpoint\'s point.'],
];

/** Plays all scenes, telling them on standard error. Needs no model. @throws UserError where servers cannot be started */
export async function demo({ pauseMs, signal }: DemoOptions): Promise<{ readonly scenes: readonly SceneEnd[]; readonly tookS: number }> {
  const fromMs = performance.now();
  setMaxListeners(0, signal); // Temporal's client adds a listener a call and takes none away; the demo ends before they are many
  say('Starting a Temporal and a Postgres of its own for the demo; both are taken away at the end.');
  const ends = await withLab({ name: 'demo', signal, temporalDb: 'memory', quiet: true }, async ({ settings, owner }) => {
    const refuse = (): Promise<never> => Promise.reject(new TypeError('The demo has no model.'));
    const workers = await startWorkers({ settings, queues: ['commit', 'model'], proposer: refuse, graceMs: 2_000 });
    const connected = await connect(settings);
    try {
      const { client } = connected;
      const manager = await hireManager({ owner, db: workers.pool, client }, 'maria.lindqvist');
      const tell = (line: string): void => { say(`  ${new Date().toISOString().slice(11, 19)}  ${line}`); };
      const think = async (): Promise<void> => { await wait(pauseMs, undefined, { signal }).catch(() => { signal.throwIfAborted(); }); };
      const ended: SceneEnd[] = [];
      for (const [guard, title] of scenes) {
        say(`\n${title}`);
        const stage = { client, pool: workers.pool, queuePrefix: settings.queuePrefix, manager, tell, think, signal };
        ended.push(await client.withAbortSignal(signal, () => playScene(stage, guard)));
      }
      return ended;
    } catch (error) {
      signal.throwIfAborted(); // whatever call was cut short by it
      throw error;
    } finally {
      await connected.close();
      await workers.stop();
    }
  });
  return { scenes: ends, tookS: Math.round((performance.now() - fromMs) / 100) / 10 };
}
